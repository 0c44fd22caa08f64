// Splitting a communicator: no rank but the first holds something of all of them.
#include <algorithm>
#include <span>
#include <tuple>

#include "corespec/threads/rank_memory.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/collectives/algorithms/collectives.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/communicators/make_communicator.h"
#include "netmod/mpi/groups/communicator.h"

namespace netmod {
namespace {

/// What a rank of the parent asks for.
struct Wish {
  int color = 0;
  int key = 0;
  int rank = 0;
};

/// What the first rank answers: the group if a rule describes it (stride is not 0), else the
/// caller's position in it and the ranks before and after it, around its ends.
struct Answer {
  int size = 0;  ///< 0: no group
  int first = 0;
  int stride = 0;
  int position = 0;
  int before = 0;  ///< ranks of the parent
  int after = 0;
};

/// Answers all members of one color, given in the order of the new group.
void answer(const Communicator& parent, std::span<const Wish> members,
            std::vector<Answer>& answers) {
  const std::size_t size = members.size();
  std::vector<int> job_ranks;
  job_ranks.reserve(size);
  for (const Wish& wish : members) job_ranks.push_back(parent.group.job_rank(wish.rank));
  const Group group(std::move(job_ranks));
  Answer common;
  common.size = group.size();
  if (!group.has_table()) {
    common.first = group.job_rank(0);
    common.stride = group.stride();
  }
  for (std::size_t i = 0; i < size; ++i) {
    Answer& own = answers[static_cast<std::size_t>(members[i].rank)];
    own = common;
    own.position = static_cast<int>(i);
    own.before = members[(i + size - 1) % size].rank;
    own.after = members[(i + 1) % size].rank;
  }
}

std::vector<Answer> answer_all(const Communicator& parent, std::vector<Wish> wishes) {
  std::vector<Answer> answers = corespec::rank_vector<Answer>(wishes.size());
  std::sort(wishes.begin(), wishes.end(), [](const Wish& a, const Wish& b) {
    return std::tie(a.color, a.key, a.rank) < std::tie(b.color, b.key, b.rank);
  });
  for (auto begin = wishes.begin(); begin != wishes.end();) {
    const auto end = std::find_if(begin, wishes.end(),
                                  [begin](const Wish& wish) { return wish.color != begin->color; });
    if (begin->color != MPI_UNDEFINED) answer(parent, {begin, end}, answers);
    begin = end;
  }
  return answers;
}

/// The parent's ranks that are in a group which each member knows its two neighbours of: what is
/// known around a member doubles with each exchange with those at its ends.
std::vector<int> collect_members(const CollectiveCall& call, const Answer& own) {
  const Transfer transfer(call, Collective::allgather);
  const int size = own.size;
  std::vector<int> members(static_cast<std::size_t>(size));
  const auto at = [&](int distance) -> int& {
    return members[static_cast<std::size_t>((own.position + distance + size) % size)];
  };
  at(-1) = own.before;
  at(0) = call.comm.rank;
  at(1) = own.after;
  for (int known = 1; 2 * known + 1 < size; known *= 2) {
    const auto count = static_cast<std::size_t>(known);
    const std::int64_t bytes = std::int64_t{known} * static_cast<std::int64_t>(sizeof(int));
    std::vector<int> out = corespec::rank_vector<int>(count);
    std::vector<int> in = corespec::rank_vector<int>(count);
    const int ahead = at(known);
    const int behind = at(-known);
    // A rank ahead wants those before the caller, and tells of those after itself; and the reverse.
    for (int i = 0; i < known; ++i) out[static_cast<std::size_t>(i)] = at(-1 - i);
    transfer.exchange(out.data(), bytes, ahead, in.data(), bytes, behind);
    for (int i = 0; i < known; ++i) at(-known - 1 - i) = in[static_cast<std::size_t>(i)];
    for (int i = 0; i < known; ++i) out[static_cast<std::size_t>(i)] = at(1 + i);
    transfer.exchange(out.data(), bytes, behind, in.data(), bytes, ahead);
    for (int i = 0; i < known; ++i) at(known + 1 + i) = in[static_cast<std::size_t>(i)];
  }
  return members;
}

}  // namespace

Group split_group(RankState& rank, const Communicator& parent, int color, int key) {
  const CollectiveCall call{rank, parent};
  const Wish wish{color, key, parent.rank};
  Answer own;
  {
    const std::size_t there = parent.rank == 0 ? static_cast<std::size_t>(parent.size()) : 0;
    std::vector<Wish> wishes = corespec::rank_vector<Wish>(there);
    std::vector<Answer> answers;
    gather(call, reinterpret_cast<const std::byte*>(&wish),
           reinterpret_cast<std::byte*>(wishes.data()), sizeof(Wish), 0);
    if (parent.rank == 0) answers = answer_all(parent, std::move(wishes));
    scatter(call, reinterpret_cast<const std::byte*>(answers.data()),
            reinterpret_cast<std::byte*>(&own), sizeof(Answer), 0);
  }
  if (own.size == 0) return {};
  if (own.stride != 0) return Group(own.first, own.stride, own.size);
  std::vector<int> members = collect_members(call, own);
  for (int& member : members) member = parent.group.job_rank(member);
  return Group(std::move(members));
}

}  // namespace netmod
