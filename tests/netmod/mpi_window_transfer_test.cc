// One-sided transfers: every byte of puts and gets of any size, place, datatype and kind of window.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "tests/netmod/window_support.h"

namespace castor_test {
namespace {

constexpr std::size_t largest = 1100000;

struct Piece {
  int target;
  std::size_t bytes, remote_offset, local_offset;
  std::uint64_t seed;
};

/// What each rank moves in one round: places at a target do not overlap.
std::vector<Piece> draw(unsigned seed, int origin, int ranks) {
  const std::vector<std::size_t> limits{1, 3, 4, 8, 9, 64, 1000, 1025, 4100, 70000, 200000};
  std::mt19937 random(seed * 1000 + static_cast<unsigned>(origin));
  std::vector<Piece> pieces;
  const std::size_t room = largest / static_cast<std::size_t>(ranks);
  for (int target = 0; target < ranks; ++target) {
    std::size_t at = room * static_cast<std::size_t>(origin);
    for (int i = 0; i < 6; ++i) {
      const std::size_t limit = limits[random() % limits.size()];
      const std::size_t bytes = random() % 3 == 0 ? limit : random() % (limit + 1);
      at += random() % 9;
      if (at + bytes > room * static_cast<std::size_t>(origin + 1)) break;
      pieces.push_back({target, bytes, at, random() % 8, random()});
      at += bytes;
    }
  }
  std::shuffle(pieces.begin(), pieces.end(), random);
  return pieces;
}

void put_then_get(int rank, int ranks, WindowKind kind, unsigned seed) {
  TestWindow window(kind, largest);
  std::fill_n(window.data(), largest, std::byte{0});
  window.open();
  const std::vector<Piece> pieces = draw(seed, rank, ranks);
  std::vector<Buffer> buffers;
  buffers.reserve(pieces.size());
  for (const Piece& piece : pieces) {
    buffers.emplace_back(piece.bytes, piece.local_offset);
    buffers.back().fill(piece.seed);
    const int count = static_cast<int>(piece.bytes);
    ASSERT_EQ(MPI_Put(buffers.back().data(), count, MPI_BYTE, piece.target,
                      window.at(piece.target, piece.remote_offset), count, MPI_BYTE, window.get()),
              MPI_SUCCESS);
  }
  window.close();
  // What the others have put here.
  for (int origin = 0; origin < ranks; ++origin) {
    for (const Piece& piece : draw(seed, origin, ranks)) {
      if (piece.target != rank) continue;
      EXPECT_EQ(first_wrong(window.data() + piece.remote_offset, piece.bytes, piece.seed),
                piece.bytes)
          << piece.bytes << " bytes of rank " << origin;
    }
  }
  window.open();
  std::vector<Buffer> back;
  back.reserve(pieces.size());
  for (const Piece& piece : pieces) {
    back.emplace_back(piece.bytes, (piece.local_offset + piece.seed) % 8);
    const int count = static_cast<int>(piece.bytes);
    ASSERT_EQ(MPI_Get(back.back().data(), count, MPI_BYTE, piece.target,
                      window.at(piece.target, piece.remote_offset), count, MPI_BYTE, window.get()),
              MPI_SUCCESS);
  }
  window.close();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_TRUE(back[i].holds(pieces[i].seed)) << pieces[i].bytes << " bytes";
    EXPECT_TRUE(back[i].guards_intact());
  }
}

TEST(WindowTransfer, RandomPutsAndGetsInEveryKindOfWindow) {
  for (const WindowKind kind : {WindowKind::create, WindowKind::allocate, WindowKind::dynamic}) {
    for (const int per_node : {1, 3}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(kind) << " -N " << per_node);
      run_mpi(small_job(3, per_node), [&](int rank) { put_then_get(rank, 3, kind, 5); });
    }
  }
}

TEST(WindowTransfer, SharedWindowsToo) {
  run_mpi(small_job(4, 4), [](int rank) { put_then_get(rank, 4, WindowKind::shared, 6); });
}

TEST(WindowTransfer, EveryProgressDesign) {
  for (const Design design : all_designs) {
    SCOPED_TRACE(name_of(design));
    run_mpi(with_design(small_job(4, 2), design),
            [](int rank) { put_then_get(rank, 4, WindowKind::allocate, 7); });
  }
}

