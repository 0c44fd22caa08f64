// Communicators, groups, windows; and calls that no other rank hears of.
#include <algorithm>

#include "apps/traces/replay/replayed_calls.h"

namespace replay {
namespace {

using dumpi::Call;
using dumpi::Label;

/// A question to a rank's own library.
void nothing(ReplayedRank&, const Call&) {}

void comm_group(ReplayedRank& rank, const Call& call) {
  MPI_Group made = MPI_GROUP_NULL;
  MPI_Comm_group(rank.comm(call), &made);
  rank.keep_group(call.number("group"), made);
}

using Choose = int (*)(MPI_Group, int, const int*, MPI_Group*);

template <Choose function>
void choose(ReplayedRank& rank, const Call& call) {
  const auto ranks = call.numbers("ranks");
  MPI_Group made = MPI_GROUP_NULL;
  function(rank.group(call.number("group")), static_cast<int>(ranks.size()), ranks.data(), &made);
  rank.keep_group(call.number("newgroup"), made);
}

void comm_dup(ReplayedRank& rank, const Call& call) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_dup(rank.comm(call.number("oldcomm")), &made);
  rank.keep_comm(call.number("newcomm"), made);
}

void comm_create(ReplayedRank& rank, const Call& call) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_create(rank.comm(call.number("oldcomm")), rank.group(call.number("group")), &made);
  rank.keep_comm(call.number("newcomm"), made);
}

void comm_split(ReplayedRank& rank, const Call& call) {
  const std::int32_t color = call.number("color");
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split(rank.comm(call.number("oldcomm")), color < 0 ? MPI_UNDEFINED : color,
                 call.number("key"), &made);
  rank.keep_comm(call.number("newcomm"), made);
}

/// Ranks are the trace's, whatever it let the library do.
void cart_create(ReplayedRank& rank, const Call& call) {
  const auto dims = call.numbers("dims"), periods = call.numbers("periods");
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Cart_create(rank.comm(call.number("oldcomm")), static_cast<int>(dims.size()), dims.data(),
                  periods.data(), 0, &made);
  rank.keep_comm(call.number("newcomm"), made);
}

void comm_free(ReplayedRank& rank, const Call& call) { rank.free_comm(call.number("comm")); }

/// On memory of its own: accumulates compute in it.
void win_create(ReplayedRank& rank, const Call& call) {
  const std::int32_t size = call.number("size");
  if (size < 0) rank.fail("a window of more than 2^31 - 1 bytes");
  ReplayedRank::Window made{MPI_WIN_NULL, std::max(1, call.number("dispunit"))};
  void* base = nullptr;
  MPI_Win_allocate(size, made.unit, MPI_INFO_NULL, rank.comm(call), &base, &made.win);
  rank.keep_window(call.number("win"), made);
}

}  // namespace

std::span<const ReplayedCall> object_calls() {
  static constexpr ReplayedCall all[] = {
      {Label::Wtime, nothing},
      {Label::Wtick, nothing},
      {Label::Comm_size, nothing},
      {Label::Comm_rank, nothing},
      {Label::Comm_group, comm_group},
      {Label::Group_incl, choose<MPI_Group_incl>},
      {Label::Group_excl, choose<MPI_Group_excl>},
      {Label::Comm_dup, comm_dup},
      {Label::Comm_create, comm_create},
      {Label::Comm_split, comm_split},
      {Label::Comm_free, comm_free},
      {Label::Cart_create, cart_create},
      {Label::Win_create, win_create},
  };
  return all;
}

}  // namespace replay
