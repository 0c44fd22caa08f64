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

std::ostream& operator<<(std::ostream& out, const Print& p) {
  return out << std::hex << p.fingerprint << std::dec << ", " << p.events << " events, " << p.time
             << " ps\n"
             << p.report;
}

/// Memory of the ranks that stays where it is from job to job: what registration costs, and
/// whether a range is in the cache, depends on addresses, as on the real machine.
class RankMemory {
 public:
  explicit RankMemory(int ranks) {
    for (int i = 0; i < 2 * ranks; ++i) buffers_.emplace_back(largest);
  }
  std::byte* out(int rank) { return buffers_[2 * static_cast<std::size_t>(rank)].data(); }
  std::byte* in(int rank) { return buffers_[2 * static_cast<std::size_t>(rank) + 1].data(); }

 private:
  static constexpr std::size_t largest = 700000;
  std::vector<Buffer> buffers_;
};

Print print_of(const launch::JobRequest& request, RankMemory& memory) {
  const MpiOutcome outcome = run_mpi(request, [&memory](int rank) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (std::size_t bytes :
         {std::size_t{8}, std::size_t{3000}, std::size_t{50000}, std::size_t{700000}}) {
      MPI_Request requests[2];
      MPI_Irecv(memory.in(rank), static_cast<int>(bytes), MPI_BYTE, MPI_ANY_SOURCE, 0,
                MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(memory.out(rank), static_cast<int>(bytes), MPI_BYTE, (rank + 1) % size, 0,
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
      RankMemory memory(8);
      const Print first = print_of(request, memory);
      // Other things on the heap must make no difference.
      const std::vector<std::vector<char>> ballast(1000, std::vector<char>(1000));
      EXPECT_EQ(print_of(request, memory), first) << name_of(design) << ' ' << per_node;
      EXPECT_NE(first.fingerprint, 0u);
    }
  }
}

TEST(Repeat, ADesignIsAnotherRun) {
  RankMemory memory(4);
  std::vector<std::uint64_t> prints;
  for (Design design : all_designs) {
    prints.push_back(print_of(with_design(small_job(4), design), memory).fingerprint);
  }
  for (std::size_t i = 0; i < prints.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(prints[i], prints[j]) << i << ' ' << j;
  }
}

TEST(Repeat, NoiseDependsOnTheSeedAndOnNothingElse) {
  RankMemory memory(4);
  for (Design design : {Design::none, Design::phase_one}) {
    const launch::JobRequest noisy =
        with(with_design(small_job(4, 2), design), "CASTOR_NOISE", "1");
    const Print first = print_of(with(noisy, "CASTOR_SEED", "1"), memory);
    EXPECT_EQ(print_of(with(noisy, "CASTOR_SEED", "1"), memory), first);
    const Print other = print_of(with(noisy, "CASTOR_SEED", "2"), memory);
    EXPECT_NE(other.fingerprint, first.fingerprint);
    EXPECT_NE(other.time, first.time);
  }
}

TEST(Repeat, WithoutNoiseTheSeedMakesNoDifference) {
  RankMemory memory(4);
  const launch::JobRequest quiet = small_job(4, 2);
  EXPECT_EQ(print_of(with(quiet, "CASTOR_SEED", "1"), memory),
            print_of(with(quiet, "CASTOR_SEED", "2"), memory));
}

/// What of a repeated job is the same on either clock.
TEST(Traffic, TheSameAgainTakesTheSameMessagesAndArrivesWhole) {
  for (Design design : all_designs) {
    for (int per_node : {1, 4}) {
      SCOPED_TRACE(testing::Message() << name_of(design) << ", -N " << per_node);
      run_mpi(
          with_design(small_job(4, per_node), design),
          [](int rank) {
            int size = 0;
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            const auto next = [size](int of) { return (of + 1) % size; };
            const auto round = [&] {
              for (std::size_t bytes :
                   {std::size_t{8}, std::size_t{3000}, std::size_t{50000}, std::size_t{700000}}) {
                const auto seed = [&](int of) { return bytes + static_cast<std::size_t>(of); };
                Buffer out(bytes), in(bytes);
                out.fill(seed(rank));
                MPI_Request requests[2];
                MPI_Status statuses[2];
                MPI_Irecv(in.data(), static_cast<int>(bytes), MPI_BYTE, MPI_ANY_SOURCE, 0,
                          MPI_COMM_WORLD, &requests[0]);
                MPI_Isend(out.data(), static_cast<int>(bytes), MPI_BYTE, next(rank), 0,
                          MPI_COMM_WORLD, &requests[1]);
                compute_us(100);
                MPI_Waitall(2, requests, statuses);
                EXPECT_EQ(next(statuses[0].MPI_SOURCE), rank);
                EXPECT_TRUE(in.holds(seed(statuses[0].MPI_SOURCE))) << bytes;
                EXPECT_TRUE(in.guards_intact());
                MPI_Barrier(MPI_COMM_WORLD);  // no rank's next size overtakes
              }
            };
            const Messages first = messages_of(round);
            EXPECT_GE(first.between + first.within, 4U * 4U);
            EXPECT_EQ(messages_of(round), first);
          },
          MPI_THREAD_MULTIPLE);
    }
  }
}

}  // namespace
}  // namespace castor_test