/// A random datatype of ints, nested at most `depth` deep; at least one int, no overlaps.
MPI_Datatype draw_type(std::mt19937& random, int depth) {
  MPI_Datatype inner = depth == 0 ? MPI_INT : draw_type(random, depth - 1);
  MPI_Datatype made;
  const int count = 1 + static_cast<int>(random() % 4);
  switch (random() % 4) {
    case 0:
      MPI_Type_contiguous(count, inner, &made);
      break;
    case 1:
      MPI_Type_vector(count, 2, 3 + static_cast<int>(random() % 3), inner, &made);
      break;
    case 2: {
      std::vector<int> lengths, places;
      for (int i = 0, at = 0; i < count; ++i) {
        lengths.push_back(1 + static_cast<int>(random() % 3));
        places.push_back(at + static_cast<int>(random() % 2));
        at = places.back() + lengths.back() + static_cast<int>(random() % 3);
      }
      MPI_Type_indexed(count, lengths.data(), places.data(), inner, &made);
      break;
    }
    default: {
      MPI_Aint lb = 0, extent = 0;
      MPI_Type_get_extent(inner, &lb, &extent);
      MPI_Type_create_resized(inner, lb, extent + 4 * static_cast<int>(random() % 3), &made);
      break;
    }
  }
  if (inner != MPI_INT) MPI_Type_free(&inner);
  return made;
}

/// Elements of `type` that hold `ints` ints; 0 if that does not come out even.
int elements_for(MPI_Datatype type, int ints) {
  int size = 0;
  MPI_Type_size(type, &size);
  return ints * 4 % size == 0 ? ints * 4 / size : 0;
}

TEST(WindowTransfer, DerivedDatatypesOnBothSides) {
  constexpr int room = 60000;  // ints
  run_mpi(small_job(2), [](int rank) {
    std::vector<int> memory(room, -1);
    MPI_Win window;
    MPI_Win_create(memory.data(), room * 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    std::mt19937 random(11);
    for (int round = 0; round < 60; ++round) {
      MPI_Datatype local = draw_type(random, static_cast<int>(random() % 3));
      MPI_Datatype remote = draw_type(random, static_cast<int>(random() % 3));
      MPI_Type_commit(&local);
      MPI_Type_commit(&remote);
      int local_size = 0, remote_size = 0;
      MPI_Type_size(local, &local_size);
      MPI_Type_size(remote, &remote_size);
      const int ints = std::lcm(local_size / 4, remote_size / 4) * (round % 4 == 0 ? 5 : 1);
      const int local_count = elements_for(local, ints), remote_count = elements_for(remote, ints);
      std::vector<int> own(room);
      std::iota(own.begin(), own.end(), 1000 * round);
      // What pack and unpack make of it.
      std::vector<int> packed(static_cast<std::size_t>(ints)), expected(room, -1);
      int at = 0;
      MPI_Pack(own.data(), local_count, local, packed.data(), ints * 4, &at, MPI_COMM_WORLD);
      at = 0;
      MPI_Unpack(packed.data(), ints * 4, &at, expected.data(), remote_count, remote,
                 MPI_COMM_WORLD);
      std::fill(memory.begin(), memory.end(), -1);
      MPI_Win_fence(0, window);
      if (rank == 0) MPI_Put(own.data(), local_count, local, 1, 0, remote_count, remote, window);
      MPI_Win_fence(0, window);
      if (rank == 1) {
        EXPECT_EQ(memory, expected) << "round " << round;
      }
      // And back, into the same places.
      std::vector<int> fetched(room, -2), wanted(room, -2);
      at = 0;
      std::vector<int> again(static_cast<std::size_t>(ints));
      MPI_Pack(expected.data(), remote_count, remote, again.data(), ints * 4, &at, MPI_COMM_WORLD);
      at = 0;
      MPI_Unpack(again.data(), ints * 4, &at, wanted.data(), local_count, local, MPI_COMM_WORLD);
      if (rank == 0) {
        MPI_Get(fetched.data(), local_count, local, 1, 0, remote_count, remote, window);
        MPI_Type_free(&local);
      }
      MPI_Win_fence(0, window);
      if (rank == 0) {
        EXPECT_EQ(fetched, wanted) << "round " << round;
      } else {
        MPI_Type_free(&local);
      }
      MPI_Type_free(&remote);
    }
    MPI_Win_free(&window);
  });
}

TEST(WindowTransfer, LargeRunsOfVectorsGoWithoutPacking) {
  constexpr int block = 40000, count = 3, stride = 50000;
  run_mpi(small_job(2), [](int rank) {
    std::vector<std::byte> memory(std::size_t{stride} * count);
    MPI_Win window;
    MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size()), 1, MPI_INFO_NULL,
                   MPI_COMM_WORLD, &window);
    MPI_Datatype rows;
    MPI_Type_vector(count, block, stride, MPI_BYTE, &rows);
    MPI_Type_commit(&rows);
    std::vector<std::byte> own(memory.size());
    fill(own.data(), own.size(), 3);
    corespec::Time posted;
    for (int i = 0; i < 2; ++i) {  // the first one registers
      MPI_Win_fence(0, window);
      const corespec::Time begin = clock_now();
      if (rank == 0) MPI_Put(own.data(), 1, rows, 1, 0, 1, rows, window);
      posted = clock_now() - begin;
      MPI_Win_fence(0, window);
    }
    // Copying 120,000 bytes would take longer.
    if (rank == 0 && !live_clock()) {
      EXPECT_LT(posted, corespec::Time::microseconds(20));
    }
    for (int i = 0; rank == 1 && i < count; ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * stride;
      EXPECT_EQ(std::memcmp(memory.data() + at, own.data() + at, block), 0);
      if (i + 1 < count) {
        EXPECT_EQ(memory[at + block], std::byte{0});
      }
    }
    MPI_Type_free(&rows);
    MPI_Win_free(&window);
  });
}

