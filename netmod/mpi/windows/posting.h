// Transfers through the rank's one-sided port: posting while others may have to be let in, waiting.
#pragma once

#include <cstdint>

#include "netmod/mpi/calls/rank_state.h"
#include "ugni_emu/rma/rma_port.h"

namespace netmod {

/// Calls `post(port)` until it returns true. Where the NIC has no room it waits as every call does:
/// messages make progress, and other threads come in.
template <class Post>
void post_surely(RankState& rank, const Post& post) {
  rma::RmaPort& port = rank.device().one_sided();
  while (!post(port)) {
    const std::uint32_t under_way = port.outstanding();
    const auto fewer = [&port, under_way] { return port.outstanding() < under_way; };
    rank.wait_until(fewer);
  }
}

/// Until the transfers are complete.
inline void wait_for(RankState& rank, const rma::Completion& completion) {
  const auto complete = [&completion] { return completion.complete(); };
  rank.wait_until(complete);
}

/// A place in another rank's registered memory.
struct RemotePlace {
  int job_rank = 0;
  std::uint64_t address = 0;
  gni_mem_handle_t handle{};
};

/// Any number of bytes.
void start_put(RankState& rank, rma::Completion& completion, const RemotePlace& to,
               const std::byte* from, std::int64_t bytes);
void start_get(RankState& rank, rma::Completion& completion, const RemotePlace& from, std::byte* to,
               std::int64_t bytes);
/// An AMO (see RmaPort::atomic).
void start_atomic(RankState& rank, rma::Completion& completion, const RemotePlace& word,
                  gni_fma_cmd_type_t command, std::uint64_t first, std::uint64_t second,
                  void* result);

/// Gets, and waits.
void fetch(RankState& rank, const RemotePlace& from, void* to, std::int64_t bytes);
/// The aligned 8 bytes there as AMOs have left them, by an AMO that changes nothing.
std::uint64_t fetch_word(RankState& rank, const RemotePlace& word);

}  // namespace netmod
