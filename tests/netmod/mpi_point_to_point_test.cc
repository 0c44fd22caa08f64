// Messages and requests: contents, statuses, wildcards, completion in all forms.
#include <array>

#include "tests/netmod/mpi_run.h"

namespace netmod::testing {
namespace {

const std::vector<int> sizes{0, 1, 7, 999, 1000, 1001, 65536};

TEST(PointToPoint, PingPongBringsTheBytes) {
  run_mpi(2, [](int rank) {
    for (const int bytes : sizes) {
      const auto sent =
          random_bytes(static_cast<std::size_t>(bytes), 42u + static_cast<unsigned>(bytes));
      std::vector<std::uint8_t> got(static_cast<std::size_t>(bytes) + 1, 0xee);
      MPI_Status status{};
      if (rank == 0) {
        MPI_Send(sent.data(), bytes, MPI_BYTE, 1, bytes, MPI_COMM_WORLD);
        MPI_Recv(got.data(), bytes, MPI_BYTE, 1, 5, MPI_COMM_WORLD, &status);
        EXPECT_EQ(status.MPI_SOURCE, 1);
        EXPECT_EQ(status.MPI_TAG, 5);
      } else {
        MPI_Recv(got.data(), bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        EXPECT_EQ(status.MPI_SOURCE, 0);
        EXPECT_EQ(status.MPI_TAG, bytes);
        MPI_Ssend(got.data(), bytes, MPI_BYTE, 0, 5, MPI_COMM_WORLD);
      }
      int count = -1;
      MPI_Get_count(&status, MPI_BYTE, &count);
      EXPECT_EQ(count, bytes);
      EXPECT_TRUE(std::equal(sent.begin(), sent.end(), got.begin()));
      EXPECT_EQ(got.back(), 0xee);
    }
  });
}

TEST(PointToPoint, SelfMessages) {
  run_mpi(1, [](int) {
    int out = 17, in = 0;
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &request);
    MPI_Send(&out, 1, MPI_INT, 0, 3, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(in, 17);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    out = 18;
    MPI_Status status;
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
    EXPECT_EQ(in, 18);
    MPI_Sendrecv_replace(&in, 1, MPI_INT, 0, 2, 0, 2, MPI_COMM_WORLD, &status);
    EXPECT_EQ(in, 18);
    EXPECT_EQ(status.MPI_TAG, 2);
  });
}

TEST(PointToPoint, ProcNullIsAPartnerToo) {
  run_mpi(1, [](int) {
    int value = 5;
    MPI_Status status{};
    MPI_Request requests[2];
    EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &status);
    EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
    MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Status statuses[2];
    MPI_Waitall(2, requests, statuses);
    EXPECT_EQ(statuses[1].MPI_SOURCE, MPI_PROC_NULL);
    int count = -1, flag = 0;
    MPI_Get_count(&statuses[1], MPI_INT, &count);
    EXPECT_EQ(count, 0);
    EXPECT_EQ(value, 5);
    MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &status);
    EXPECT_EQ(flag, 1);
  });
}

TEST(PointToPoint, ContextsKeepCommunicatorsApart) {
  run_mpi(2, [](int rank) {
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    int first = 1, second = 2;
    if (rank == 0) {
      MPI_Send(&first, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
      MPI_Send(&second, 1, MPI_INT, 1, 0, other);
    } else {
      int got = 0;
      MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, other, MPI_STATUS_IGNORE);
      EXPECT_EQ(got, 2);
      MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(got, 1);
    }
    MPI_Comm_free(&other);
    EXPECT_EQ(other, MPI_COMM_NULL);
  });
}

TEST(PointToPoint, ProbeTellsTheSize) {
  run_mpi(2, [](int rank) {
    std::array<int, 10> data{};
    if (rank == 0) {
      MPI_Send(data.data(), 10, MPI_INT, 1, 9, MPI_COMM_WORLD);
      return;
    }
    MPI_Status status{};
    int count = 0, flag = 1;
    MPI_Iprobe(0, 8, MPI_COMM_WORLD, &flag, &status);
    EXPECT_EQ(flag, 0);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    EXPECT_EQ(status.MPI_SOURCE, 0);
    EXPECT_EQ(status.MPI_TAG, 9);
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQ(count, 10);
    MPI_Get_count(&status, MPI_2INT, &count);
    EXPECT_EQ(count, 5);
    MPI_Get_elements(&status, MPI_2INT, &count);
    EXPECT_EQ(count, 10);
    MPI_Get_count(&status, MPI_LONG_DOUBLE, &count);
    EXPECT_EQ(count, MPI_UNDEFINED);
    MPI_Recv(data.data(), 10, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
}

TEST(PointToPoint, WaitanyAndWaitsomePassNullAndInactiveOver) {
  run_mpi(2, [](int rank) {
    int values[4] = {0, 0, 0, 0};
    if (rank == 0) {
      for (int tag = 0; tag < 3; ++tag) MPI_Send(&tag, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
      return;
    }
    MPI_Request requests[5] = {MPI_REQUEST_NULL, 0, 0, 0, 0};
    MPI_Recv_init(&values[3], 1, MPI_INT, 0, 77, MPI_COMM_WORLD, &requests[1]);
    const MPI_Request inactive = requests[1];
    for (int i = 0; i < 3; ++i) {
      MPI_Irecv(&values[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[2 + i]);
    }
    int index = -1, count = 0, indices[5];
    MPI_Status status{}, statuses[5];
    MPI_Waitany(5, requests, &index, &status);
    ASSERT_GE(index, 2);
    EXPECT_EQ(requests[index], MPI_REQUEST_NULL);
    EXPECT_EQ(status.MPI_TAG, index - 2);
    int seen = 1;
    while (seen < 3) {
      MPI_Waitsome(5, requests, &count, indices, statuses);
      ASSERT_GT(count, 0);
      for (int i = 0; i < count; ++i) EXPECT_EQ(statuses[i].MPI_TAG, indices[i] - 2);
      seen += count;
    }
    EXPECT_EQ(values[2], 2);
    EXPECT_EQ(requests[1], inactive);
    MPI_Waitany(5, requests, &index, &status);
    EXPECT_EQ(index, MPI_UNDEFINED);
    EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
    MPI_Waitsome(5, requests, &count, indices, statuses);
    EXPECT_EQ(count, MPI_UNDEFINED);
    int flag = 0;
    MPI_Testany(5, requests, &index, &flag, &status);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(index, MPI_UNDEFINED);
    MPI_Testall(5, requests, &flag, statuses);
    EXPECT_EQ(flag, 1);
    MPI_Request_free(&requests[1]);
    EXPECT_EQ(requests[1], MPI_REQUEST_NULL);
  });
}

TEST(PointToPoint, TestsReturnAtOnceAndLeaveWhatIsUnderWay) {
  run_mpi(2, [](int rank) {
    int value = rank, flag = 1, index = 0, count = 0, indices[1];
    MPI_Request request;
    if (rank == 1) {
      MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
      const MPI_Request before = request;
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      EXPECT_EQ(flag, 0);
      MPI_Testall(1, &request, &flag, MPI_STATUSES_IGNORE);
      EXPECT_EQ(flag, 0);
      MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE);
      EXPECT_EQ(flag, 0);
      EXPECT_EQ(index, MPI_UNDEFINED);
      MPI_Testsome(1, &request, &count, indices, MPI_STATUSES_IGNORE);
      EXPECT_EQ(count, 0);
      EXPECT_EQ(request, before);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
      return;
    }
    MPI_Status status{};
    do MPI_Request_get_status(request, &flag, &status);
    while (flag == 0);
    EXPECT_NE(request, MPI_REQUEST_NULL);
    EXPECT_EQ(status.MPI_SOURCE, 0);
    MPI_Test(&request, &flag, &status);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_EQ(value, 0);
  });
}

TEST(PointToPoint, PersistentRequestsStartAgain) {
  run_mpi(2, [](int rank) {
    int value = 0;
    MPI_Request request;
    if (rank == 0) {
      MPI_Ssend_init(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &request);
    } else {
      MPI_Recv_init(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &request);
    }
    const MPI_Request handle = request;
    MPI_Wait(&request, MPI_STATUS_IGNORE);  // inactive: returns
    for (int round = 1; round <= 5; ++round) {
      if (rank == 0) value = round * round;
      MPI_Startall(1, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT_EQ(request, handle);
      EXPECT_EQ(value, round * round);
    }
    MPI_Request_free(&request);
  });
}

TEST(PointToPoint, CancelTakesAReceiveBack) {
  run_mpi(1, [](int) {
    int value = 3, flag = 0;
    MPI_Request request;
    MPI_Status status{};
    MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
  });
}

TEST(PointToPoint, DatatypesWithGapsArriveInPlace) {
  run_mpi(2, [](int rank) {
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 5, MPI_INT, &column);
    MPI_Type_commit(&column);
    std::array<int, 20> matrix;
    for (int i = 0; i < 20; ++i) matrix[static_cast<std::size_t>(i)] = rank == 0 ? i : -1;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) {
      MPI_Isend(&matrix[2], 1, column, 1, 0, MPI_COMM_WORLD, &request);
      MPI_Type_free(&column);  // the message goes on
    } else {
      MPI_Irecv(&matrix[3], 1, column, 0, 0, MPI_COMM_WORLD, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) {
      for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(matrix[static_cast<std::size_t>(i)], i % 5 == 3 ? i - 1 : -1);
      }
      MPI_Type_free(&column);
    }
    EXPECT_EQ(column, MPI_DATATYPE_NULL);
  });
}

TEST(PointToPoint, FreedRequestsComplete) {
  run_mpi(2, [](int rank) {
    MPI_Datatype gaps;
    MPI_Type_vector(600, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    std::vector<int> data(1200, rank == 0 ? 5 : -1);
    MPI_Request request;
    if (rank == 0) {
      MPI_Isend(data.data(), 1, gaps, 1, 0, MPI_COMM_WORLD, &request);
    } else {
      MPI_Irecv(data.data(), 1, gaps, 0, 0, MPI_COMM_WORLD, &request);
    }
    MPI_Request_free(&request);
    int dummy = 0;
    if (rank == 0) MPI_Send(&dummy, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) {
      MPI_Recv(&dummy, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(data[0], 5);
      EXPECT_EQ(data[1], -1);
      EXPECT_EQ(data[1198], 5);
    }
    MPI_Type_free(&gaps);
  });
}

TEST(PointToPoint, BufferedSendsReturnBeforeTheReceive) {
  run_mpi(1, [](int) {
    std::array<char, 2 * (2000 + MPI_BSEND_OVERHEAD)> memory;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::vector<char> message(2000, 'a');
    EXPECT_EQ(MPI_Bsend(message.data(), 2000, MPI_CHAR, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size()));
    for (int i = 0; i < 2; ++i) {
      message[0] = static_cast<char>('0' + i);
      EXPECT_EQ(MPI_Bsend(message.data(), 2000, MPI_CHAR, 0, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    }
    EXPECT_EQ(MPI_Bsend(message.data(), 2000, MPI_CHAR, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    for (int i = 0; i < 2; ++i) {
      MPI_Recv(message.data(), 2000, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(message[0], '0' + i);
      EXPECT_EQ(message[1999], 'a');
    }
    void* detached = nullptr;
    int size = 0;
    MPI_Buffer_detach(&detached, &size);
    EXPECT_EQ(detached, memory.data());
    EXPECT_EQ(size, static_cast<int>(memory.size()));
  });
}

TEST(PointToPoint, WithThreadLevelMultipleTheLockIsGivenWhileWaiting) {
  run_mpi(
      3,
      [](int rank) {
        int value = rank, sum = 0;
        for (int i = 0; i < 10; ++i) {
          MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
          EXPECT_EQ(sum, 3);
        }
        int level = 0, main = 0;
        MPI_Query_thread(&level);
        MPI_Is_thread_main(&main);
        EXPECT_EQ(level, MPI_THREAD_MULTIPLE);
        EXPECT_EQ(main, 1);
      },
      MPI_THREAD_MULTIPLE);
}

}  // namespace
}  // namespace netmod::testing
