// What a job does with exchanges of equal sizes.
#include "corespec/job/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace corespec {

void Job::barrier(Process& caller) { barrier(caller, caller.barrier_service()); }

void Job::allgather(Process& caller, std::span<const std::byte> in, std::span<std::byte> out) {
  std::size_t first_size = 0;
  int other = -1;  // the first rank whose size is not that of rank 0
  std::size_t other_size = 0;
  exchange(caller, in, [&](int rank, std::span<const std::byte> given) {
    if (rank == 0) first_size = given.size();
    if (other < 0 && given.size() != first_size) {
      other = rank;
      other_size = given.size();
    }
    const std::size_t at = in.size() * static_cast<std::size_t>(rank);
    if (given.size() == in.size()) {
      std::copy(given.begin(), given.end(), out.begin() + static_cast<std::ptrdiff_t>(at));
    }
  });
  if (other < 0) return;
  throw std::runtime_error(
      other == caller.rank()
          ? fmt::format("rank {} gives {} bytes, rank 0 gives {}", other, other_size, first_size)
          : std::string());
}

}  // namespace corespec
