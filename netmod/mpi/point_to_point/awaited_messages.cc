// What waits for requests and messages are for, as text for people.
#include "netmod/mpi/point_to_point/awaited_messages.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/groups/communicators.h"
#include "netmod/mpi/groups/people.h"
#include "netmod/mpi/point_to_point/request.h"
#include "netmod/mpi/point_to_point/requests.h"

namespace netmod {
namespace {

using corespec::Situation;

std::string request_text(RankState& rank, const RequestRecord& record) {
  if (record.collective()) {
    return fmt::format("{} on {}", record.extras->schedule->function(),
                       people::communicator_text(rank.communicators().find(record.comm)));
  }
  if (record.one_sided()) return "a one-sided transfer";
  if (record.generalized() != nullptr) return "a generalized request";
  return people::message_text(rank, rank.device().pending(*record.device));
}

}  // namespace

bool AwaitedRequests::describe(Situation& to) const {
  std::vector<std::string> texts;
  const RequestRecord* last = nullptr;
  for (const MPI_Request request : requests_) {
    const RequestRecord* record = rank_.requests().made.find(request);
    if (record == nullptr || record->done()) continue;
    texts.push_back(request_text(rank_, *record));
    last = record;
  }
  if (texts.empty()) return false;
  if (texts.size() == 1 && last->collective()) {
    if (const Communicator* comm = rank_.communicators().find(last->comm)) {
      const Schedule& schedule = *last->extras->schedule;
      to.meeting = people::meeting(*comm, schedule.function(), schedule.number());
    }
  }
  people::add_pending(std::move(texts), requests_.size(), to);
  return true;
}

bool AwaitedMessage::describe(Situation& to) const {
  const Communicator* comm = people::find_by_number(rank_, envelope_.context / 2);
  to.details =
      fmt::format(": a message from {}, {}, {}", people::peer_text(rank_, comm, envelope_.source),
                  people::tag_text(envelope_.tag), people::communicator_text(comm));
  return true;
}

bool AwaitedSends::describe(Situation& to) const {
  const std::vector<PendingMessage> messages = people::pending_messages(rank_, nullptr);
  if (messages.empty()) return false;
  people::add_pending(people::texts_of(rank_, messages), messages.size(), to);
  return true;
}

}  // namespace netmod
