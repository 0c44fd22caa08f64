// Matched probes, buffered sends as requests, requests that the program completes.
#include <cstring>
#include <numeric>

#include "corespec/threads/node.h"
#include "tests/netmod/mpi_run.h"

namespace netmod::testing {
namespace {

TEST(NullRequests, HaveAnEmptyStatus) {
  run_mpi(1, [](int) {
    const auto expect_empty = [](const MPI_Status& status, int flag) {
      EXPECT_NE(flag, 0);
      EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
      EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
      EXPECT_EQ(status.MPI_ERROR, MPI_SUCCESS);
      int count = -1;
      EXPECT_EQ(MPI_Get_count(&status, MPI_BYTE, &count), MPI_SUCCESS);
      EXPECT_EQ(count, 0);
    };
    MPI_Request request = MPI_REQUEST_NULL;
    int flag = 0;
    MPI_Status status{7, 7, 7, 7, 7};
    ASSERT_EQ(MPI_Request_get_status(request, &flag, &status), MPI_SUCCESS);
    expect_empty(status, flag);
    flag = 0;
    status = {7, 7, 7, 7, 7};
    ASSERT_EQ(MPI_Test(&request, &flag, &status), MPI_SUCCESS);
    expect_empty(status, flag);
    status = {7, 7, 7, 7, 7};
    ASSERT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    expect_empty(status, 1);
  });
}

TEST(MatchedProbe, TakesTheMessageFromEverybodyElse) {
  run_mpi(2, [](int rank) {
    if (rank == 0) {
      const int first[] = {1, 2}, second = 3;
      MPI_Send(first, 2, MPI_INT, 1, 7, MPI_COMM_WORLD);
      MPI_Send(&second, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
      return;
    }
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    EXPECT_NE(message, MPI_MESSAGE_NULL);
    EXPECT_EQ(status.MPI_SOURCE, 0);
    EXPECT_EQ(status.MPI_TAG, 7);
    int count = 0, later = 0, data[2] = {};
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQ(count, 2);
    EXPECT_EQ(MPI_Message_f2c(MPI_Message_c2f(message)), message);
    MPI_Fint in_fortran[5] = {};
    MPI_Status back;
    MPI_Status_c2f(&status, in_fortran);
    EXPECT_EQ(in_fortran[2], 0);  // Fortran's index MPI_SOURCE is 3
    EXPECT_EQ(in_fortran[3], 7);
    MPI_Status_f2c(in_fortran, &back);
    EXPECT_EQ(std::memcmp(&back, &status, sizeof back), 0);
    MPI_Recv(&later, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(later, 3);
    MPI_Mrecv(data, 2, MPI_INT, &message, &status);
    EXPECT_EQ(message, MPI_MESSAGE_NULL);
    EXPECT_EQ(data[1], 2);
    EXPECT_EQ(status.MPI_TAG, 7);
  });
}

TEST(MatchedProbe, LargeMessagesWithGapsArriveByRequest) {
  run_mpi(2, [](int rank) {
    constexpr int count = 4000;
    if (rank == 0) {
      std::vector<int> data(count);
      std::iota(data.begin(), data.end(), 0);
      MPI_Ssend(data.data(), count, MPI_INT, 1, 1, MPI_COMM_WORLD);
      return;
    }
    MPI_Datatype column;
    MPI_Type_vector(count, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Message message = MPI_MESSAGE_NULL;
    int flag = 0;
    while (flag == 0) {
      MPI_Improbe(0, 1, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
      EXPECT_EQ(message == MPI_MESSAGE_NULL, flag == 0);
    }
    std::vector<int> data(2 * count, -1);
    MPI_Request request;
    MPI_Imrecv(data.data(), 1, column, &message, &request);
    MPI_Type_free(&column);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(data[static_cast<std::size_t>(2 * i)], i);
      ASSERT_EQ(data[static_cast<std::size_t>(2 * i + 1)], -1);
    }
  });
}

TEST(MatchedProbe, ProcNullAndMistakes) {
  run_mpi(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    int flag = 0, data = 5;
    MPI_Improbe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &message, &status);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(message, MPI_MESSAGE_NO_PROC);
    EXPECT_EQ(MPI_Mrecv(&data, 1, MPI_INT, &message, &status), MPI_SUCCESS);
    EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    EXPECT_EQ(data, 5);
    EXPECT_EQ(message, MPI_MESSAGE_NULL);
    EXPECT_EQ(MPI_Mrecv(&data, 1, MPI_INT, &message, &status), MPI_ERR_REQUEST);
    EXPECT_EQ(MPI_Mprobe(4, 0, MPI_COMM_WORLD, &message, &status), MPI_ERR_RANK);
    const int two[] = {1, 2};
    MPI_Request request;
    MPI_Isend(two, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, &status);
    EXPECT_EQ(MPI_Mrecv(&data, 1, MPI_INT, &message, &status), MPI_ERR_TRUNCATE);
    EXPECT_EQ(data, 1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
}

TEST(BufferedSends, AsRequests) {
  run_mpi(2, [](int rank) {
    if (rank == 1) {
      for (int i = 0; i < 3; ++i) {
        int data = -1;
        MPI_Recv(&data, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_EQ(data, 10 + i);
      }
      return;
    }
    std::vector<char> room(3 * (4 + MPI_BSEND_OVERHEAD));
    MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
    int data = 10;
    MPI_Request request, repeated;
    MPI_Ibsend(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    data = 11;
    int flag = 0;
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    MPI_Bsend_init(&data, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &repeated);
    MPI_Start(&repeated);
    data = 12;
    MPI_Wait(&repeated, MPI_STATUS_IGNORE);
    MPI_Request_free(&repeated);
    MPI_Bsend_init(&data, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &repeated);
    MPI_Start(&repeated);
    data = 13;
    MPI_Wait(&repeated, MPI_STATUS_IGNORE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::vector<char> large(room.size());
    EXPECT_EQ(MPI_Ibsend(large.data(), static_cast<int>(large.size()), MPI_CHAR, 1, 9,
                         MPI_COMM_WORLD, &request),
              MPI_ERR_BUFFER);
    MPI_Request_free(&repeated);
    void* memory = nullptr;
    int size = 0;
    MPI_Buffer_detach(&memory, &size);
    EXPECT_EQ(memory, room.data());
  });
}

/// What a generalized request's functions saw.
struct Seen {
  int queried = 0, freed = 0, cancelled = -1;
  int code = MPI_SUCCESS;
};
int query(void* state, MPI_Status* status) {
  auto& seen = *static_cast<Seen*>(state);
  ++seen.queried;
  MPI_Status_set_elements(status, MPI_INT, 3);
  MPI_Status_set_cancelled(status, seen.cancelled == 0 ? 1 : 0);
  status->MPI_SOURCE = 5;
  status->MPI_TAG = 6;
  return seen.code;
}
int end(void* state) {
  ++static_cast<Seen*>(state)->freed;
  return MPI_SUCCESS;
}
int cancel(void* state, int complete) {
  static_cast<Seen*>(state)->cancelled = complete;
  return MPI_SUCCESS;
}

TEST(GeneralizedRequests, TellWhatTheProgramSays) {
  run_mpi(1, [](int) {
    Seen seen;
    MPI_Request request;
    MPI_Status status;
    int flag = -1, count = 0;
    MPI_Grequest_start(query, end, cancel, &seen, &request);
    MPI_Test(&request, &flag, &status);
    EXPECT_EQ(flag, 0);
    MPI_Cancel(&request);
    EXPECT_EQ(seen.cancelled, 0);
    MPI_Grequest_complete(request);
    MPI_Request_get_status(request, &flag, &status);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(seen.freed, 0);
    MPI_Wait(&request, &status);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_EQ(seen.freed, 1);
    EXPECT_EQ(status.MPI_SOURCE, 5);
    EXPECT_EQ(status.MPI_TAG, 6);
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQ(count, 3);
    MPI_Test_cancelled(&status, &flag);
    EXPECT_EQ(flag, 1);
  });
}

TEST(GeneralizedRequests, FreedBeforeOrAfterTheyAreComplete) {
  run_mpi(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    Seen early, late, failing;
    MPI_Request request, handle;
    MPI_Grequest_start(query, end, cancel, &early, &request);
    handle = request;
    MPI_Request_free(&request);
    EXPECT_EQ(early.freed, 0);
    EXPECT_EQ(MPI_Grequest_complete(handle), MPI_SUCCESS);
    EXPECT_EQ(early.freed, 1);
    EXPECT_EQ(MPI_Grequest_complete(handle), MPI_ERR_REQUEST);
    MPI_Grequest_start(query, end, cancel, &late, &request);
    MPI_Grequest_complete(request);
    EXPECT_EQ(MPI_Grequest_complete(request), MPI_ERR_REQUEST);
    MPI_Request_free(&request);
    EXPECT_EQ(late.freed, 1);
    EXPECT_EQ(late.queried, 0);
    failing.code = MPI_ERR_OTHER;
    MPI_Request both[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    MPI_Grequest_start(query, end, cancel, &failing, &both[1]);
    MPI_Grequest_complete(both[1]);
    EXPECT_EQ(MPI_Waitall(2, both, statuses), MPI_ERR_IN_STATUS);
    EXPECT_EQ(statuses[1].MPI_ERROR, MPI_ERR_OTHER);
    EXPECT_EQ(failing.freed, 1);
    MPI_Grequest_start(query, end, cancel, &failing, &request);
    MPI_Grequest_complete(request);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_OTHER);
  });
}

TEST(GeneralizedRequests, AnotherThreadCompletesThem) {
  FakeWorld world(1);
  world.run([&](int) {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
    Seen seen;
    MPI_Request request;
    MPI_Grequest_start(query, end, cancel, &seen, &request);
    world.node().start_thread(corespec::ThreadRole::application, &world.process(0), [request] {
      corespec::this_thread().charge(corespec::Time::nanoseconds(5000));
      MPI_Grequest_complete(request);
    });
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(seen.freed, 1);
    EXPECT_GE(MPI_Wtime(), 5e-6);
    MPI_Finalize();
  });
  EXPECT_EQ(world.abort_lines(), std::vector<std::string>{});
}

}  // namespace
}  // namespace netmod::testing
