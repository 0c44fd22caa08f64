// Parts of a job as threads of one process.
#pragma once

#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace launch_test {

/// For SharedRoundsMemory: the usual ones are most of what a thread sanitizer leaves.
inline constexpr std::size_t addresses = std::size_t{1} << 30;

/// `body` for each number, all at the same time; returns when all have.
inline void on_threads(std::size_t count, const std::function<void(std::size_t number)>& body) {
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < count; ++number) threads.emplace_back(body, number);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace launch_test
