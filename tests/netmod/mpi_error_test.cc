// Errors: classes with MPI_ERRORS_RETURN, one line and the end with MPI_ERRORS_ARE_FATAL.
#include <array>
#include <cstring>

#include "tests/netmod/mpi_run.h"

namespace netmod::testing {
namespace {

using ::testing::ExitedWithCode;

TEST(Errors, ArgumentsOfMessages) {
  run_mpi(2, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int value = 0;
    MPI_Request request;
    const MPI_Comm world = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Send(&value, -1, MPI_INT, 0, 0, world), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Send(&value, 1, 12345, 0, 0, world), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, world), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, 2, 0, world), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, world), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, 0, -1, world), MPI_ERR_TAG);
    EXPECT_EQ(MPI_Send(nullptr, 1, MPI_INT, 0, 0, world), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, 0, 0, 99), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Recv(&value, 1, MPI_INT, -3, 0, world, MPI_STATUS_IGNORE), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Recv(&value, 1, MPI_INT, 0, -2, world, MPI_STATUS_IGNORE), MPI_ERR_TAG);
    EXPECT_EQ(MPI_Isend(&value, 1, MPI_INT, 0, 0, world, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Irecv(&value, -5, MPI_INT, 0, 0, world, &request), MPI_ERR_COUNT);
  });
}

TEST(Errors, ArgumentsOfCollectives) {
  run_mpi(2, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    double value = 0, result = 0;
    const MPI_Comm world = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Bcast(&value, 1, MPI_DOUBLE, 2, world), MPI_ERR_ROOT);
    EXPECT_EQ(MPI_Bcast(&value, 1, MPI_DOUBLE, -1, world), MPI_ERR_ROOT);
    EXPECT_EQ(MPI_Bcast(MPI_IN_PLACE, 1, MPI_DOUBLE, 0, world), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_BAND, world), MPI_ERR_OP);
    EXPECT_EQ(MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_OP_NULL, world), MPI_ERR_OP);
    EXPECT_EQ(MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_REPLACE, world), MPI_ERR_OP);
    EXPECT_EQ(MPI_Allreduce(&value, MPI_IN_PLACE, 1, MPI_DOUBLE, MPI_SUM, world), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
    MPI_Op op = MPI_SUM;
    EXPECT_EQ(MPI_Op_free(&op), MPI_ERR_OP);
    MPI_Comm comm = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Comm_free(&comm), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Comm_split(MPI_COMM_WORLD, -5, 0, &comm), MPI_ERR_ARG);
  });
}

