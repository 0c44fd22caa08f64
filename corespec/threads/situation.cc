// What a thread of a rank is doing, as text for people, and what it waits for.
#include "corespec/threads/situation.h"

#include <fmt/format.h>

#include "corespec/job/process.h"

namespace corespec {

std::string Situation::rank(int number) {
  return fmt::format("{}{}{}", rank_begins, number, rank_ends);
}

Situation situation_of(const Thread& thread) {
  Situation situation;
  if (const char* call = thread.call()) situation.call = call;
  // From the inside out: what is said last is what the outermost says.
  for (const Awaited* awaited = thread.awaited(); awaited != nullptr; awaited = awaited->outer()) {
    Situation said;
    said.call = thread.call() == nullptr ? "" : thread.call();
    if (awaited->describe(said)) situation = std::move(said);
  }
  if (const Process* process = thread.process()) process->add_facts(situation);
  return situation;
}

}  // namespace corespec
