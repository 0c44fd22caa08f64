// Messages whose memory the NIC cannot use: one line that says whose, where and why.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/mman.h>

#include <vector>

#include "tests/netmod/job_support.h"
#include "tests/support/test_clock.h"
#include "tests/support/unmapped_memory.h"

namespace castor_test {
namespace {

std::string error_of(int bytes, void* sent, void* received) {
  const MpiOutcome outcome = run_mpi_unchecked(small_job(2), [&](int rank) {
    if (rank == 0) MPI_Send(sent, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
      MPI_Recv(received, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  });
  EXPECT_TRUE(outcome.job.end.aborted);
  return outcome.errors;
}

// Both rendezvous: read by the receiver, written by the sender.
TEST(Memory, ThatCannotBeUsedEndsTheJobWithOneLine) {
  if (live_clock()) GTEST_SKIP() << "how a job ends live is another test's";
  for (const int bytes : {100000, 3000000}) {
    SCOPED_TRACE(bytes);
    const auto length = static_cast<std::size_t>(bytes);
    std::vector<char> good(length);
    void* const unmapped = unmapped_memory();
    void* const constant = mmap(nullptr, length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(constant, MAP_FAILED);
    const auto line = [bytes](int rank, void* where, const char* why) {
      return testing::HasSubstr(
          fmt::format("rank {}: {}: the {} bytes of a message are in memory at {}, {}\n", rank,
                      rank == 0 ? "MPI_Send" : "MPI_Recv", bytes, where, why));
    };
    EXPECT_THAT(error_of(bytes, unmapped, good.data()), line(0, unmapped, "which is not there"));
    EXPECT_THAT(error_of(bytes, good.data(), unmapped), line(1, unmapped, "which is not there"));
    EXPECT_THAT(error_of(bytes, good.data(), constant),
                line(1, constant, "which must not be written"));
    munmap(constant, length);
  }
}

// What is only read may be.
TEST(Memory, OfConstantsIsSent) {
  constexpr int bytes = 100000;
  void* const constant = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(constant, MAP_FAILED);
  run_mpi(small_job(2), [constant](int rank) {
    std::vector<char> received(bytes, 'x');
    if (rank == 0) MPI_Send(constant, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
      MPI_Recv(received.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(received, std::vector<char>(bytes, '\0'));
    }
  });
  munmap(constant, bytes);
}

}  // namespace
}  // namespace castor_test
