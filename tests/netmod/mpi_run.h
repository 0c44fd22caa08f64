// Runs a piece of an MPI program on some ranks of a fake world.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "netmod/include/mpi.h"
#include "tests/netmod/fake_device.h"

namespace netmod::testing {

/// What rank `from` has for `to`, element `index`, so that each can be told from all others.
inline int cell(int from, int to, int index) { return from * 10007 + to * 101 + index * 3 + 1; }

/// MPI_Init_thread(level), body(rank), MPI_Finalize on every rank.
inline void run_mpi(int size, const std::function<void(int rank)>& body,
                    int level = MPI_THREAD_SINGLE) {
  FakeWorld world(size);
  world.run([&](int rank) {
    int provided = -1;
    ASSERT_EQ(MPI_Init_thread(nullptr, nullptr, level, &provided), MPI_SUCCESS);
    ASSERT_EQ(provided, level);
    body(rank);
    ASSERT_EQ(MPI_Finalize(), MPI_SUCCESS);
  });
  EXPECT_EQ(world.abort_lines(), std::vector<std::string>{});
}

/// The same, where errors of MPI_COMM_WORLD are returned.
inline void run_returning(int size, const std::function<void(int rank)>& body) {
  run_mpi(size, [&body](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    body(rank);
  });
}

/// The line with which a job of one rank ends; "" if it does not.
inline std::string fatal_line(const std::function<void()>& body) {
  FakeWorld world(1);
  world.run([&](int) {
    MPI_Init(nullptr, nullptr);
    body();
    MPI_Finalize();
  });
  return world.abort_lines().empty() ? std::string() : world.abort_lines().front();
}

/// Random bytes, the same for the same seed.
inline std::vector<std::uint8_t> random_bytes(std::size_t count, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<std::uint8_t> bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(generator());
  return bytes;
}

/// World sizes that collectives are tested with.
inline const std::vector<int> world_sizes{1, 2, 3, 4, 5, 7, 8, 13, 16};

}  // namespace netmod::testing
