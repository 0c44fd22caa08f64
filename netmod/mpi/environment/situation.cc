// What a rank's MPI calls wait for, as text for people.
#include "netmod/mpi/environment/situation.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "corespec/host/printable.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/windows/window.h"

namespace netmod {
namespace {

using corespec::Situation;

constexpr std::size_t most_lines = 4;

bool is_world(const RankState& rank, const Group& group) {
  return !group.has_table() && group.size() == rank.job().size() && group.job_rank(0) == 0;
}

/// Null: it has been freed.
const Communicator* find_by_number(RankState& rank, std::uint32_t number) {
  if (number == rank.world().context) return &rank.world();
  if (number == rank.self().context) return &rank.self();
  const Communicator* found = nullptr;
  rank.communicators.for_each([&](const std::unique_ptr<Communicator>& each) {
    if (each->context == number) found = each.get();
  });
  return found;
}

bool is_collective(const Envelope& envelope) { return envelope.context % 2 != 0; }

/// False: the library's own.
bool is_programs(RankState& rank, const Envelope& envelope) {
  if (is_collective(envelope) || find_by_number(rank, envelope.context / 2) == nullptr)
    return false;
  bool of_window = false;
  if (!rank.has_extras()) return true;
  rank.extras().windows.for_each([&](const std::shared_ptr<Window>& window) {
    of_window |=
        window->members != nullptr && window->members->message_context() == envelope.context;
  });
  return !of_window;
}

std::string communicator_text(const Communicator* comm) {
  if (comm == nullptr) return "a communicator that has been freed";
  if (comm->extras != nullptr && !comm->extras->name.empty()) {
    return fmt::format("communicator \"{}\"", corespec::printable(comm->extras->name));
  }
  if (comm->handle == MPI_COMM_WORLD) return "MPI_COMM_WORLD";
  if (comm->handle == MPI_COMM_SELF) return "MPI_COMM_SELF";
  if (comm->inter()) {
    return fmt::format("an intercommunicator of {} and {} ranks", comm->size(),
                       comm->remote->size());
  }
  return fmt::format("a communicator of {} ranks", comm->size());
}

/// A peer in point-to-point calls on `comm`.
std::string peer_text(const RankState& rank, const Communicator* comm, int member) {
  if (member == any_source) return "any rank";
  if (comm == nullptr || member < 0 || member >= comm->peers().size()) {
    return fmt::format("rank {} there", member);
  }
  const int job_rank = comm->peers().job_rank(member);
  if (is_world(rank, comm->peers())) return Situation::rank(job_rank);
  return fmt::format("rank {} ({} of the job)", member, Situation::rank(job_rank));
}

std::string tag_text(int tag) {
  return tag == any_tag ? std::string("any tag") : fmt::format("tag {}", tag);
}

std::string message_text(RankState& rank, const PendingMessage& message) {
  const Communicator* comm = find_by_number(rank, message.envelope.context / 2);
  std::string text;
  if (message.kind == PendingMessage::Kind::send) {
    const int member = comm == nullptr ? -1 : comm->peers().member(message.peer);
    text = fmt::format("send of {} bytes to {}", message.bytes,
                       member < 0 ? Situation::rank(message.peer) : peer_text(rank, comm, member));
  } else {
    const char* form = message.kind == PendingMessage::Kind::receive
                           ? "receive of up to {} bytes from {}"
                           : "{} bytes from {}";
    text = fmt::format(fmt::runtime(form), message.bytes,
                       peer_text(rank, comm, message.envelope.source));
  }
  if (!is_collective(message.envelope)) text += ", " + tag_text(message.envelope.tag);
  text += ", " + communicator_text(comm);
  if (message.met) text += "; its message has been announced";
  return text;
}

void add_lines(const std::vector<std::string>& lines, std::size_t all, std::string_view more,
               Situation& to) {
  to.notes.insert(to.notes.end(), lines.begin(), lines.end());
  if (all > lines.size())
    to.notes.push_back(fmt::format("and {} more {}", all - lines.size(), more));
}

/// One or two in the line of the call, more below it.
void add_pending(std::vector<std::string> texts, std::size_t of, Situation& to) {
  if (texts.size() <= 2) {
    to.details = ": " + texts.front();
    if (texts.size() == 2) to.details += "; " + texts.back();
    return;
  }
  to.details = fmt::format(": {} of {} requests are pending", texts.size(), of);
  const std::size_t all = texts.size();
  texts.resize(std::min(all, most_lines));
  add_lines(texts, all, "pending requests", to);
}

/// The same at all members. Groups that have no member in common may have one number.
std::string meeting_place(const Communicator& comm) {
  int first = comm.group.job_rank(0);
  if (comm.inter()) first = std::min(first, comm.remote->job_rank(0));
  return fmt::format("MPI {} {}", comm.context, first);
}

Situation::Meeting meeting(const Communicator& comm, const char* call, std::uint32_t number) {
  Group theirs;
  if (comm.inter()) theirs = *comm.remote;
  return {meeting_place(comm), call, number, [own = comm.group, theirs] {
            std::vector<int> members = own.job_ranks();
            const std::vector<int> others = theirs.job_ranks();
            members.insert(members.end(), others.begin(), others.end());
            std::sort(members.begin(), members.end());
            return members;
          }};
}

void add_collective(const Communicator* comm, Situation& to) {
  to.details = " on " + communicator_text(comm);
  if (comm == nullptr || comm->last_entered == nullptr || to.call != comm->last_entered) return;
  to.meeting = meeting(*comm, comm->last_entered, comm->entered);
}

/// The requests of `awaited`, null: all sends.
std::vector<PendingMessage> pending(RankState& rank, const Condition* awaited) {
  std::vector<PendingMessage> messages;
  if (rank.finalized()) return messages;
  rank.device().visit_pending(
      awaited, [&messages](const PendingMessage& message) { messages.push_back(message); });
  return messages;
}

std::vector<std::string> texts_of(RankState& rank, const std::vector<PendingMessage>& messages) {
  std::vector<std::string> texts;
  std::transform(messages.begin(), messages.end(), std::back_inserter(texts),
                 [&rank](const PendingMessage& message) { return message_text(rank, message); });
  return texts;
}

std::string request_text(RankState& rank, const RequestRecord& record) {
  if (record.collective()) {
    return fmt::format("{} on {}", record.extras->schedule->function(),
                       communicator_text(rank.find_communicator(record.comm)));
  }
  if (record.one_sided()) return "a one-sided transfer";
  if (record.generalized() != nullptr) return "a generalized request";
  return message_text(rank, rank.device().pending(*record.device));
}

std::string window_text(const Window& window) {
  if (!window.extras.name.empty())
    return fmt::format("window \"{}\"", corespec::printable(window.extras.name));
  if (window.members == nullptr) return "a window";
  return fmt::format("a window of {} ranks", window.members->size());
}

std::string lock_name(const Window& window, int job_rank) {
  return fmt::format("MPI window {} {}", meeting_place(*window.members), job_rank);
}

}  // namespace

bool AwaitedCondition::describe(Situation& to) const {
  const std::vector<PendingMessage> messages = pending(rank_, &condition_);
  if (messages.empty()) return false;
  if (is_collective(messages.front().envelope)) {
    add_collective(find_by_number(rank_, messages.front().envelope.context / 2), to);
  } else {
    add_pending(texts_of(rank_, messages), messages.size(), to);
  }
  return true;
}

bool AwaitedRequests::describe(Situation& to) const {
  std::vector<std::string> texts;
  const RequestRecord* last = nullptr;
  for (const MPI_Request request : requests_) {
    const RequestRecord* record = rank_.requests.find(request);
    if (record == nullptr || record->done()) continue;
    texts.push_back(request_text(rank_, *record));
    last = record;
  }
  if (texts.empty()) return false;
  if (texts.size() == 1 && last->collective()) {
    if (const Communicator* comm = rank_.find_communicator(last->comm)) {
      const Schedule& schedule = *last->extras->schedule;
      to.meeting = meeting(*comm, schedule.function(), schedule.number());
    }
  }
  add_pending(std::move(texts), requests_.size(), to);
  return true;
}

bool AwaitedMessage::describe(Situation& to) const {
  const Communicator* comm = find_by_number(rank_, envelope_.context / 2);
  to.details = fmt::format(": a message from {}, {}, {}", peer_text(rank_, comm, envelope_.source),
                           tag_text(envelope_.tag), communicator_text(comm));
  return true;
}

bool AwaitedSends::describe(Situation& to) const {
  const std::vector<PendingMessage> messages = pending(rank_, nullptr);
  if (messages.empty()) return false;
  add_pending(texts_of(rank_, messages), messages.size(), to);
  return true;
}

bool AwaitedWindow::describe(Situation& to) const {
  const Communicator& members = *window_.members;
  to.details = " on " + window_text(window_);
  if (lock_of_ >= 0) {
    to.details += fmt::format(", for the lock of {}", peer_text(rank_, &members, lock_of_));
    to.wants = lock_name(window_, members.group.job_rank(lock_of_));
    return true;
  }
  std::vector<std::string> origins;
  for (const Request* request : window_.epochs.completions) {
    if (request->complete()) continue;
    origins.push_back(peer_text(rank_, &members, rank_.device().pending(*request).envelope.source));
  }
  if (origins.empty()) return true;
  const std::size_t more = origins.size() - std::min(origins.size(), most_lines);
  origins.resize(origins.size() - more);
  to.details += fmt::format(", for MPI_Win_complete of {}", fmt::join(origins, ", "));
  if (more != 0) to.details += fmt::format(" and {} more", more);
  return true;
}

void add_facts(RankState& rank, Situation& to) {
  if (rank.finalized()) return;
  if (!to.may_look(rank.device().mutex())) {
    to.facts_known = false;
    return;
  }
  std::vector<std::string> lines;
  std::size_t all = 0;
  rank.device().visit_unexpected([&](const PendingMessage& message) {
    if (!is_programs(rank, message.envelope)) return;
    if (++all > most_lines) return;
    lines.push_back("unexpected there: " + message_text(rank, message));
  });
  add_lines(lines, all, "unexpected messages", to);

  const auto entered = [&to](const Communicator& comm) {
    if (comm.last_entered == nullptr || comm.size() == 0) return;
    to.entered[meeting_place(comm)] = {comm.entered, comm.last_entered};
  };
  entered(rank.world());
  rank.communicators.for_each([&](const std::unique_ptr<Communicator>& each) { entered(*each); });
  if (!rank.has_extras()) return;
  rank.extras().windows.for_each([&](const std::shared_ptr<Window>& window) {
    for (const auto& [number, target] : window->targets) {
      if (target.lock != LockHeld::shared && target.lock != LockHeld::exclusive) continue;
      to.holds.push_back(lock_name(*window, target.job_rank));
    }
  });
}

}  // namespace netmod
