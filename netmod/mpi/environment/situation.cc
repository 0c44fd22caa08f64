// What a rank's MPI calls wait for, and what others may wait for: text for people.
#include <memory>
#include <string>
#include <vector>

#include "corespec/threads/situation.h"
#include "netmod/mpi/environment/rank_tables.h"
#include "netmod/mpi/groups/people.h"
#include "netmod/mpi/windows/awaited_window.h"

namespace netmod {

using corespec::Situation;

bool RankTables::is_programs(const Envelope& envelope) {
  if (people::is_collective(envelope) ||
      people::find_by_number(*this, envelope.context / 2) == nullptr)
    return false;
  bool of_window = false;
  windows_.made.for_each([&](const std::shared_ptr<Window>& window) {
    of_window |=
        window->members != nullptr && window->members->message_context() == envelope.context;
  });
  return !of_window;
}

bool RankTables::describe(const Condition& awaited, Situation& to) {
  const std::vector<PendingMessage> messages = people::pending_messages(*this, &awaited);
  if (messages.empty()) return false;
  if (people::is_collective(messages.front().envelope)) {
    people::add_collective(people::find_by_number(*this, messages.front().envelope.context / 2),
                           to);
  } else {
    people::add_pending(people::texts_of(*this, messages), messages.size(), to);
  }
  return true;
}

void RankTables::add_facts(Situation& to) {
  if (finalized()) return;
  if (!to.may_look(device().mutex())) {
    to.facts_known = false;
    return;
  }
  std::vector<std::string> lines;
  std::size_t all = 0;
  device().visit_unexpected([&](const PendingMessage& message) {
    if (!is_programs(message.envelope)) return;
    if (++all > people::most_lines) return;
    lines.push_back("unexpected there: " + people::message_text(*this, message));
  });
  people::add_lines(lines, all, "unexpected messages", to);

  const auto entered = [&to](const Communicator& comm) {
    if (comm.last_entered == nullptr || comm.size() == 0) return;
    to.entered[people::meeting_place(comm)] = {comm.entered, comm.last_entered};
  };
  entered(communicators_.world());
  communicators_.made.for_each([&](const std::unique_ptr<Communicator>& each) { entered(*each); });
  windows_.made.for_each([&](const std::shared_ptr<Window>& window) {
    for (const auto& [number, target] : window->targets) {
      if (target.lock != LockHeld::shared && target.lock != LockHeld::exclusive) continue;
      to.holds.push_back(lock_name(*window, target.job_rank));
    }
  });
}

}  // namespace netmod