TEST(WindowTransfer, ManySmallOnesFillTheNic) {
  constexpr int count = 3000;
  run_mpi(small_job(2), [](int rank) {
    std::vector<int> memory(count, 0), own(count), back(count, 0);
    std::iota(own.begin(), own.end(), 1);
    MPI_Win window;
    MPI_Win_create(memory.data(), count * 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    const int other = 1 - rank;
    for (int i = 0; i < count; ++i) {
      MPI_Put(&own[static_cast<std::size_t>(i)], 1, MPI_INT, other, i, 1, MPI_INT, window);
    }
    MPI_Win_flush(other, window);
    for (int i = 0; i < count; ++i) {
      MPI_Get(&back[static_cast<std::size_t>(i)], 1, MPI_INT, other, i, 1, MPI_INT, window);
    }
    MPI_Win_unlock_all(window);
    EXPECT_EQ(back, own);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(memory, own);
    MPI_Win_free(&window);
  });
}

TEST(WindowTransfer, ByRequest) {
  run_mpi(small_job(2), [](int rank) {
    TestWindow window(WindowKind::allocate, 100000);
    MPI_Win_lock_all(0, window.get());
    const int other = 1 - rank;
    Buffer own(90000), back(90000);
    own.fill(static_cast<std::uint64_t>(rank) + 1);
    MPI_Request requests[2];
    MPI_Rput(own.data(), 50000, MPI_BYTE, other, 0, 50000, MPI_BYTE, window.get(), &requests[0]);
    MPI_Rput(own.data() + 50000, 40000, MPI_BYTE, other, 50000, 40000, MPI_BYTE, window.get(),
             &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(requests[0], MPI_REQUEST_NULL);
    MPI_Win_flush(other, window.get());
    // Every other byte, by a datatype that is freed at once; found by MPI_Test.
    MPI_Datatype odd;
    MPI_Type_vector(45000, 1, 2, MPI_BYTE, &odd);
    MPI_Type_commit(&odd);
    MPI_Rget(back.data(), 1, odd, other, 0, 45000, MPI_BYTE, window.get(), &requests[0]);
    MPI_Type_free(&odd);
    int flag = 0;
    MPI_Status status{};
    while (flag == 0) MPI_Test(&requests[0], &flag, &status);
    EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
    for (std::size_t i = 0; i < 45000; ++i) ASSERT_EQ(back.data()[2 * i], own.data()[i]);
    // Given up, and complete with the epoch.
    MPI_Rget(back.data(), 90000, MPI_BYTE, other, 0, 90000, MPI_BYTE, window.get(), &requests[0]);
    EXPECT_EQ(MPI_Request_free(&requests[0]), MPI_SUCCESS);
    MPI_Win_unlock_all(window.get());
    EXPECT_TRUE(back.holds(static_cast<std::uint64_t>(rank) + 1));
    // Nothing to do.
    MPI_Win_lock_all(0, window.get());
    MPI_Rput(own.data(), 1, MPI_BYTE, MPI_PROC_NULL, 0, 1, MPI_BYTE, window.get(), &requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Rget(back.data(), 0, MPI_BYTE, other, 0, 0, MPI_BYTE, window.get(), &requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Win_unlock_all(window.get());
  });
}

TEST(WindowTransfer, ThroughSeveralCommunicators) {
  run_mpi(small_job(6, 2), [](int rank) {
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    int own = 0, size = 0;
    MPI_Comm_rank(half, &own);
    MPI_Comm_size(half, &size);
    int memory = -1;
    MPI_Win window;
    MPI_Win_create(&memory, 4, 4, MPI_INFO_NULL, half, &window);
    MPI_Comm_free(&half);
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, (own + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    EXPECT_EQ(memory, (rank + 2) % 6);  // the order is the other way round
    MPI_Win_free(&window);
  });
}

// Every place where windows register: the window, what they keep of it, attached memory, a
// transfer's.
TEST(WindowTransfer, MemoryThatTheNicHasNoRoomForIsRegisteredAgain) {
  for (const char* seed : {"1", "2", "3"}) {
    const auto plan = with(small_job(2), "CASTOR_FAULTS", "register-fails p=.4");
    const auto request = with(with(plan, "CASTOR_SEED", seed), "MPICH_GNI_NDREG_ENTRIES", "0");
    run_mpi(with(request, "CASTOR_POST_TRIES", "30"), [](int rank) {
      const int other = 1 - rank;
      for (int round = 0; round < 3; ++round) {
        std::vector<std::int64_t> own(3000, 10 * round + rank), part(3000), sum(3000), got(3000);
        MPI_Win window = MPI_WIN_NULL, dynamic = MPI_WIN_NULL;
        MPI_Win_create(part.data(), 24000, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
        MPI_Win_attach(dynamic, sum.data(), 24000);
        const auto places = gathered(reinterpret_cast<std::int64_t>(sum.data()));
        MPI_Win_fence(0, window);
        MPI_Win_fence(0, dynamic);
        MPI_Put(own.data(), 3000, MPI_INT64_T, other, 0, 3000, MPI_INT64_T, window);
        MPI_Accumulate(own.data(), 3000, MPI_INT64_T, other,
                       places[static_cast<std::size_t>(other)], 3000, MPI_INT64_T, MPI_SUM,
                       dynamic);
        MPI_Win_fence(0, dynamic);
        MPI_Win_fence(0, window);
        EXPECT_EQ(part, std::vector<std::int64_t>(3000, 10 * round + other));
        EXPECT_EQ(sum, part);
        MPI_Get(got.data(), 3000, MPI_INT64_T, other, 0, 3000, MPI_INT64_T, window);
        MPI_Win_fence(0, window);
        EXPECT_EQ(got, own);
        MPI_Win_detach(dynamic, sum.data());
        MPI_Win_free(&dynamic);
        MPI_Win_free(&window);
      }
    });
  }
}

TEST(WindowTransfer, WhatFailsForGoodEndsTheJobWithOneLine) {
  if (live_clock()) GTEST_SKIP() << "how a job ends live is another test's";
  const auto said = [](const std::string& plan, const std::string& tries) {
    launch::JobRequest request = small_job(2);
    request.settings.emplace_back("CASTOR_FAULTS", plan);
    request.settings.emplace_back("CASTOR_POST_TRIES", tries);
    const MpiOutcome outcome = run_mpi_unchecked(request, [](int rank) {
      std::vector<std::int64_t> own(8, rank), values(8);
      MPI_Win window = MPI_WIN_NULL;
      MPI_Win_create(values.data(), 64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
      MPI_Win_fence(0, window);
      if (rank == 1) MPI_Put(own.data(), 8, MPI_INT64_T, 0, 0, 8, MPI_INT64_T, window);
      MPI_Win_fence(0, window);
      MPI_Win_free(&window);
    });
    EXPECT_TRUE(outcome.job.end.aborted);
    return outcome.errors;
  };
  using testing::HasSubstr;
  const std::string what = "rank 1: MPI: FMA PUT of 64 bytes at rank 0 (nid00000) failed: ";
  EXPECT_THAT(said("post-fails kind=put node=1", "3"),
              HasSubstr(what + "transaction error: lost on the network; the same again does no "
                               "harm (posted 4 times)\n"));
  EXPECT_THAT(said("post-fails kind=put node=1 error=fatal", "3"),
              HasSubstr(what + "transaction error: no way to the node, or no response from it\n"));
}

}  // namespace
}  // namespace castor_test
