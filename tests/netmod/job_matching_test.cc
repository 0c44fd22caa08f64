// Matching between ranks: wildcards, probes, cancelled receives, persistent requests.
#include <set>

#include "tests/netmod/job_support.h"

namespace castor_test {
namespace {

/// Ranks within a node, one to a node, and mixed.
std::vector<launch::JobRequest> layouts(int ranks) {
  return {small_job(ranks, 1), small_job(ranks, 2), small_job(ranks, ranks)};
}

int value_of(int source, int tag, int round) { return source * 10000 + tag * 100 + round; }

TEST(Matching, AnySourceAndAnyTagTakeEveryMessageOnceInOrder) {
  for (const launch::JobRequest& layout : layouts(4)) {
    run_mpi(layout, [](int rank) {
      constexpr int rounds = 12;
      if (rank != 0) {
        for (int round = 0; round < rounds; ++round) {
          const int value = value_of(rank, round % 3, round);
          MPI_Send(&value, 1, MPI_INT, 0, round % 3, MPI_COMM_WORLD);
        }
        return;
      }
      std::vector<int> next(4, 0);
      for (int i = 0; i < 3 * rounds; ++i) {
        int value = -1;
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        const int round = next[static_cast<std::size_t>(status.MPI_SOURCE)]++;
        EXPECT_EQ(status.MPI_TAG, round % 3);
        EXPECT_EQ(value, value_of(status.MPI_SOURCE, status.MPI_TAG, round));
      }
    });
  }
}

TEST(Matching, ATagPicksItsMessageOutOfTheQueue) {
  for (const launch::JobRequest& layout : layouts(2)) {
    run_mpi(layout, [](int rank) {
      if (rank == 0) {
        for (int tag = 0; tag < 10; ++tag) MPI_Send(&tag, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
        return;
      }
      for (int tag : {9, 0, 5, 4, 8, 1, 2, 3, 7, 6}) {
        int got = -1;
        MPI_Recv(&got, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_EQ(got, tag);
      }
    });
  }
}

TEST(Matching, TheFirstPostedReceiveThatMatchesTakesTheMessage) {
  for (const launch::JobRequest& layout : layouts(2)) {
    run_mpi(layout, [](int rank) {
      if (rank == 0) {
        compute_us(200);
        for (int value : {1, 2, 3}) MPI_Send(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        return;
      }
      int got[3] = {0, 0, 0};
      MPI_Request requests[3];
      MPI_Irecv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(&got[1], 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
      MPI_Irecv(&got[2], 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[2]);
      MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
      EXPECT_EQ(got[0], 1);
      EXPECT_EQ(got[1], 2);
      EXPECT_EQ(got[2], 3);
    });
  }
}

TEST(Matching, ProbeTellsSourceTagAndSizeOfEveryProtocol) {
  for (const launch::JobRequest& layout : layouts(2)) {
    for (std::size_t bytes : {std::size_t{0}, std::size_t{100}, std::size_t{5000},
                              std::size_t{30000}, std::size_t{600000}}) {
      run_mpi(layout, [&](int rank) {
        if (rank == 0) {
          one_message(rank, bytes);
          return;
        }
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        int count = -1, there = 0;
        MPI_Get_count(&status, MPI_BYTE, &count);
        EXPECT_EQ(count, static_cast<int>(bytes));
        EXPECT_EQ(status.MPI_SOURCE, 0);
        EXPECT_EQ(status.MPI_TAG, 5);
        MPI_Iprobe(0, 6, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        EXPECT_EQ(there, 0);  // another tag
        MPI_Iprobe(0, 5, MPI_COMM_SELF, &there, MPI_STATUS_IGNORE);
        EXPECT_EQ(there, 0);  // another communicator
        MPI_Iprobe(0, 5, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        EXPECT_EQ(there, 1);  // looking takes nothing
        one_message(rank, bytes);
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        EXPECT_EQ(there, 0);
      });
    }
  }
}

TEST(Matching, ACancelledReceiveTakesNothing) {
  for (const launch::JobRequest& layout : layouts(2)) {
    run_mpi(layout, [](int rank) {
      if (rank == 1) {
        int wrong = -1, right = -1, cancelled = 0;
        MPI_Request request;
        MPI_Status status;
        MPI_Irecv(&wrong, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        EXPECT_EQ(cancelled, 1);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Recv(&right, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_EQ(right, 42);
        EXPECT_EQ(wrong, -1);
      } else {
        const int value = 42;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
      }
    });
  }
}

TEST(Matching, AMatchedReceiveIsNotCancelled) {
  for (const launch::JobRequest& layout : layouts(2)) {
    for (std::size_t bytes : {std::size_t{4}, std::size_t{30000}, std::size_t{600000}}) {
      run_mpi(layout, [&](int rank) {
        Buffer buffer(bytes);
        if (rank == 0) {
          buffer.fill(1);
          MPI_Send(buffer.data(), static_cast<int>(bytes), MPI_BYTE, 1, 0, MPI_COMM_WORLD);
          return;
        }
        MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Request request;
        MPI_Status status;
        int cancelled = 1;
        MPI_Irecv(buffer.data(), static_cast<int>(bytes), MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        EXPECT_EQ(cancelled, 0);
        EXPECT_TRUE(buffer.holds(1));
      });
    }
  }
}

TEST(Matching, PersistentRequestsStartAgainAndAgain) {
  for (const launch::JobRequest& layout : layouts(2)) {
    for (std::size_t bytes : {std::size_t{8}, std::size_t{5000}, std::size_t{70000}}) {
      run_mpi(layout, [&](int rank) {
        Buffer out(bytes), in(bytes);
        MPI_Request requests[2];
        const int peer = 1 - rank, count = static_cast<int>(bytes);
        MPI_Send_init(out.data(), count, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Recv_init(in.data(), count, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[1]);
        for (std::uint64_t round = 0; round < 10; ++round) {
          out.fill(2 * round + static_cast<std::uint64_t>(rank));
          MPI_Startall(2, requests);
          MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
          EXPECT_TRUE(in.holds(2 * round + static_cast<std::uint64_t>(peer))) << round;
        }
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
      });
    }
  }
}

TEST(Matching, AFreedSendStillArrives) {
  for (const launch::JobRequest& layout : layouts(2)) {
    for (std::size_t bytes : {std::size_t{8}, std::size_t{5000}, std::size_t{70000}}) {
      run_mpi(layout, [&](int rank) {
        Buffer buffer(bytes);
        if (rank == 0) {
          buffer.fill(3);
          MPI_Request request;
          MPI_Isend(buffer.data(), static_cast<int>(bytes), MPI_BYTE, 1, 0, MPI_COMM_WORLD,
                    &request);
          MPI_Request_free(&request);
          MPI_Recv(nullptr, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
          MPI_Recv(buffer.data(), static_cast<int>(bytes), MPI_BYTE, 0, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
          EXPECT_TRUE(buffer.holds(3));
          MPI_Send(nullptr, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        }
      });
    }
  }
}

TEST(Matching, MessagesToOneselfOfEverySize) {
  for (Design design : all_designs) {
    run_mpi(with_design(small_job(2), design), [](int rank) {
      for (std::size_t bytes :
           {std::size_t{0}, std::size_t{8}, std::size_t{8192}, std::size_t{600000}}) {
        Buffer out(bytes), in(bytes);
        out.fill(bytes);
        MPI_Request request;
        MPI_Irecv(in.data(), static_cast<int>(bytes), MPI_BYTE, rank, 0, MPI_COMM_WORLD, &request);
        MPI_Send(out.data(), static_cast<int>(bytes), MPI_BYTE, rank, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_TRUE(in.holds(bytes));
      }
    });
  }
}

}  // namespace
}  // namespace castor_test
