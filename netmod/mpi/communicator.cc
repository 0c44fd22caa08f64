// Making communicators: agreement on a context, splitting by color and key.
#include "netmod/mpi/communicator.h"

#include <algorithm>
#include <array>

#include "netmod/mpi/collectives.h"

namespace netmod {
namespace {

/// Among the threads of this rank that want a context now, the one whose parent has the lowest
/// context offers; that rule is the same on all ranks, so one of the parents finishes.
bool may_offer(const RankState& rank, const Communicator& parent) {
  return !rank.context_taken && *std::min_element(rank.context_waiters.begin(),
                                                  rank.context_waiters.end()) == parent.context;
}

}  // namespace

int Communicator::next_schedule_tag() {
  constexpr std::uint32_t first = 64;  // above those of the blocking ones
  constexpr std::uint32_t count = 1U << 24;
  return static_cast<int>(first + need_extras().schedules++ % count);
}

Communicator& intracommunicator(RankState& rank, MPI_Comm handle) {
  Communicator& found = rank.communicator(handle);
  if (found.inter()) fail(MPI_ERR_COMM, "comm is an intercommunicator, which is not allowed here");
  return found;
}

std::uint32_t agree_on_context(RankState& rank, const Communicator& parent) {
  const Reduction highest(find_kernel(MPI_MAX, *find_simple(MPI_UINT32_T)),
                          rank.known_type(MPI_UINT32_T));
  rank.context_waiters.push_back(parent.context);
  for (;;) {
    const bool offering = may_offer(rank, parent);
    if (offering) rank.context_taken = true;
    std::array<std::uint32_t, 2> offer{offering ? rank.next_context : 0, offering ? 0u : 1u};
    allreduce(CollectiveCall{rank, parent}, highest, reinterpret_cast<std::byte*>(offer.data()), 2);
    if (offering) rank.context_taken = false;
    if (offer[1] != 0) continue;  // some rank was busy with another communicator
    rank.next_context = offer[0] + 1;
    rank.context_waiters.erase(
        std::find(rank.context_waiters.begin(), rank.context_waiters.end(), parent.context));
    return offer[0];
  }
}

Communicator* make_communicator(RankState& rank, const Communicator& parent, Group group) {
  const std::uint32_t context = agree_on_context(rank, parent);
  if (group.size() == 0) return nullptr;
  MPI_Comm handle = MPI_COMM_NULL;
  auto* place = rank.communicators.add(handle);
  if (place == nullptr) fail(MPI_ERR_NO_MEM, "too many communicators");
  *place = std::make_unique<Communicator>();
  Communicator& made = **place;
  made.handle = handle;
  made.rank = group.member(rank.process().rank());
  made.group = std::move(group);
  made.context = context;
  made.error_handler = parent.error_handler;
  if (ErrorHandler* handler = rank.error_handlers.find(made.error_handler)) ++handler->uses;
  return &made;
}

Group split_group(RankState& rank, const Communicator& parent, int color, int key) {
  struct Choice {
    int color;
    int key;
  };
  const auto size = static_cast<std::size_t>(parent.size());
  std::vector<Choice> choices(size);
  choices[static_cast<std::size_t>(parent.rank)] = {color, key};
  allgather(CollectiveCall{rank, parent}, reinterpret_cast<std::byte*>(choices.data()),
            sizeof(Choice));
  if (color == MPI_UNDEFINED) return {};
  std::vector<std::pair<int, int>> members;  // key, rank in the parent
  for (std::size_t i = 0; i < size; ++i) {
    if (choices[i].color == color) members.emplace_back(choices[i].key, static_cast<int>(i));
  }
  std::sort(members.begin(), members.end());
  std::vector<int> job_ranks;
  job_ranks.reserve(members.size());
  for (const auto& member : members) job_ranks.push_back(parent.group.job_rank(member.second));
  return Group(std::move(job_ranks));
}

}  // namespace netmod
