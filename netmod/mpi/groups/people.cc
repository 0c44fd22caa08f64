// Communicators, peers and messages as text for people.
#include "netmod/mpi/groups/people.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "corespec/host/printable.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/groups/communicators.h"

namespace netmod::people {
namespace {

using corespec::Situation;

bool is_world(const RankState& rank, const Group& group) {
  return !group.has_table() && group.size() == rank.job().size() && group.job_rank(0) == 0;
}

}  // namespace

const Communicator* find_by_number(RankState& rank, std::uint32_t number) {
  if (number == rank.communicators().world().context) return &rank.communicators().world();
  if (number == rank.communicators().self().context) return &rank.communicators().self();
  const Communicator* found = nullptr;
  rank.communicators().made.for_each([&](const std::unique_ptr<Communicator>& each) {
    if (each->context == number) found = each.get();
  });
  return found;
}

bool is_collective(const Envelope& envelope) { return envelope.context % 2 != 0; }

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

std::vector<PendingMessage> pending_messages(RankState& rank, const Condition* awaited) {
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

}  // namespace netmod::people
