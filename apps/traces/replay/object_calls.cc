// Communicators, groups, windows.
#include <algorithm>
#include <array>
#include <vector>

#include "apps/traces/replay/replayed_calls.h"

namespace replay {
namespace {

using dumpi::Call;
using dumpi::Label;

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

using Combine = int (*)(MPI_Group, MPI_Group, MPI_Group*);

template <Combine function>
void combine(ReplayedRank& rank, const Call& call) {
  MPI_Group made = MPI_GROUP_NULL;
  function(rank.group(call.number("group1")), rank.group(call.number("group2")), &made);
  rank.keep_group(call.number("newgroup"), made);
}

using ChooseRanges = int (*)(MPI_Group, int, int[][3], MPI_Group*);

template <ChooseRanges function>
void choose_ranges(ReplayedRank& rank, const Call& call) {
  const auto given = call.numbers("ranges");
  std::vector<std::array<int, 3>> ranges(given.size() / 3);
  for (std::size_t i = 0; i < ranges.size() * 3; ++i) ranges[i / 3][i % 3] = given[i];
  MPI_Group made = MPI_GROUP_NULL;
  function(rank.group(call.number("group")), static_cast<int>(ranges.size()),
           reinterpret_cast<int(*)[3]>(ranges.data()), &made);
  rank.keep_group(call.number("newgroup"), made);
}

void group_free(ReplayedRank& rank, const Call& call) { rank.free_group(call.number("group")); }

void comm_remote_group(ReplayedRank& rank, const Call& call) {
  MPI_Group made = MPI_GROUP_NULL;
  MPI_Comm_remote_group(rank.comm(call), &made);
  rank.keep_group(call.number("group"), made);
}

void comm_compare(ReplayedRank& rank, const Call& call) {
  int result = MPI_UNEQUAL;
  MPI_Comm_compare(rank.comm(call.number("comm1")), rank.comm(call.number("comm2")), &result);
}

/// Only leaders name the communicator between them.
void intercomm_create(ReplayedRank& rank, const Call& call) {
  const std::int32_t between = call.number("remotecomm");
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Intercomm_create(rank.comm(call.number("localcomm")), call.number("localleader"),
                       rank.knows_comm(between) ? rank.comm(between) : MPI_COMM_NULL,
                       call.number("remoteleader"), call.number("tag"), &made);
  rank.keep_comm(call.number("newcomm"), made);
}

void intercomm_merge(ReplayedRank& rank, const Call& call) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Intercomm_merge(rank.comm(call), call.number("high"), &made);
  rank.keep_comm(call.number("newcomm"), made);
}

void cart_sub(ReplayedRank& rank, const Call& call) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Cart_sub(rank.comm(call.number("oldcomm")), call.numbers("remaindims").data(), &made);
  rank.keep_comm(call.number("newcomm"), made);
}

/// Ranks are the trace's, whatever it let the library do.
void graph_create(ReplayedRank& rank, const Call& call) {
  const auto nodes = call.numbers("nodeindex"), edges = call.numbers("edges");
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Graph_create(rank.comm(call.number("oldcomm")), static_cast<int>(nodes.size()), nodes.data(),
                   edges.data(), 0, &made);
  rank.keep_comm(call.number("newcomm"), made);
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

void win_free(ReplayedRank& rank, const Call& call) { rank.free_window(call); }

void win_get_group(ReplayedRank& rank, const Call& call) {
  MPI_Group made = MPI_GROUP_NULL;
  MPI_Win_get_group(rank.window(call).win, &made);
  rank.keep_group(call.number("group"), made);
}

}  // namespace

std::span<const ReplayedCall> object_calls() {
  static constexpr ReplayedCall all[] = {
      {Label::Comm_group, comm_group},
      {Label::Group_incl, choose<MPI_Group_incl>},
      {Label::Group_excl, choose<MPI_Group_excl>},
      {Label::Group_union, combine<MPI_Group_union>},
      {Label::Group_intersection, combine<MPI_Group_intersection>},
      {Label::Group_difference, combine<MPI_Group_difference>},
      {Label::Group_range_incl, choose_ranges<MPI_Group_range_incl>},
      {Label::Group_range_excl, choose_ranges<MPI_Group_range_excl>},
      {Label::Group_free, group_free},
      {Label::Comm_remote_group, comm_remote_group},
      {Label::Comm_compare, comm_compare},
      {Label::Comm_dup, comm_dup},
      {Label::Comm_create, comm_create},
      {Label::Comm_split, comm_split},
      {Label::Comm_free, comm_free},
      {Label::Comm_disconnect, comm_free},
      {Label::Intercomm_create, intercomm_create},
      {Label::Intercomm_merge, intercomm_merge},
      {Label::Cart_create, cart_create},
      {Label::Cart_sub, cart_sub},
      {Label::Graph_create, graph_create},
      {Label::Win_create, win_create},
      {Label::Win_free, win_free},
      {Label::Win_get_group, win_get_group},
  };
  return all;
}

}  // namespace replay
