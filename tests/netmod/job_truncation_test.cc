// Messages longer than their receive: MPI_ERR_TRUNCATE, what fits arrives, nothing beyond it.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/netmod/job_support.h"

namespace castor_test {
namespace {

enum class Arrival { expected, unexpected };

/// Rank 0 sends, rank 1 has too little room; what it does not take is not in the way of what comes
/// after it. The ranks of one job do this again and again.
void truncate(int rank, std::size_t sent, std::size_t room, std::size_t send_offset,
              Arrival arrival) {
  const std::string what = fmt::format("{} bytes into {}, offset {}{}", sent, room, send_offset,
                                       arrival == Arrival::expected ? "" : ", unexpected");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    Buffer buffer(sent, send_offset);
    buffer.fill(sent);
    if (arrival == Arrival::expected) compute_us(300);
    EXPECT_EQ(MPI_Send(buffer.data(), static_cast<int>(sent), MPI_BYTE, 1, 4, MPI_COMM_WORLD),
              MPI_SUCCESS)
        << what;
    int last = 17;
    MPI_Send(&last, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
  } else if (rank == 1) {
    Buffer buffer(room);
    if (arrival == Arrival::unexpected) {
      MPI_Status status;
      MPI_Probe(0, 4, MPI_COMM_WORLD, &status);
      int count = -1;
      MPI_Get_count(&status, MPI_BYTE, &count);
      EXPECT_EQ(count, static_cast<int>(sent)) << what;  // the whole message's
    }
    MPI_Status status;
    EXPECT_EQ(
        MPI_Recv(buffer.data(), static_cast<int>(room), MPI_BYTE, 0, 4, MPI_COMM_WORLD, &status),
        MPI_ERR_TRUNCATE)
        << what;
    EXPECT_EQ(status.MPI_SOURCE, 0) << what;
    EXPECT_EQ(status.MPI_TAG, 4) << what;
    EXPECT_EQ(first_wrong(buffer.data(), room, sent), room) << what;
    EXPECT_TRUE(buffer.guards_intact()) << what;
    int last = 0;  // the connection goes on
    MPI_Recv(&last, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(last, 17) << what;
  }
}

void truncate_all(const launch::JobRequest& request) {
  run_mpi(request, [](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (Arrival arrival : {Arrival::expected, Arrival::unexpected}) {
      truncate(rank, 1, 0, 0, arrival);  // E0
      truncate(rank, 1000, 13, 0, arrival);
      truncate(rank, 5000, 4999, 0, arrival);  // E1
      truncate(rank, 5000, 0, 0, arrival);
      truncate(rank, 20000, 16384, 0, arrival);  // R0
      truncate(rank, 20000, 10001, 0, arrival);  // ... not whole words
      truncate(rank, 20000, 10003, 0, arrival);
      truncate(rank, 20000, 2, 0, arrival);
      truncate(rank, 20000, 0, 0, arrival);
      truncate(rank, 20001, 20000, 0, arrival);
      truncate(rank, 20003, 20002, 0, arrival);
      truncate(rank, 20000, 10001, 1, arrival);      // R1: not word-aligned
      truncate(rank, 1200000, 1100001, 0, arrival);  // R1 in chunks
      truncate(rank, 1200000, 524288, 0, arrival);
      truncate(rank, 1200000, 300001, 0, arrival);  // the part is R0's size
      truncate(rank, 1200000, 0, 0, arrival);
    }
  });
}

TEST(Truncation, BetweenNodes) {
  for (Design design : all_designs) {
    SCOPED_TRACE(name_of(design));
    truncate_all(with_design(small_job(2), design));
  }
}

TEST(Truncation, WithinANode) {
  for (Design design : {Design::none, Design::active}) {
    SCOPED_TRACE(name_of(design));
    truncate_all(with_design(small_job(2, 2), design));
  }
}

/// Rank `other` gives another count than the rest; whose result depends on it hears of it, no rank
/// waits for ever, and what follows is right.
void differ(int rank, int other, int its, int count) {
  const std::string what = fmt::format("{} elements at rank {}, else {}", its, other, count);
  const int mine = rank == other ? its : count;
  std::vector<int> data(static_cast<std::size_t>(std::max(its, count)), rank), sums(data);
  const auto end = [](int code, MPI_Request* request) {
    return code == MPI_SUCCESS ? MPI_Wait(request, MPI_STATUS_IGNORE) : code;
  };
  MPI_Request request = MPI_REQUEST_NULL;
  const int heard = rank == other ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
  EXPECT_EQ(MPI_Bcast(data.data(), mine, MPI_INT, other, MPI_COMM_WORLD), heard) << what;
  EXPECT_EQ(end(MPI_Ibcast(data.data(), mine, MPI_INT, other, MPI_COMM_WORLD, &request), &request),
            heard)
      << what;
  if (std::max(its, count) <= 512) {  // above, the ranks would run different algorithms
    EXPECT_EQ(MPI_Allreduce(data.data(), sums.data(), mine, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
              MPI_ERR_TRUNCATE)
        << what;
    EXPECT_EQ(end(MPI_Iallreduce(data.data(), sums.data(), mine, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                                 &request),
                  &request),
              MPI_ERR_TRUNCATE)
        << what;
  }
  int sum = 0;
  EXPECT_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS) << what;
  EXPECT_EQ(sum, 15) << what;
}

TEST(Truncation, OfCollectivesIsHeardOfWhereItMatters) {
  for (Design design : all_designs) {
    SCOPED_TRACE(name_of(design));
    run_mpi(with_design(small_job(6, 2), design), [](int rank) {
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
      for (const int other : {0, 3}) {
        differ(rank, other, 1, 10);
        differ(rank, other, 10, 1);
        differ(rank, other, 300, 512);
        differ(rank, other, 4000, 60000);  // by rendezvous
        differ(rank, other, 60000, 4000);
        differ(rank, other, 60000, 1);
      }
    });
  }
}

TEST(Truncation, IsFatalByDefault) {
  const MpiOutcome outcome = run_mpi_unchecked(small_job(2), [](int rank) {
    int numbers[2] = {1, 2};
    if (rank == 0) MPI_Send(numbers, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
      MPI_Recv(numbers, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      ADD_FAILURE() << "the job should have ended";
    }
    if (rank == 0) compute_us(1000);
  });
  EXPECT_TRUE(outcome.job.end.aborted);
  EXPECT_EQ(outcome.job.end.status, MPI_ERR_TRUNCATE);
  EXPECT_NE(outcome.errors.find("MPI_Recv"), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.errors.find("MPI_ERR_TRUNCATE"), std::string::npos) << outcome.errors;
}

}  // namespace
}  // namespace castor_test
