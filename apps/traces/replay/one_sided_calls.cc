// One-sided calls.
#include "apps/traces/replay/replayed_calls.h"

namespace replay {
namespace {

using dumpi::Call;
using dumpi::Label;

int target_of(const Call& call) {
  const std::int32_t target = call.number("targetrank");
  return target < 0 ? MPI_PROC_NULL : target;
}

struct Origin {
  char* data;
  int bytes;
};
Origin origin_of(ReplayedRank& rank, const Call& call) {
  const int bytes = rank.bytes(call, "origincount", "origintype");
  return {rank.values(static_cast<std::size_t>(bytes)), bytes};
}

void put(ReplayedRank& rank, const Call& call) {
  const Origin from = origin_of(rank, call);
  MPI_Put(from.data, from.bytes, MPI_BYTE, target_of(call), call.number("targetdisp"), from.bytes,
          MPI_BYTE, rank.window(call).win);
}

void get(ReplayedRank& rank, const Call& call) {
  const Origin to = origin_of(rank, call);
  MPI_Get(to.data, to.bytes, MPI_BYTE, target_of(call), call.number("targetdisp"), to.bytes,
          MPI_BYTE, rank.window(call).win);
}

/// Of types and operations that MPI does not know, the bytes.
void accumulate(ReplayedRank& rank, const Call& call) {
  const Origin from = origin_of(rank, call);
  MPI_Datatype type = ReplayedRank::reduced_type(call.number("origintype"));
  MPI_Op op = ReplayedRank::op(call.number("op"));
  int count = call.number("origincount");
  if (type == MPI_DATATYPE_NULL || op == MPI_OP_NULL) {
    type = MPI_BYTE;
    op = MPI_REPLACE;
    count = from.bytes;
  }
  MPI_Accumulate(from.data, count, type, target_of(call), call.number("targetdisp"), count, type,
                 op, rank.window(call).win);
}

void win_fence(ReplayedRank& rank, const Call& call) { MPI_Win_fence(0, rank.window(call).win); }

void win_lock(ReplayedRank& rank, const Call& call) {
  constexpr std::int32_t shared = 1;
  MPI_Win_lock(call.number("locktype") == shared ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE,
               call.number("rank"), 0, rank.window(call).win);
}

void win_post(ReplayedRank& rank, const Call& call) {
  MPI_Win_post(rank.group(call.number("group")), 0, rank.window(call).win);
}

void win_start(ReplayedRank& rank, const Call& call) {
  MPI_Win_start(rank.group(call.number("group")), 0, rank.window(call).win);
}

void win_complete(ReplayedRank& rank, const Call& call) { MPI_Win_complete(rank.window(call).win); }

void win_wait(ReplayedRank& rank, const Call& call) { MPI_Win_wait(rank.window(call).win); }

/// One that the trace saw true is waited for.
void win_test(ReplayedRank& rank, const Call& call) {
  if (call.number("flag") != 0) win_wait(rank, call);
}

void win_unlock(ReplayedRank& rank, const Call& call) {
  MPI_Win_unlock(call.number("rank"), rank.window(call).win);
}

}  // namespace

std::span<const ReplayedCall> one_sided_calls() {
  static constexpr ReplayedCall all[] = {
      {Label::Put, put},
      {Label::Get, get},
      {Label::Accumulate, accumulate},
      {Label::Win_fence, win_fence},
      {Label::Win_post, win_post},
      {Label::Win_start, win_start},
      {Label::Win_complete, win_complete},
      {Label::Win_wait, win_wait},
      {Label::Win_test, win_test},
      {Label::Win_lock, win_lock},
      {Label::Win_unlock, win_unlock},
  };
  return all;
}

}  // namespace replay