// MPICH 4.0's answer, too. Nothing is received, and nothing of the requests is over.
TEST(Errors, NullStatuses) {
  run_mpi(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const MPI_Comm world = MPI_COMM_WORLD;
    const int out = 5;
    int in = 0, flag = 0, index = 0, indices[2];
    MPI_Message message;
    MPI_Request requests[2];
    MPI_Isend(&out, 1, MPI_INT, 0, 1, world, &requests[0]);
    EXPECT_EQ(MPI_Probe(0, 1, world, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Iprobe(0, 1, world, &flag, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Mprobe(0, 1, world, &message, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Improbe(0, 1, world, &flag, &message, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Recv(&in, 1, MPI_INT, 0, 1, world, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 1, world, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Sendrecv(&out, 1, MPI_INT, 0, 2, &in, 1, MPI_INT, 0, 1, world, nullptr),
              MPI_ERR_ARG);
    EXPECT_EQ(MPI_Sendrecv_replace(&in, 1, MPI_INT, 0, 2, 0, 1, world, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(in, 0);
    EXPECT_EQ(MPI_Mprobe(0, 1, world, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(MPI_Mrecv(&in, 1, MPI_INT, &message, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Imrecv(&in, 1, MPI_INT, &message, &requests[1]), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&requests[1], nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Waitall(2, requests, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Waitany(2, requests, &index, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Waitsome(2, requests, &index, indices, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Test(&requests[1], &flag, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Testall(2, requests, &flag, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Testany(2, requests, &index, &flag, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Testsome(2, requests, &index, indices, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Request_get_status(requests[1], &flag, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(in, 5);
    MPI_Request none = MPI_REQUEST_NULL;
    EXPECT_EQ(MPI_Wait(&none, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Waitall(0, nullptr, nullptr), MPI_SUCCESS);
  });
  EXPECT_EQ(fatal_line([] {
              int in = 0;
              MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, nullptr);
            }),
            "rank 0: MPI_Recv: status is a null pointer (MPI_ERR_ARG)");
}

TEST(Errors, StaleAndForeignRequests) {
  run_mpi(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int value = 0, flag = 0;
    MPI_Request request, stale, foreign = 42;
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    stale = request;
    EXPECT_EQ(MPI_Start(&request), MPI_ERR_REQUEST);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(MPI_Wait(&stale, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    EXPECT_EQ(MPI_Test(&foreign, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    EXPECT_EQ(MPI_Waitall(1, &foreign, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
    EXPECT_EQ(MPI_Cancel(&request), MPI_ERR_REQUEST);
    EXPECT_EQ(MPI_Request_free(&request), MPI_ERR_REQUEST);
    MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    EXPECT_EQ(MPI_Start(&request), MPI_ERR_REQUEST);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  });
}

TEST(Errors, TruncationGivesWhatFits) {
  run_mpi(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int out[4] = {1, 2, 3, 4};
    std::array<int, 3> in{-1, -1, -1};
    MPI_Request request[2];
    MPI_Isend(out, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Status status{};
    EXPECT_EQ(MPI_Recv(in.data(), 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &status), MPI_ERR_TRUNCATE);
    EXPECT_EQ(in, (std::array<int, 3>{1, 2, -1}));
    int count = 0;
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQ(count, 2);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Irecv(in.data(), 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&in[1], 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Send(out, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Send(out, 2, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Status statuses[2];
    EXPECT_EQ(MPI_Waitall(2, request, statuses), MPI_ERR_IN_STATUS);
    EXPECT_EQ(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE);
    EXPECT_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
    EXPECT_EQ(request[0], MPI_REQUEST_NULL);
  });
}

TEST(Errors, NameHandlesInHexadecimal) {
  int value = 0;
  EXPECT_EQ(fatal_line([&] {
              double in = 0, out = 0;
              MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD);
            }),
            "rank 0: MPI_Allreduce: the predefined operation 0x58000006 is not defined on "
            "MPI_DOUBLE (MPI_ERR_OP)");
  // Those that calls make have the highest bit.
  EXPECT_EQ(fatal_line([&] {
              MPI_Group group, stale;
              MPI_Comm_group(MPI_COMM_WORLD, &group);
              stale = group;
              MPI_Group_free(&group);
              MPI_Group_size(stale, &value);
            }),
            "rank 0: MPI_Group_size: group is 0x88000001, which is not a group (MPI_ERR_GROUP)");
  EXPECT_EQ(fatal_line([&] {
              MPI_Op op;
              MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op);
              const MPI_Op stale = op;
              MPI_Op_free(&op);
              int result = 0;
              MPI_Allreduce(&value, &result, 1, MPI_INT, stale, MPI_COMM_WORLD);
            }),
            "rank 0: MPI_Allreduce: op is 0x98000010, which is not an operation (MPI_ERR_OP)");
  EXPECT_EQ(fatal_line([&] { MPI_Type_size(MPI_DATATYPE_NULL, &value); }),
            "rank 0: MPI_Type_size: datatype is MPI_DATATYPE_NULL (MPI_ERR_TYPE)");
}

TEST(Errors, FatalOnesEndTheJobWithOneLine) {
  int value = 0;
  EXPECT_EQ(fatal_line([&] { MPI_Send(&value, 1, MPI_INT, 5, 0, MPI_COMM_WORLD); }),
            "rank 0: MPI_Send: dest is 5 (allowed: 0 to 0, MPI_PROC_NULL) (MPI_ERR_RANK)");
  EXPECT_EQ(fatal_line([&] { MPI_Bcast(&value, -2, MPI_INT, 0, MPI_COMM_WORLD); }),
            "rank 0: MPI_Bcast: count is -2 (allowed: 0 and above) (MPI_ERR_COUNT)");
  EXPECT_EQ(fatal_line([&] {
              MPI_Request request;
              MPI_Isend(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
              MPI_Recv(nullptr, 0, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }),
            "rank 0: MPI_Recv: the message from rank 0 with tag 3 is longer than the receive "
            "buffer of 0 bytes (MPI_ERR_TRUNCATE)");
}

void remember(MPI_Comm* comm, int* code, ...) {
  int* place = nullptr;
  int flag = 0, size = 0;
  MPI_Comm_size(*comm, &size);  // MPI may be called
  MPI_Comm_get_attr(*comm, MPI_TAG_UB, &place, &flag);
  char text[MPI_MAX_ERROR_STRING];
  MPI_Error_string(*code, text, &flag);
  if (size == 1 && std::strncmp(text, "MPI_ERR_TAG", 11) == 0) MPI_Comm_set_name(*comm, "heard");
}

TEST(Errors, ProgramsHandlersAreCalled) {
  for (const int level : {MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE}) {
    run_mpi(
        1,
        [](int) {
          MPI_Errhandler handler, same;
          MPI_Comm_create_errhandler(remember, &handler);
          MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
          MPI_Comm_get_errhandler(MPI_COMM_WORLD, &same);
          EXPECT_EQ(same, handler);
          MPI_Errhandler_free(&same);
          MPI_Errhandler_free(&handler);
          EXPECT_EQ(handler, MPI_ERRHANDLER_NULL);
          MPI_Comm comm;
          MPI_Comm_dup(MPI_COMM_WORLD, &comm);  // inherits it
          int value = 0, length = 0;
          EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, 0, -7, comm), MPI_ERR_TAG);
          char name[MPI_MAX_OBJECT_NAME];
          MPI_Comm_get_name(comm, name, &length);
          EXPECT_STREQ(name, "heard");
          EXPECT_EQ(MPI_Comm_call_errhandler(comm, MPI_ERR_TAG), MPI_SUCCESS);
          MPI_Comm_free(&comm);
          MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        },
        level);
  }
}

TEST(Errors, CallsOutsideInitAndFinalizeAreReported) {
  FakeWorld before(1);
  before.run([](int) { MPI_Barrier(MPI_COMM_WORLD); });
  EXPECT_EQ(before.abort_lines(),
            std::vector<std::string>{"rank 0: MPI_Barrier was called before MPI_Init"});
  FakeWorld after(1);
  after.run([](int) {
    int flag = -1;
    MPI_Initialized(&flag);
    EXPECT_EQ(flag, 0);
    MPI_Init(nullptr, nullptr);
    MPI_Finalized(&flag);
    EXPECT_EQ(flag, 0);
    MPI_Finalize();
    MPI_Initialized(&flag);
    EXPECT_EQ(flag, 1);
    MPI_Finalized(&flag);
    EXPECT_EQ(flag, 1);
    MPI_Barrier(MPI_COMM_WORLD);
  });
  EXPECT_EQ(after.abort_lines(),
            std::vector<std::string>{"rank 0: MPI_Barrier was called after MPI_Finalize"});
  EXPECT_EXIT(MPI_Barrier(MPI_COMM_WORLD), ExitedWithCode(MPI_ERR_OTHER),
              "MPI_Barrier was called before");
}

TEST(Errors, InitTwiceIsRefused) {
  EXPECT_EQ(fatal_line([] { MPI_Init(nullptr, nullptr); }),
            "rank 0: MPI_Init: MPI is initialised already (MPI_ERR_OTHER)");
}

TEST(Errors, AbortEndsTheJobWithItsCode) {
  FakeWorld world(2);
  world.run([](int rank) {
    MPI_Init(nullptr, nullptr);
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 77);
    MPI_Barrier(MPI_COMM_WORLD);
  });
  EXPECT_EQ(world.abort_code(), 77);
  EXPECT_EQ(world.abort_lines(),
            std::vector<std::string>{"rank 1: called MPI_Abort with error code 77"});
}

TEST(Errors, CodesAndTexts) {
  int error_class = -1, length = 0;
  char text[MPI_MAX_ERROR_STRING];
  EXPECT_EQ(MPI_Error_class(MPI_ERR_TRUNCATE, &error_class), MPI_SUCCESS);
  EXPECT_EQ(error_class, MPI_ERR_TRUNCATE);
  EXPECT_EQ(MPI_Error_class(123456, &error_class), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Error_string(MPI_ERR_COUNT, text, &length), MPI_SUCCESS);
  EXPECT_STREQ(text, "MPI_ERR_COUNT: invalid count");
  EXPECT_EQ(length, static_cast<int>(std::strlen(text)));
}

}  // namespace
}  // namespace netmod::testing
