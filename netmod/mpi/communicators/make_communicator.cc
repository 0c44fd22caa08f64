// Making communicators: agreement on a context.
#include "netmod/mpi/communicators/make_communicator.h"

#include <fmt/format.h>

#include <array>

#include "netmod/mpi/calls/error_handlers.h"
#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/collectives/algorithms/collectives.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/communicators/highest.h"
#include "netmod/mpi/communicators/verdict.h"
#include "netmod/mpi/groups/communicators.h"
#include "netmod/mpi/point_to_point/request.h"

namespace netmod {
namespace {

std::byte* bytes_of(std::array<std::uint32_t, 2>& offer) {
  return reinterpret_cast<std::byte*>(offer.data());
}

/// A non-blocking agreement. Its parent's handle may be freed meanwhile: it has what it needs.
struct Agreement {
  Communicator parent;
  MPI_Comm made = MPI_COMM_NULL;
  std::unique_ptr<ContextAgreement> on_number;
};

void write_round(RankState& rank, Schedule& schedule, const std::shared_ptr<Agreement>& agreement) {
  allreduce_of_all(CollectiveCall{rank, agreement->parent, &schedule}, highest_of(rank),
                   bytes_of(agreement->on_number->begin_round()), 2);
  schedule.call([&rank, &schedule, agreement] {
    if (!agreement->on_number->end_round()) {
      write_round(rank, schedule, agreement);
    } else if (agreement->on_number->failed()) {
      schedule.fail(MPI_ERR_OTHER);
    } else if (Communicator* made = rank.communicators().find(agreement->made)) {
      made->context = agreement->on_number->number();
    }
  });
}

/// Of a communicator that has the caller alone.
std::uint32_t own_context(RankState& rank) {
  return failure_for_room(rank) == 0 ? rank.communicators().next_own_context++
                                     : first_failure + no_room;
}

/// The ranks in `parent` of a group within it; `table` holds them if no rule describes them.
Lineup lineup_of(const Group& group, const Group& parent, int job_rank, std::vector<int>& table) {
  const int self = group.member(job_rank);
  if (!group.has_table() && !parent.has_table()) {
    const int first = parent.member(group.job_rank(0));
    const int step = parent.member(group.job_rank(1)) - first;
    return Lineup::rule(group.size(), self, step, first, 1);
  }
  table = parent.members_of(group.job_ranks());
  return Lineup::table(table.data(), group.size(), self);
}

}  // namespace

std::uint32_t failure_for_room(const RankState& rank, std::uint32_t made) {
  return rank.communicators().made.count() - made < most_communicators ? 0 : no_room;
}

std::uint32_t checked_context(std::uint32_t context) {
  if (context < first_failure) return context;
  fail(MPI_ERR_OTHER,
       fmt::format("too many communicators (allowed: {} of a rank at a time)", most_communicators));
}

std::uint32_t agree_on_context(RankState& rank, const Communicator& parent,
                               const Verdict& verdict) {
  if (parent.size() == 1 && !parent.inter()) {
    if (!verdict.good()) verdict.fail(verdict.error_class());
    return checked_context(own_context(rank));
  }
  const Reduction highest = highest_of(rank);
  const auto round = [&](std::array<std::uint32_t, 2>& offer) {
    allreduce_of_all(CollectiveCall{rank, parent}, highest, bytes_of(offer), 2);
  };
  // Codes of the program's own are too large to travel.
  const auto own = static_cast<std::uint32_t>(verdict.error_class());
  const std::uint32_t failure = verdict.good()  ? failure_for_room(rank)
                                : own < no_room ? own
                                                : MPI_ERR_OTHER;
  const std::uint32_t context =
      agree(rank.communicators().contexts, {parent.context, 0}, failure, round);
  if (context >= first_failure && (!verdict.good() || context - first_failure != no_room)) {
    verdict.fail(static_cast<int>(context - first_failure));
  }
  return checked_context(context);
}

Communicator& add_communicator(RankState& rank, const Communicator& like, Group group,
                               std::uint32_t context) {
  MPI_Comm handle = MPI_COMM_NULL;
  auto* place = rank.communicators().made.add(handle);
  if (place == nullptr) fail(MPI_ERR_NO_MEM, "too many communicators");
  *place = std::make_unique<Communicator>();
  Communicator& made = **place;
  made.handle = handle;
  made.rank = group.member(rank.process().rank());
  made.group = std::move(group);
  made.context = context;
  made.error_handler = like.error_handler;
  keep_error_handler(rank, made.error_handler);
  return made;
}

Communicator* make_communicator(RankState& rank, const Communicator& parent, Group group,
                                const Verdict& verdict) {
  const std::uint32_t context = agree_on_context(rank, parent, verdict);
  if (group.size() == 0) return nullptr;
  return &add_communicator(rank, parent, std::move(group), context);
}

Communicator& make_communicator_of(RankState& rank, const Communicator& parent, const Group& group,
                                   int tag) {
  if (group.size() == 1) {
    return add_communicator(rank, parent, group, checked_context(own_context(rank)));
  }
  std::vector<int> table;  // nothing may grow with the group where a rule describes it
  const Lineup lineup = lineup_of(group, parent.group, rank.process().rank(), table);
  const CollectiveCall call{rank, parent};
  const int own_tag = create_group_tags + tag % create_group_tags;
  const Transfer among = Transfer::tagged(call, own_tag, lineup);
  const Reduction highest = highest_of(rank);
  const auto round = [&](std::array<std::uint32_t, 2>& offer) {
    reduce(among, highest, bytes_of(offer), bytes_of(offer), 2, 0);
    broadcast(among, bytes_of(offer), sizeof offer, 0);
  };
  std::array<std::uint32_t, 2> entered{};
  round(entered);
  const std::uint32_t context = agree(rank.communicators().late_contexts(),
                                      {parent.context, own_tag}, failure_for_room(rank), round);
  return add_communicator(rank, parent, group, checked_context(context));
}

Communicator& copy_communicator(RankState& rank, const Communicator& parent) {
  Communicator& made = add_communicator(rank, parent, parent.group, 0);
  if (parent.inter()) made.remote = std::make_unique<const Group>(*parent.remote);
  if (parent.extras != nullptr && parent.extras->topology != nullptr) {
    made.need_extras().topology = parent.extras->topology;
  }
  if (parent.extras != nullptr && !parent.extras->info.empty()) {
    made.need_extras().info = parent.extras->info;
  }
  return made;
}

MPI_Request start_agreement(RankState& rank, Communicator& parent, const Communicator& made) {
  auto schedule = std::make_unique<Schedule>(rank, parent.schedule_tag());
  schedule->if_it_fails([&rank, handle = made.handle] {
    MPI_Comm failed = handle;
    if (rank.communicators().find(failed) != nullptr) free_communicator(rank, failed);
  });
  if (parent.size() == 1 && !parent.inter()) {
    if (failure_for_room(rank, 1) != 0) schedule->fail(MPI_ERR_OTHER);
    rank.communicators().find(made.handle)->context = rank.communicators().next_own_context++;
    return start_schedule(rank, parent.handle, std::move(schedule));
  }
  auto agreement = std::make_shared<Agreement>();
  agreement->parent.rank = parent.rank;
  agreement->parent.group = parent.group;
  agreement->parent.context = parent.context;
  if (parent.inter()) agreement->parent.remote = std::make_unique<const Group>(*parent.remote);
  agreement->made = made.handle;
  const CollectiveCall call{rank, agreement->parent, schedule.get()};
  if (parent.inter()) {
    barrier_of_both(call);
  } else {
    barrier(call);
  }
  schedule->call([&rank, plan = schedule.get(), agreement] {
    const ContextKey key{agreement->parent.context, plan->tag()};
    agreement->on_number = std::make_unique<ContextAgreement>(rank.communicators().late_contexts(),
                                                              key, failure_for_room(rank, 1));
    write_round(rank, *plan, agreement);
  });
  return start_schedule(rank, parent.handle, std::move(schedule));
}

}  // namespace netmod
