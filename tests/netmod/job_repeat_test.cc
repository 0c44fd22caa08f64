// The same job gives the same result, bit for bit; another seed of noise another one.
#include "tests/netmod/job_support.h"

namespace castor_test {
namespace {

struct Print {
  std::uint64_t fingerprint = 0, events = 0;
  std::int64_t time = 0;
  std::string report;
  bool operator==(const Print&) const = default;
};

Print print_of(const launch::JobRequest& request) {
  const MpiOutcome outcome = run_mpi(request, [](int rank) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (std::size_t bytes : {std::size_t{8}, std::size_t{3000}, std::size_t{50000},
                              std::size_t{700000}}) {
      Buffer out(bytes), in(bytes);
      MPI_Request requests[2];
      MPI_Irecv(in.data(), static_cast<int>(bytes), MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
                &requests[0]);
      MPI_Isend(out.data(), static_cast<int>(bytes), MPI_BYTE, (rank + 1) % size, 0,
                MPI_COMM_WORLD, &requests[1]);
      compute_us(100);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      double sum = 0;
      const double value = rank;
      MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      compute_us(5000);  // long enough for noise to strike
    }
  });
  const corespec::VirtualMachine::Result& machine = outcome.job.machine;
  return {machine.fingerprint, machine.events, machine.time.ps(), outcome.errors};
}

TEST(Repeat, TheSameJobGivesTheSameFingerprintTimeAndStatistics) {
  for (Design design : all_designs) {
    for (int per_node : {1, 4}) {
      const launch::JobRequest request = with_design(small_job(8, per_node), design);
      const Print first = print_of(request);
      // Other things on the heap must make no difference.
      const std::vector<std::vector<char>> ballast(1000, std::vector<char>(1000));
      EXPECT_EQ(print_of(request), first) << name_of(design) << ' ' << per_node;
      EXPECT_NE(first.fingerprint, 0u);
    }
  }
}

TEST(Repeat, ADesignIsAnotherRun) {
  std::vector<std::uint64_t> prints;
  for (Design design : all_designs) {
    prints.push_back(print_of(with_design(small_job(4), design)).fingerprint);
  }
  for (std::size_t i = 0; i < prints.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(prints[i], prints[j]) << i << ' ' << j;
  }
}

TEST(Repeat, NoiseDependsOnTheSeedAndOnNothingElse) {
  for (Design design : {Design::none, Design::phase_one}) {
    const launch::JobRequest noisy = with(with_design(small_job(4, 2), design), "CASTOR_NOISE", "1");
    const Print first = print_of(with(noisy, "CASTOR_SEED", "1"));
    EXPECT_EQ(print_of(with(noisy, "CASTOR_SEED", "1")), first);
    const Print other = print_of(with(noisy, "CASTOR_SEED", "2"));
    EXPECT_NE(other.fingerprint, first.fingerprint);
    EXPECT_NE(other.time, first.time);
  }
}

TEST(Repeat, WithoutNoiseTheSeedMakesNoDifference) {
  const launch::JobRequest quiet = small_job(4, 2);
  EXPECT_EQ(print_of(with(quiet, "CASTOR_SEED", "1")), print_of(with(quiet, "CASTOR_SEED", "2")));
}

}  // namespace
}  // namespace castor_test
