// More messages than the device has room for: credits, slots, buffers, queues, cells,
// registrations.
#include <random>

#include "tests/netmod/job_support.h"

namespace castor_test {
namespace {

/// Rank 0 sends `count` messages of `bytes` to rank 1, all under way at once; rank 1 receives
/// them after `delay_us` of computing. Contents checked.
void burst(int rank, int count, std::size_t bytes, double delay_us) {
  if (rank > 1) return;
  std::vector<Buffer> buffers;
  std::vector<MPI_Request> requests(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < requests.size(); ++i) buffers.emplace_back(bytes);
  if (rank == 1) compute_us(delay_us);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (rank == 0) {
      buffers[i].fill(i);
      MPI_Isend(buffers[i].data(), static_cast<int>(bytes), MPI_BYTE, 1, 0, MPI_COMM_WORLD,
                &requests[i]);
    } else {
      MPI_Irecv(buffers[i].data(), static_cast<int>(bytes), MPI_BYTE, 0, 0, MPI_COMM_WORLD,
                &requests[i]);
    }
  }
  MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
  for (std::size_t i = 0; rank == 1 && i < requests.size(); ++i) {
    EXPECT_TRUE(buffers[i].holds(i)) << bytes << " bytes, message " << i;
    EXPECT_TRUE(buffers[i].guards_intact());
  }
}

void bursts(const launch::JobRequest& request, int count, const std::vector<std::size_t>& sizes) {
  for (Design design : all_designs) {
    for (std::size_t bytes : sizes) {
      for (double delay : {0.0, 300.0}) {
        SCOPED_TRACE(testing::Message()
                     << name_of(design) << ", " << bytes << " bytes, delay " << delay << " us");
        run_mpi(with_design(request, design), [&](int rank) { burst(rank, count, bytes, delay); });
      }
    }
  }
}

TEST(Resources, MoreMessagesThanMailboxCredits) { bursts(small_job(2), 100, {8, 1024, 9000}); }

TEST(Resources, OneMailboxCredit) {
  bursts(with(small_job(2), "CASTOR_SMSG_CREDITS", "1"), 20, {8, 5000, 9000, 600000});
}

TEST(Resources, MoreMessagesThanLandingSlots) { bursts(small_job(2), 60, {1025, 8191}); }

TEST(Resources, OneLandingSlotOfSeveralBuffers) {
  bursts(with(small_job(2), "MPICH_GNI_MAX_EAGER_MSG_SIZE", "131072"), 12, {1025, 100000});
}

// The NIC has said so before the last bytes have left.
TEST(Resources, AnEagerMessageWhoseFirstBytesAreRefused) {
  for (const char* nth : {"1", "2", "5"}) {
    SCOPED_TRACE(nth);
    const auto request = with(small_job(2), "MPICH_GNI_MAX_EAGER_MSG_SIZE", "131072");
    bursts(with(request, "CASTOR_FAULTS", std::string("post-fails kind=put nth=") + nth), 12,
           {100000});
  }
}

TEST(Resources, MoreMessagesThanDmaBuffers) {
  bursts(with(small_job(2), "MPICH_GNI_NUM_BUFS", "2"), 20, {2000, 8191});
  bursts(with(small_job(2), "MPICH_GNI_NUM_BUFS", "4"), 20, {2000, 8191});
}

TEST(Resources, WithoutLandingBuffersMiddleSizesAreRendezvous) {
  // Half of one buffer is none to land in.
  const MpiOutcome outcome = run_mpi(with(small_job(2), "MPICH_GNI_NUM_BUFS", "1"),
                                     [](int rank) { burst(rank, 10, 5000, 0); });
  EXPECT_EQ(outcome.counts[0].device.eager_buffered, 0u);
  EXPECT_EQ(outcome.counts[0].device.rts_sent, 10u);
  EXPECT_EQ(outcome.counts[1].device.reads, 10u);
}

TEST(Resources, AnOverrunReceiveQueueLosesNoMessage) {
  launch::JobRequest request = with(small_job(2), "MPICH_GNI_RECV_CQ_SIZE", "16");
  bursts(request, 30, {8, 2000, 9000, 600000});
  const MpiOutcome outcome = run_mpi(request, [](int rank) { burst(rank, 30, 8, 300); });
  EXPECT_GT(outcome.counts[1].nic.overruns, 0u) << "the test is to overrun it";
}

TEST(Resources, AnOverrunWithSendersOfAllProtocols) {
  launch::JobRequest request = with(small_job(6), "MPICH_GNI_RECV_CQ_SIZE", "16");
  for (Design design : all_designs) {
    run_mpi(with_design(request, design), [](int rank) {
      const std::vector<std::size_t> sizes{16, 3000, 1025, 20000, 8191};
      constexpr int each = 40;
      if (rank != 0) {
        std::vector<Buffer> buffers;
        std::vector<MPI_Request> requests(each);
        for (std::size_t i = 0; i < each; ++i) {
          const std::size_t bytes = sizes[(i + static_cast<std::size_t>(rank)) % sizes.size()];
          buffers.emplace_back(bytes);
          buffers[i].fill(static_cast<std::uint64_t>(rank) * 1000 + i);
          MPI_Isend(buffers[i].data(), static_cast<int>(bytes), MPI_BYTE, 0, 9, MPI_COMM_WORLD,
                    &requests[i]);
        }
        MPI_Waitall(each, requests.data(), MPI_STATUSES_IGNORE);
        return;
      }
      std::vector<std::size_t> next(6, 0);
      for (int i = 0; i < 5 * each; ++i) {
        if (i % 10 == 0) compute_us(50);
        Buffer buffer(20000);
        MPI_Status status;
        MPI_Recv(buffer.data(), 20000, MPI_BYTE, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &status);
        const auto source = static_cast<std::size_t>(status.MPI_SOURCE);
        const std::size_t number = next[source]++;
        const std::size_t bytes = sizes[(number + source) % sizes.size()];
        EXPECT_TRUE(buffer.holds(source * 1000 + number, bytes)) << source << ' ' << number;
        EXPECT_TRUE(buffer.untouched_from(bytes));
      }
    });
  }
}

TEST(Resources, AnEventLostOfAMessageThatOvertookAnother) {
  // 20 messages of rank 2 overrun rank 1's queue of 16. Then rank 0's long buffered message by BTE
  // and its short one by FMA, which lands first and whose event is lost. Rank 1 looks at every
  // moment in between.
  launch::JobRequest request = with(small_job(3), "MPICH_GNI_RECV_CQ_SIZE", "16");
  request = with(request, "MPICH_GNI_RDMA_THRESHOLD", "4096");
  std::uint64_t overruns = 0;
  for (int delay = 24000; delay < 40000; delay += 197) {
    SCOPED_TRACE(testing::Message() << "delay " << delay << " ns");
    const MpiOutcome outcome = run_mpi(request, [&](int rank) {
      one_message(rank, 4000);  // connects, makes the DMA buffers
      MPI_Barrier(MPI_COMM_WORLD);
      Buffer large(8000), small(1500);
      std::vector<MPI_Request> requests(22);
      if (rank == 0) {
        compute_us(30);
        large.fill(1);
        small.fill(2);
        MPI_Isend(large.data(), 8000, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(small.data(), 1500, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
      } else if (rank == 2) {
        for (int i = 0; i < 20; ++i) MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      } else {
        MPI_Irecv(large.data(), 8000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[20]);
        MPI_Irecv(small.data(), 1500, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[21]);
        for (std::size_t i = 0; i < 20; ++i) {
          MPI_Irecv(nullptr, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD, &requests[i]);
        }
        compute(corespec::Time::nanoseconds(delay));
        MPI_Waitall(22, requests.data(), MPI_STATUSES_IGNORE);
        EXPECT_TRUE(large.holds(1));
        EXPECT_TRUE(small.holds(2));
      }
    });
    overruns += outcome.counts[1].nic.overruns;
  }
  EXPECT_GT(overruns, 0u) << "the test is to overrun the queue";
}

TEST(Resources, AnEventLostOfAPeerThatIsNotKnownYet) {
  // Ranks 0 and 1 connect to each other. Rank 1's datagram is there, and rank 0's message lands by
  // it; rank 0's own datagram is late. 20 messages of rank 2 overrun rank 1's queue of 16, before
  // rank 0's event or after it, and rank 1 looks at the queue before the datagram comes.
  launch::JobRequest request = with(small_job(3), "MPICH_GNI_RECV_CQ_SIZE", "16");
  request = with(request, "CASTOR_FAULTS", "datagram-late node=0 by=3ms");
  for (const double flood_us : {450.0, 600.0}) {
    SCOPED_TRACE(flood_us);
    const MpiOutcome outcome = run_mpi(request, [&](int rank) {
      constexpr int bytes = 3000, short_ones = 20;
      Buffer sent(bytes), got(bytes);
      MPI_Request sending = MPI_REQUEST_NULL;
      if (rank == 2) {
        MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);  // connects
        compute_us(flood_us);
        for (int i = 0; i < short_ones; ++i) MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        return;
      }
      if (rank == 1) MPI_Recv(nullptr, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      compute(corespec::Time::microseconds(500) - clock_now());
      sent.fill(static_cast<std::uint64_t>(rank));
      MPI_Isend(sent.data(), bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &sending);
      if (rank == 1) {
        compute_us(500);
        for (int i = 0; i < short_ones; ++i) {
          MPI_Recv(nullptr, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        EXPECT_LT(clock_now(), corespec::Time::microseconds(3000)) << "rank 0's datagram is there";
      }
      MPI_Recv(got.data(), bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_TRUE(got.holds(static_cast<std::uint64_t>(1 - rank)));
      MPI_Wait(&sending, MPI_STATUS_IGNORE);
    });
    EXPECT_GT(outcome.counts[1].nic.overruns, 0u);
    EXPECT_EQ(outcome.counts[0].device.eager_buffered, 1u);
  }
}

TEST(Resources, AFullSendQueueOnlyDelays) {
  bursts(with(small_job(2), "MPICH_GNI_LOCAL_CQ_SIZE", "16"), 60, {8, 2000, 9000, 600000});
}

TEST(Resources, FewerRegistrationsThanTransfers) {
  bursts(with(small_job(2), "MPICH_GNI_NDREG_ENTRIES", "1"), 20, {9000, 40000});
  bursts(with(small_job(2), "MPICH_GNI_NDREG_ENTRIES", "0"), 20, {9000});
  bursts(with(small_job(2), "MPICH_GNI_NDREG_LAZYMEM", "0"), 20, {9000, 600000});
}

TEST(Resources, MoreMessagesThanSharedMemoryCells) {
  // A rank has 16 small and 8 large cells; announcements and acknowledgements take small ones.
  bursts(small_job(2, 2), 100, {0, 1024, 1025, 8191, 8192, 100000});
}

TEST(Resources, BothSidesOfANodeRunOutOfCells) {
  run_mpi(small_job(4, 4), [](int rank) {
    for (std::size_t bytes : {std::size_t{64}, std::size_t{4000}, std::size_t{20000}}) {
      constexpr std::size_t each = 50;
      std::vector<Buffer> out, in;
      std::vector<MPI_Request> requests;
      for (int peer = 0; peer < 4; ++peer) {
        for (std::size_t i = 0; i < each; ++i) {
          out.emplace_back(bytes);
          in.emplace_back(bytes);
          out.back().fill(static_cast<std::uint64_t>(rank * 4 + peer) * each + i);
          MPI_Request request;
          MPI_Isend(out.back().data(), static_cast<int>(bytes), MPI_BYTE, peer, 0, MPI_COMM_WORLD,
                    &request);
          requests.push_back(request);
          MPI_Irecv(in.back().data(), static_cast<int>(bytes), MPI_BYTE, peer, 0, MPI_COMM_WORLD,
                    &request);
          requests.push_back(request);
        }
      }
      MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
      for (std::size_t k = 0; k < in.size(); ++k) {
        const auto peer = static_cast<std::uint64_t>(k / each);
        const std::uint64_t seed = (peer * 4 + static_cast<std::uint64_t>(rank)) * each + k % each;
        EXPECT_TRUE(in[k].holds(seed)) << rank << ' ' << k << ' ' << bytes;
      }
    }
  });
}

TEST(Resources, MorePeersThanLandingBuffers) {
  // 64 DMA buffers: 32 to land in, at most one per peer. The other peers' middle sizes are read.
  constexpr int ranks = 72;
  const MpiOutcome outcome = run_mpi(small_job(ranks), [](int rank) {
    if (rank != 0) {
      Buffer buffer(3000);
      buffer.fill(static_cast<std::uint64_t>(rank));
      for (int i = 0; i < 2; ++i) MPI_Send(buffer.data(), 3000, MPI_BYTE, 0, i, MPI_COMM_WORLD);
      return;
    }
    for (int i = 0; i < 2 * (ranks - 1); ++i) {
      Buffer buffer(3000);
      MPI_Status status;
      MPI_Recv(buffer.data(), 3000, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      EXPECT_TRUE(buffer.holds(static_cast<std::uint64_t>(status.MPI_SOURCE)));
    }
  });
  std::uint64_t buffered = 0, announced = 0;
  for (const Counts& counts : outcome.counts) {
    buffered += counts.device.eager_buffered;
    announced += counts.device.rts_sent;
  }
  EXPECT_EQ(outcome.counts[0].device.connections, ranks - 1u);
  EXPECT_EQ(buffered, 2u * 32);
  EXPECT_EQ(announced, 2u * (ranks - 1 - 32));
}

TEST(Resources, AllToAllOf64Peers) {
  constexpr int ranks = 66;
  run_mpi(small_job(ranks), [](int rank) {
    std::vector<int> out(ranks), in(ranks, -1);
    std::vector<MPI_Request> requests(2 * ranks);
    for (int peer = 0; peer < ranks; ++peer) {
      const auto at = static_cast<std::size_t>(peer);
      out[at] = rank * 1000 + peer;
      MPI_Irecv(&in[at], 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &requests[2 * at]);
      MPI_Isend(&out[at], 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &requests[2 * at + 1]);
    }
    MPI_Waitall(2 * ranks, requests.data(), MPI_STATUSES_IGNORE);
    for (int peer = 0; peer < ranks; ++peer) {
      EXPECT_EQ(in[static_cast<std::size_t>(peer)], peer * 1000 + rank);
    }
  });
}

}  // namespace
}  // namespace castor_test
