// Collectives whose ranks gave different arguments end at all of them, and communicators of which
// there are too many are made at none.
#include <algorithm>
#include <vector>

#include "netmod/mpi/communicators/make_communicator.h"
#include "tests/netmod/mpi_run.h"

namespace netmod::testing {
namespace {

const MPI_Comm world = MPI_COMM_WORLD;

/// What follows is not mixed up with what is left of `body`.
void run_and_go_on(int size, const std::function<void(int)>& body) {
  run_returning(size, [&](int rank) {
    body(rank);
    int sum = 1;
    EXPECT_EQ(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(sum, size);
  });
}

/// Runs a blocking collective and its non-blocking form, and returns the error of both.
struct Calls {
  std::function<int()> blocking;
  std::function<int(MPI_Request*)> starting;
};
void expect_all(const Calls& calls, int expected) {
  EXPECT_EQ(calls.blocking(), expected);
  MPI_Request request = MPI_REQUEST_NULL;
  int code = calls.starting(&request);
  if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(code, expected);
}

class Mismatch : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Sizes, Mismatch, ::testing::Values(2, 4, 5, 8));

TEST_P(Mismatch, OfBroadcastsIsHeardOfEverywhereButAtTheRoot) {
  for (const bool longer : {false, true}) {
    run_and_go_on(GetParam(), [longer](int rank) {
      std::vector<int> data(10, rank);
      const int count = (rank == 0) == longer ? 10 : 1;
      expect_all({[&] { return MPI_Bcast(data.data(), count, MPI_INT, 0, world); },
                  [&](MPI_Request* request) {
                    return MPI_Ibcast(data.data(), count, MPI_INT, 0, world, request);
                  }},
                 rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
    });
  }
}

// One rank in the middle: all ranks of an Allreduce need it.
TEST_P(Mismatch, OfAllreducesIsHeardOfEverywhere) {
  const int odd_one = GetParam() - 1;
  run_and_go_on(GetParam(), [odd_one](int rank) {
    std::vector<int> data(10, rank), sums(10);
    const int count = rank == odd_one ? 3 : 10;
    expect_all(
        {[&] { return MPI_Allreduce(data.data(), sums.data(), count, MPI_INT, MPI_SUM, world); },
         [&](MPI_Request* request) {
           return MPI_Iallreduce(data.data(), sums.data(), count, MPI_INT, MPI_SUM, world, request);
         }},
        MPI_ERR_TRUNCATE);
  });
}

// What one rank itself gives does not fit together: the others do not wait for it.
TEST_P(Mismatch, WithinTheArgumentsOfOneRank) {
  run_and_go_on(GetParam(), [](int rank) {
    const auto size = static_cast<std::size_t>(GetParam());
    std::vector<int> data(10 * size, rank), all(10 * size);
    const int count = rank == 0 ? 4 : 10;
    expect_all(
        {[&] { return MPI_Allgather(data.data(), count, MPI_INT, all.data(), 10, MPI_INT, world); },
         [&](MPI_Request* request) {
           return MPI_Iallgather(data.data(), count, MPI_INT, all.data(), 10, MPI_INT, world,
                                 request);
         }},
        MPI_ERR_TRUNCATE);
    expect_all(
        {[&] { return MPI_Alltoall(data.data(), count, MPI_INT, all.data(), 10, MPI_INT, world); },
         [&](MPI_Request* request) {
           return MPI_Ialltoall(data.data(), count, MPI_INT, all.data(), 10, MPI_INT, world,
                                request);
         }},
        MPI_ERR_TRUNCATE);
    const std::vector<int> counts(size, 2), places(size, 0);
    const int own = rank == 0 ? 3 : 2;
    EXPECT_EQ(MPI_Allgatherv(data.data(), own, MPI_INT, all.data(), counts.data(), places.data(),
                             MPI_INT, world),
              MPI_ERR_TRUNCATE);
  });
}

TEST_P(Mismatch, OfScattersIsHeardOfByReceivers) {
  run_and_go_on(GetParam(), [](int rank) {
    std::vector<int> all(10 * static_cast<std::size_t>(GetParam())), own(10);
    expect_all({[&] {
                  return MPI_Scatter(all.data(), rank == 0 ? 1 : 10, MPI_INT, own.data(), 10,
                                     MPI_INT, 0, world);
                },
                [&](MPI_Request* request) {
                  return MPI_Iscatter(all.data(), rank == 0 ? 1 : 10, MPI_INT, own.data(), 10,
                                      MPI_INT, 0, world, request);
                }},
               rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
  });
}

// A rank that sends nothing has its part in place.
TEST(OwnPart, MayBeInItsPlaceAlready) {
  run_and_go_on(3, [](int rank) {
    std::vector<int> all(3, -1);
    all[static_cast<std::size_t>(rank)] = 40 + rank;
    EXPECT_EQ(MPI_Allgather(nullptr, 0, MPI_INT, all.data(), 1, MPI_INT, world), MPI_SUCCESS);
    EXPECT_EQ(all, (std::vector<int>{40, 41, 42}));
  });
}

TEST(TooManyCommunicators, AreMadeAtNoRank) {
  run_and_go_on(2, [](int rank) {
    std::vector<MPI_Comm> made;
    // Rank 0 has more of them than rank 1: what it has no room for is lost.
    if (rank == 0) {
      made.resize(9);
      for (MPI_Comm& comm : made) MPI_Comm_dup(MPI_COMM_SELF, &comm);
    }
    MPI_Comm next = MPI_COMM_NULL;
    int code = MPI_SUCCESS;
    while ((code = MPI_Comm_dup(world, &next)) == MPI_SUCCESS) made.push_back(next);
    EXPECT_EQ(code, MPI_ERR_OTHER);
    EXPECT_EQ(next, MPI_COMM_NULL);
    EXPECT_EQ(made.size(), most_communicators - (rank == 0 ? 0 : 9));
    MPI_Group group;
    MPI_Comm_group(world, &group);
    EXPECT_EQ(MPI_Comm_split(world, 0, 0, &next), MPI_ERR_OTHER);
    EXPECT_EQ(MPI_Comm_create(world, group, &next), MPI_ERR_OTHER);
    EXPECT_EQ(MPI_Comm_create_group(world, group, 0, &next), MPI_ERR_OTHER);
    const int size = 2, periodic = 0;
    EXPECT_EQ(MPI_Cart_create(world, 1, &size, &periodic, 0, &next), MPI_ERR_OTHER);
    EXPECT_EQ(next, MPI_COMM_NULL);
    MPI_Request request;
    ASSERT_EQ(MPI_Comm_idup(world, &next, &request), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_OTHER);
    EXPECT_EQ(MPI_Comm_size(next, &code), MPI_ERR_COMM);
    if (rank == 0) {
      MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
      EXPECT_EQ(MPI_Comm_dup(MPI_COMM_SELF, &next), MPI_ERR_OTHER);
    }
    // With room at all ranks it goes on.
    MPI_Comm_free(&made.back());
    EXPECT_EQ(MPI_Comm_dup(world, &made.back()), MPI_SUCCESS);
    MPI_Group_free(&group);
    for (MPI_Comm& comm : made) MPI_Comm_free(&comm);
  });
}

TEST(Disconnect, WaitsForWhatIsUnderWay) {
  run_mpi(2, [](int rank) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(world, &comm);
    // Too long to leave before it is matched.
    std::vector<int> out(4000, 9 + rank), in(4000, -1);
    MPI_Request requests[2];
    MPI_Irecv(in.data(), 4000, MPI_INT, 1 - rank, 5, comm, &requests[0]);
    MPI_Isend(out.data(), 4000, MPI_INT, 1 - rank, 5, comm, &requests[1]);
    EXPECT_EQ(MPI_Comm_disconnect(&comm), MPI_SUCCESS);
    EXPECT_EQ(comm, MPI_COMM_NULL);
    for (const MPI_Request request : requests) {
      int done = 0;
      EXPECT_EQ(MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(done, 1);
    }
    EXPECT_EQ(in, std::vector<int>(4000, 9 + 1 - rank));
    EXPECT_EQ(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  });
}

TEST(Disconnect, WaitsForBufferedMessages) {
  run_mpi(2, [](int rank) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(world, &comm);
    std::vector<int> data(4000, rank);
    std::vector<char> buffer(20000);
    if (rank == 0) {
      MPI_Buffer_attach(buffer.data(), 20000);
      MPI_Bsend(data.data(), 4000, MPI_INT, 1, 0, comm);
    } else {
      MPI_Recv(data.data(), 4000, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    }
    EXPECT_EQ(MPI_Comm_disconnect(&comm), MPI_SUCCESS);
    EXPECT_EQ(data[3999], 0);
  });
}

TEST(Disconnect, OfIntercommunicatorsAndOfWhatCannotBe) {
  run_and_go_on(4, [](int rank) {
    MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
    MPI_Comm_split(world, rank / 2, 0, &half);
    MPI_Intercomm_create(half, 0, world, rank < 2 ? 2 : 0, 1, &inter);
    EXPECT_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_disconnect(&half), MPI_SUCCESS);
    EXPECT_EQ(half, MPI_COMM_NULL);
    EXPECT_EQ(MPI_Comm_disconnect(&half), MPI_ERR_COMM);
    MPI_Comm all = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Comm_disconnect(&all), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Comm_disconnect(nullptr), MPI_ERR_ARG);
  });
}

TEST(Parent, IsNone) {
  run_and_go_on(1, [](int) {
    MPI_Comm parent = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Comm_get_parent(&parent), MPI_SUCCESS);
    EXPECT_EQ(parent, MPI_COMM_NULL);
    EXPECT_EQ(MPI_Comm_get_parent(nullptr), MPI_ERR_ARG);
  });
}

// As in MPICH the handler that MPI_COMM_WORLD has now stands for one that was never set.
TEST(ErrorHandlers, ThatWereNeverSetAreTheWorlds) {
  run_and_go_on(1, [](int) {
    MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
    MPI_Comm early = MPI_COMM_NULL;
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Errhandler found = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &found);
    EXPECT_EQ(found, MPI_ERRORS_ARE_FATAL);
    EXPECT_EQ(MPI_Send(nullptr, 0, MPI_INT, 7, 0, MPI_COMM_SELF), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Comm_dup(MPI_COMM_SELF, &early), MPI_SUCCESS);
    EXPECT_EQ(MPI_Send(nullptr, 0, MPI_INT, 7, 0, early), MPI_ERR_RANK);
    MPI_Comm_free(&early);
  });
  // One that was set stays.
  EXPECT_NE(fatal_line([] {
              MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
              MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
              MPI_Send(nullptr, 0, MPI_INT, 7, 0, MPI_COMM_SELF);
            }),
            "");
}

// Into a datatype with gaps, which is looked at element by element.
TEST(Receives, ThatEndWithinAnElement) {
  run_and_go_on(1, [](int) {
    const int places[2] = {0, 2};
    MPI_Datatype gaps = MPI_DATATYPE_NULL;
    MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    const char out[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int in[3] = {0, 0, 0};
    MPI_Status status{};
    MPI_Request request;
    for (const int bytes : {4, 8, 3, 6}) {
      const int expected = bytes % 4 == 0 ? MPI_SUCCESS : MPI_ERR_TYPE;
      EXPECT_EQ(MPI_Sendrecv(out, bytes, MPI_CHAR, 0, 0, in, 1, gaps, 0, 0, world, &status),
                expected);
      MPI_Isend(out, bytes, MPI_CHAR, 0, 0, world, &request);
      EXPECT_EQ(MPI_Recv(in, 1, gaps, 0, 0, world, &status), expected);
      EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
  });
}

}  // namespace
}  // namespace netmod::testing
