// Overlap: what progress threads on a reserved CPU gain, and what is lost without them.
#include "tests/netmod/job_support.h"

namespace castor_test {
namespace {

using corespec::Time;

/// Times of one exchange at both ranks: post, compute, wait.
struct Times {
  Time sender, receiver;
};

Times exchange(Design design, std::size_t bytes, Time work) {
  launch::JobRequest request = with_design(small_job(2), design);
  request.placement.service_cpus = 1;
  Times times;
  run_mpi(request, [&](int rank) {
    Buffer buffer(bytes);
    for (int round = 0; round < 3; ++round) {  // connects and registers before the last one
      if (rank == 0) buffer.fill(static_cast<std::uint64_t>(round));
      MPI_Barrier(MPI_COMM_WORLD);
      const Time start = clock_now();
      MPI_Request transfer;
      if (rank == 0) {
        MPI_Isend(buffer.data(), static_cast<int>(bytes), MPI_BYTE, 1, 0, MPI_COMM_WORLD,
                  &transfer);
      } else {
        MPI_Irecv(buffer.data(), static_cast<int>(bytes), MPI_BYTE, 0, 0, MPI_COMM_WORLD,
                  &transfer);
      }
      compute(work);
      MPI_Wait(&transfer, MPI_STATUS_IGNORE);
      (rank == 0 ? times.sender : times.receiver) = clock_now() - start;
      if (rank == 1) {
        EXPECT_TRUE(buffer.holds(static_cast<std::uint64_t>(round)));
      }
    }
  });
  return times;
}

constexpr std::size_t megabyte = 1048576;
const Time long_work = Time::microseconds(1000);

TEST(Overlap, WithProgressThreadsAMegabyteHidesBehindComputing) {
  for (Design design : {Design::phase_one, Design::phase_two, Design::active}) {
    const Times base = exchange(design, megabyte, Time());
    const Times busy = exchange(design, megabyte, long_work);
    // At 6.93 GB/s at most the data alone takes 151.3 us.
    EXPECT_GT(base.receiver.us(), 151.3);
    EXPECT_LT(base.receiver.us(), 200.0);
    // Nothing is left to do after the computing but to look: posting and waiting cost CPU time
    // of their own (send 0.3, set-up 0.6, registration, FMA and lock of each call).
    EXPECT_GE(busy.sender, long_work) << name_of(design);
    EXPECT_GE(busy.receiver, long_work) << name_of(design);
    // The active thread has the lock when a call comes: each call waits for its next poll and a
    // hand-over (0.8), and so does the thread.
    const double most = design == Design::active ? 6.0 : 3.0;
    EXPECT_LT((busy.sender - long_work).us(), most) << name_of(design);
    EXPECT_LT((busy.receiver - long_work).us(), most) << name_of(design);
  }
}

TEST(Overlap, WithoutThemTheTransferStartsWhenTheComputingEnds) {
  const Times base = exchange(Design::none, megabyte, Time());
  const Times busy = exchange(Design::none, megabyte, long_work);
  // A cooperative write needs both sides: all of it follows the computing.
  EXPECT_GT(base.receiver.us(), 151.3);
  EXPECT_GE(busy.receiver, long_work + base.receiver - Time::microseconds(5));
  EXPECT_GE(busy.sender, long_work + base.sender - Time::microseconds(5));
}

TEST(Overlap, ShortComputingIsHiddenBehindTheTransfer) {
  // The other half of max(compute, transfer).
  const Time work = Time::microseconds(60);
  for (Design design : {Design::phase_one, Design::phase_two}) {
    const Times base = exchange(design, megabyte, Time());
    const Times busy = exchange(design, megabyte, work);
    // Every step of the protocol may now have to wake a thread: RTS, CTS, write, send done, the
    // second chunk's the same; a wake-up takes 6.5 us (handler 1, other CPU 4, thread 1.5).
    EXPECT_LT((busy.receiver - base.receiver).us(), 40.0) << name_of(design);
    EXPECT_LT((busy.sender - base.sender).us(), 40.0) << name_of(design);
  }
}

TEST(Overlap, AReadNeedsOnlyTheReceiver) {
  // R0 without progression: the sender's data moves while it computes, if the receiver waits.
  launch::JobRequest request = small_job(2);
  Time received, start;
  run_mpi(request, [&](int rank) {
    one_message(rank, 65536);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) start = clock_now();
    Buffer buffer(65536);
    MPI_Request transfer;
    if (rank == 0) {
      MPI_Isend(buffer.data(), 65536, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &transfer);
      compute_us(5000);
      MPI_Wait(&transfer, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffer.data(), 65536, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      received = clock_now();
    }
  });
  EXPECT_LT((received - start).us(), 50.0);
}

TEST(Overlap, EveryRendezvousSizeHides) {
  for (Design design : {Design::phase_one, Design::phase_two}) {
    for (std::size_t bytes :
         {std::size_t{8192}, std::size_t{65536}, std::size_t{524287}, std::size_t{4} << 20}) {
      const Time work = Time::microseconds(2000);
      const Times busy = exchange(design, bytes, work);
      EXPECT_LT((busy.sender - work).us(), 3.0) << name_of(design) << ' ' << bytes;
      EXPECT_LT((busy.receiver - work).us(), 3.0) << name_of(design) << ' ' << bytes;
    }
  }
}

/// Time of an Iallreduce of a megabyte between four nodes with computing before the wait.
Time reduce_beside(Design design, Time work) {
  launch::JobRequest request = with_design(small_job(4), design);
  request.placement.service_cpus = 1;
  Time longest;
  run_mpi(request, [&](int rank) {
    std::vector<double> data(megabyte / sizeof(double));
    for (int round = 0; round < 3; ++round) {
      data.assign(data.size(), rank + 1.0);
      MPI_Barrier(MPI_COMM_WORLD);
      const Time start = clock_now();
      MPI_Request reduction;
      MPI_Iallreduce(MPI_IN_PLACE, data.data(), static_cast<int>(data.size()), MPI_DOUBLE, MPI_SUM,
                     MPI_COMM_WORLD, &reduction);
      compute(work);
      MPI_Wait(&reduction, MPI_STATUS_IGNORE);
      const Time time = clock_now() - start;
      if (round == 2) longest = std::max(longest, time);
      EXPECT_EQ(data, std::vector<double>(data.size(), 10.0));
    }
  });
  return longest;
}

TEST(Overlap, ACollectiveGoesOnWhileItsRanksCompute) {
  const Time work = Time::microseconds(5000);
  const Time alone = reduce_beside(Design::none, Time());
  EXPECT_GT(alone.us(), 300.0);
  EXPECT_LT(alone, work);
  // Without progression only what the call itself starts is done before the wait.
  EXPECT_GT((reduce_beside(Design::none, work) - work).us(), 0.6 * alone.us());
  for (Design design : {Design::phase_one, Design::phase_two}) {
    EXPECT_LT((reduce_beside(design, work) - work).us(), 0.1 * alone.us()) << name_of(design);
  }
}

}  // namespace
}  // namespace castor_test
