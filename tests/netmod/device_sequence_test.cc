// Order and overlap of protocols on one connection, and what is done once per pair.
#include <random>

#include "tests/netmod/job_support.h"

namespace castor_test {
namespace {

TEST(Sequence, MixedProtocolsArriveInOrder) {
  // Same source, same tag: E0, E1, R0, R1 in random order must match receives in order.
  const std::vector<std::size_t> sizes{0, 8, 1024, 1025, 4000, 8191, 8192, 30001, 600000};
  for (Design design : all_designs) {
    std::mt19937 random(11);
    std::vector<std::size_t> order(60);
    for (auto& size : order) size = sizes[random() % sizes.size()];
    run_mpi(with_design(small_job(2), design), [&](int rank) {
      std::vector<Buffer> buffers;
      std::vector<MPI_Request> requests(order.size());
      for (std::size_t i = 0; i < order.size(); ++i) {
        buffers.emplace_back(rank == 0 ? order[i] : std::size_t{600000});
        if (rank == 0) buffers[i].fill(i);
      }
      for (std::size_t i = 0; i < order.size(); ++i) {
        if (rank == 0) {
          MPI_Isend(buffers[i].data(), static_cast<int>(order[i]), MPI_BYTE, 1, 3, MPI_COMM_WORLD,
                    &requests[i]);
        } else {
          MPI_Irecv(buffers[i].data(), 600000, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &requests[i]);
        }
      }
      std::vector<MPI_Status> statuses(order.size());
      MPI_Waitall(static_cast<int>(order.size()), requests.data(), statuses.data());
      for (std::size_t i = 0; rank == 1 && i < order.size(); ++i) {
        int count = -1;
        MPI_Get_count(&statuses[i], MPI_BYTE, &count);
        EXPECT_EQ(count, static_cast<int>(order[i])) << name_of(design) << " message " << i;
        EXPECT_TRUE(buffers[i].holds(i, order[i])) << name_of(design) << " message " << i;
        EXPECT_TRUE(buffers[i].untouched_from(order[i])) << name_of(design) << " message " << i;
      }
    });
  }
}

TEST(Sequence, ASmallBufferedMessageDoesNotExposeALargeOneThatIsStillArriving) {
  // Both lie in landing slots. The small one goes by FMA and lands first; the large one is cut
  // into 16 pieces: its first ones must not be taken for the message.
  launch::JobRequest request = with(small_job(2), "CASTOR_SEGMENT_BYTES", "512");
  request = with(request, "MPICH_GNI_RDMA_THRESHOLD", "2048");
  run_mpi(request, [&](int rank) {
    for (int round = 0; round < 4; ++round) {
      Buffer large(8000), small(1500);
      MPI_Request requests[2];
      if (rank == 0) {
        large.fill(100 + static_cast<std::uint64_t>(round));
        small.fill(200 + static_cast<std::uint64_t>(round));
        MPI_Isend(large.data(), 8000, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(small.data(), 1500, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      } else {
        MPI_Irecv(large.data(), 8000, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(small.data(), 1500, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        EXPECT_TRUE(large.holds(100 + static_cast<std::uint64_t>(round))) << round;
        EXPECT_TRUE(small.holds(200 + static_cast<std::uint64_t>(round))) << round;
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
  });
}

TEST(Sequence, APairConnectsOnceAndOnlyIfItTalks) {
  const MpiOutcome outcome = run_mpi(small_job(4), [](int rank) {
    for (int i = 0; i < 3; ++i) one_message(rank, 100);
  });
  EXPECT_EQ(outcome.counts[0].device.connections, 1u);
  EXPECT_EQ(outcome.counts[1].device.connections, 1u);
  EXPECT_EQ(outcome.counts[2].device.connections, 0u);
  EXPECT_EQ(outcome.counts[3].device.connections, 0u);
}

TEST(Sequence, ConnectsOfBothSidesAtOnceLoseNothing) {
  for (std::size_t bytes : {std::size_t{4}, std::size_t{5000}, std::size_t{50000}}) {
    const MpiOutcome outcome = run_mpi(small_job(2), [&](int rank) {
      const int peer = 1 - rank;
      for (std::uint64_t round = 0; round < 40; ++round) {
        Buffer out(bytes), in(bytes);
        out.fill(2 * round + static_cast<std::uint64_t>(rank));
        MPI_Sendrecv(out.data(), static_cast<int>(bytes), MPI_BYTE, peer, 0, in.data(),
                     static_cast<int>(bytes), MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_TRUE(in.holds(2 * round + static_cast<std::uint64_t>(peer)))
            << bytes << ' ' << round;
      }
    });
    EXPECT_EQ(outcome.counts[0].device.connections, 1u);
    EXPECT_EQ(outcome.counts[1].device.connections, 1u);
  }
}

TEST(Sequence, UnexpectedMessagesAreKeptWhateverTheirProtocol) {
  const std::vector<std::size_t> sizes{0, 700, 5000, 20001, 700000};
  for (int per_node : {1, 2}) {
    for (Design design : all_designs) {
      run_mpi(with_design(small_job(2, per_node), design), [&](int rank) {
        std::vector<Buffer> buffers;
        std::vector<MPI_Request> requests(sizes.size());
        for (std::size_t size : sizes) buffers.emplace_back(size);
        if (rank == 0) {
          for (std::size_t i = 0; i < sizes.size(); ++i) {
            buffers[i].fill(i);
            MPI_Isend(buffers[i].data(), static_cast<int>(sizes[i]), MPI_BYTE, 1,
                      static_cast<int>(i), MPI_COMM_WORLD, &requests[i]);
          }
          MPI_Waitall(static_cast<int>(sizes.size()), requests.data(), MPI_STATUSES_IGNORE);
          return;
        }
        compute_us(100);
        int there = 0;  // takes them all in: none is expected yet
        while (there == 0) {
          MPI_Iprobe(0, static_cast<int>(sizes.size()) - 1, MPI_COMM_WORLD, &there,
                     MPI_STATUS_IGNORE);
        }
        for (std::size_t i = sizes.size(); i-- > 0;) {  // last first
          MPI_Recv(buffers[i].data(), static_cast<int>(sizes[i]), MPI_BYTE, 0, static_cast<int>(i),
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          EXPECT_TRUE(buffers[i].holds(i)) << name_of(design) << ' ' << sizes[i];
          EXPECT_TRUE(buffers[i].guards_intact());
        }
      });
    }
  }
}

}  // namespace
}  // namespace castor_test
