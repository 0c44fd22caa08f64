// Cancelled sends: those that wait, those that are announced, and those that have left.
#include <functional>

#include "tests/netmod/job_support.h"

namespace castor_test {
namespace {

/// Two ranks on two nodes, and on one.
std::vector<launch::JobRequest> pairs() { return {small_job(2, 1), small_job(2, 2)}; }
/// The same, and two nodes between which all but the smallest messages go by landing ring, where
/// they arrive later than a mailbox' message that is sent after them.
std::vector<launch::JobRequest> pairs_and_rings() {
  std::vector<launch::JobRequest> layouts = pairs();
  layouts.push_back(with(small_job(2, 1), "MPICH_GNI_MAX_VSHORT_MSG_SIZE", "80"));
  return layouts;
}
const std::vector<std::size_t> eager_sizes{0, 4, 700, 8000};

/// Sends `bytes` of fill(seed), which wait to be announced to rank 1; a small one, too.
MPI_Request start_announced(Buffer& buffer, std::uint64_t seed) {
  buffer.fill(seed);
  MPI_Request request;
  MPI_Issend(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, 1, 0, MPI_COMM_WORLD,
             &request);
  return request;
}

bool cancel_and_wait(MPI_Request& request) {
  MPI_Status status;
  int cancelled = -1;
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  return cancelled == 1;
}

TEST(Cancel, AnAnnouncedSendIsTakenBack) {
  for (const launch::JobRequest& layout : pairs()) {
    for (Design design : {Design::none, Design::phase_one, Design::phase_two}) {
      for (std::size_t bytes : {std::size_t{4}, std::size_t{30000}, std::size_t{1200000}}) {
        run_mpi(with_design(layout, design), [&](int rank) {
          Buffer first(bytes), second(bytes), third(bytes);
          if (rank == 0) {
            // The one in the middle, then the last: what is left arrives.
            MPI_Request requests[3] = {start_announced(first, 1), start_announced(second, 2),
                                       start_announced(third, 3)};
            EXPECT_TRUE(cancel_and_wait(requests[1]));
            EXPECT_TRUE(cancel_and_wait(requests[2]));
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Request again = start_announced(third, 4);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            MPI_Wait(&again, MPI_STATUS_IGNORE);
            return;
          }
          MPI_Barrier(MPI_COMM_WORLD);
          const auto receive = [&](Buffer& into) {
            MPI_Recv(into.data(), static_cast<int>(bytes), MPI_BYTE, 0, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
          };
          receive(first);
          EXPECT_TRUE(first.holds(1));
          receive(second);
          EXPECT_TRUE(second.holds(4));
        });
      }
    }
  }
}

TEST(Cancel, AnAnnouncedSendThatAReceiveHasMetIsNotTakenBack) {
  for (const launch::JobRequest& layout : pairs()) {
    for (std::size_t bytes : {std::size_t{4}, std::size_t{30000}, std::size_t{1200000}}) {
      run_mpi(layout, [&](int rank) {
        Buffer buffer(bytes);
        if (rank == 0) {
          MPI_Barrier(MPI_COMM_WORLD);  // the receive is there
          MPI_Request request = start_announced(buffer, 1);
          EXPECT_FALSE(cancel_and_wait(request));
          return;
        }
        MPI_Request request;
        MPI_Irecv(buffer.data(), static_cast<int>(bytes), MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_TRUE(buffer.holds(1));
      });
    }
  }
}

MPI_Request start_eager(Buffer& buffer, std::uint64_t seed) {
  buffer.fill(seed);
  MPI_Request request;
  MPI_Isend(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, 1, 0, MPI_COMM_WORLD,
            &request);
  return request;
}
void receive(Buffer& into) {
  MPI_Recv(into.data(), static_cast<int>(into.size()), MPI_BYTE, 0, 0, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
}

TEST(Cancel, AnEagerSendIsTakenBack) {
  for (const launch::JobRequest& layout : pairs_and_rings()) {
    for (Design design : {Design::none, Design::phase_two}) {
      run_mpi(with_design(layout, design), [&](int rank) {
        for (const std::size_t bytes : eager_sizes) {
          Buffer first(bytes), second(bytes), third(bytes);
          if (rank == 0) {
            // The one in the middle, then the last: what is left arrives.
            MPI_Request requests[3] = {start_eager(first, 1), start_eager(second, 2),
                                       start_eager(third, 3)};
            EXPECT_TRUE(cancel_and_wait(requests[1])) << bytes;
            EXPECT_TRUE(cancel_and_wait(requests[2])) << bytes;
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Request again = start_eager(third, 4);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            MPI_Wait(&again, MPI_STATUS_IGNORE);
          } else {
            MPI_Barrier(MPI_COMM_WORLD);
            receive(first);
            EXPECT_TRUE(first.holds(1)) << bytes;
            receive(second);
            EXPECT_TRUE(second.holds(4)) << bytes;
          }
        }
      });
    }
  }
}

TEST(Cancel, AnEagerSendThatAReceiveHasMetIsNotTakenBack) {
  for (const launch::JobRequest& layout : pairs_and_rings()) {
    run_mpi(layout, [&](int rank) {
      for (const std::size_t bytes : eager_sizes) {
        Buffer buffer(bytes);
        if (rank == 0) {
          MPI_Barrier(MPI_COMM_WORLD);  // the receive is there
          MPI_Request request = start_eager(buffer, 1);
          EXPECT_FALSE(cancel_and_wait(request)) << bytes;
        } else {
          MPI_Request request;
          MPI_Irecv(buffer.data(), static_cast<int>(bytes), MPI_BYTE, 0, 0, MPI_COMM_WORLD,
                    &request);
          MPI_Barrier(MPI_COMM_WORLD);
          MPI_Wait(&request, MPI_STATUS_IGNORE);
          EXPECT_TRUE(buffer.holds(1)) << bytes;
        }
        MPI_Barrier(MPI_COMM_WORLD);
      }
    });
  }
}

// The receive comes first, although the recall has arrived: no call has looked at it yet.
TEST(Cancel, AReceiveIsFasterThanTheRecall) {
  for (const launch::JobRequest& layout : pairs_and_rings()) {
    run_mpi(layout, [](int rank) {
      Buffer buffer(700);
      if (rank == 0) {
        MPI_Request request = start_eager(buffer, 1);
        MPI_Recv(nullptr, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_FALSE(cancel_and_wait(request));
      } else {
        MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(nullptr, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        compute_us(1000);
        receive(buffer);
        EXPECT_TRUE(buffer.holds(1));
      }
    });
  }
}

TEST(Cancel, ATakenMessageIsNotTakenBack) {
  for (const launch::JobRequest& layout : pairs()) {
    run_mpi(layout, [](int rank) {
      Buffer buffer(700);
      if (rank == 0) {
        MPI_Request request = start_eager(buffer, 1);
        MPI_Barrier(MPI_COMM_WORLD);
        EXPECT_FALSE(cancel_and_wait(request));
      } else {
        MPI_Message message;
        MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Mrecv(buffer.data(), 700, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        EXPECT_TRUE(buffer.holds(1));
      }
    });
  }
}

/// Starts a send of `buffer` to rank 1 in each way that there is, and gives the request to `use`.
void in_every_way(Buffer& buffer, const std::function<void(MPI_Request& request)>& use) {
  using Init = int(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  const auto bytes = static_cast<int>(buffer.size());
  MPI_Request request;
  for (Init* start : {MPI_Isend, MPI_Issend, MPI_Ibsend}) {
    start(buffer.data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
    use(request);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
  }
  for (Init* make : {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init}) {
    make(buffer.data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
    for (int round = 0; round < 2; ++round) {
      MPI_Start(&request);
      use(request);
    }
    MPI_Request_free(&request);
  }
  MPI_Datatype gaps;
  MPI_Type_vector(bytes / 2, 1, 2, MPI_BYTE, &gaps);
  MPI_Type_commit(&gaps);
  MPI_Isend(buffer.data(), 1, gaps, 1, 0, MPI_COMM_WORLD, &request);
  use(request);
  MPI_Type_free(&gaps);
}

TEST(Cancel, SendsOfAllKindsAreTakenBack) {
  for (const launch::JobRequest& layout : pairs()) {
    run_mpi(layout, [](int rank) {
      for (const std::size_t bytes : {std::size_t{700}, std::size_t{30000}}) {
        Buffer buffer(bytes);
        if (rank == 0) {
          std::vector<std::byte> attached(2 * (bytes + MPI_BSEND_OVERHEAD));
          MPI_Buffer_attach(attached.data(), static_cast<int>(attached.size()));
          in_every_way(buffer,
                       [&](MPI_Request& request) { EXPECT_TRUE(cancel_and_wait(request)); });
          void* detached = nullptr;
          int size = 0;
          MPI_Buffer_detach(&detached, &size);  // nothing is under way
          EXPECT_EQ(detached, attached.data());
          MPI_Barrier(MPI_COMM_WORLD);
          MPI_Request request = start_eager(buffer, 9);
          MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
          MPI_Barrier(MPI_COMM_WORLD);
          receive(buffer);
          EXPECT_TRUE(buffer.holds(9));
        }
      }
    });
  }
}

TEST(Cancel, TwiceAndFreed) {
  for (const launch::JobRequest& layout : pairs()) {
    run_mpi(layout, [](int rank) {
      Buffer buffer(700);
      if (rank == 0) {
        MPI_Request requests[2] = {start_eager(buffer, 1), start_eager(buffer, 2)};
        MPI_Cancel(&requests[0]);
        EXPECT_TRUE(cancel_and_wait(requests[0]));
        MPI_Cancel(&requests[1]);
        MPI_Request_free(&requests[1]);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Request request = start_eager(buffer, 3);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      } else {
        MPI_Barrier(MPI_COMM_WORLD);
        receive(buffer);
        EXPECT_TRUE(buffer.holds(3));
      }
    });
  }
}

TEST(Cancel, AMessageToOneself) {
  run_mpi(small_job(1), [](int) {
    const int value = 5;
    MPI_Request request;
    int there = -1;
    MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    EXPECT_TRUE(cancel_and_wait(request));
    MPI_Iprobe(0, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    EXPECT_EQ(there, 0);
  });
}

// MPI-3.1, 8.7: the wait that follows MPI_Cancel asks for no matching call of the receiver.
TEST(Cancel, AReceiverThatHasCalledFinalizeAnswers) {
  for (const launch::JobRequest& layout : pairs_and_rings()) {
    for (Design design : {Design::none, Design::phase_two}) {
      run_mpi(with_design(layout, design), [](int rank) {
        if (rank == 1) return;
        Buffer announced(700), eager(700);
        MPI_Request requests[2] = {start_announced(announced, 1), start_eager(eager, 2)};
        compute_us(3000);
        EXPECT_TRUE(cancel_and_wait(requests[0]));
        EXPECT_TRUE(cancel_and_wait(requests[1]));
      });
    }
  }
}

}  // namespace
}  // namespace castor_test
