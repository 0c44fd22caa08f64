// Transfers through the rank's one-sided port.
#include "netmod/mpi/windows/posting.h"

#include <algorithm>

#include "netmod/mpi/calls/rank_state.h"

namespace netmod {
namespace {

constexpr std::uint64_t get_word = 4;
/// Bytes of one GET whose ends are not equally far from a word: it goes in many posts.
constexpr std::int64_t most_unaligned = std::int64_t{1} << 20;

}  // namespace

void start_put(RankState& rank, rma::Completion& completion, const RemotePlace& to,
               const std::byte* from, std::int64_t bytes) {
  std::uint64_t address = to.address;
  while (bytes > 0) {
    const auto part = std::min(static_cast<std::uint64_t>(bytes), rma::RmaPort::most_bytes);
    post_surely(rank, [&](rma::RmaPort& port) {
      return port.put(completion, to.job_rank, from, address, to.handle, part);
    });
    from += part;
    address += part;
    bytes -= static_cast<std::int64_t>(part);
  }
}

void start_get(RankState& rank, rma::Completion& completion, const RemotePlace& from, std::byte* to,
               std::int64_t bytes) {
  std::uint64_t address = from.address;
  const bool aligned = address % get_word == reinterpret_cast<std::uint64_t>(to) % get_word;
  const std::int64_t most =
      aligned ? static_cast<std::int64_t>(rma::RmaPort::most_bytes) : most_unaligned;
  while (bytes > 0) {
    const auto part = static_cast<std::uint64_t>(std::min(bytes, most));
    post_surely(rank, [&](rma::RmaPort& port) {
      return port.get(completion, from.job_rank, to, address, from.handle, part);
    });
    to += part;
    address += part;
    bytes -= static_cast<std::int64_t>(part);
  }
}

void start_atomic(RankState& rank, rma::Completion& completion, const RemotePlace& word,
                  gni_fma_cmd_type_t command, std::uint64_t first, std::uint64_t second,
                  void* result) {
  post_surely(rank, [&](rma::RmaPort& port) {
    return port.atomic(completion, word.job_rank, command, word.address, word.handle, first, second,
                       result);
  });
}

void fetch(RankState& rank, const RemotePlace& from, void* to, std::int64_t bytes) {
  rma::Completion completion;
  start_get(rank, completion, from, static_cast<std::byte*>(to), bytes);
  wait_for(rank, completion);
}

std::uint64_t fetch_word(RankState& rank, const RemotePlace& word) {
  rma::Completion completion;
  std::uint64_t value = 0;
  start_atomic(rank, completion, word, GNI_FMA_ATOMIC_FOR, 0, 0, &value);
  wait_for(rank, completion);
  return value;
}

}  // namespace netmod
