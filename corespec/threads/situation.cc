// What a thread of a rank is doing, as text for people, and what it waits for.
#include "corespec/threads/situation.h"

#include <fmt/format.h>

#include <utility>

#include "corespec/threads/calling_context.h"
#include "corespec/threads/process.h"

namespace corespec {

std::string Situation::rank(int number) {
  return fmt::format("{}{}{}", rank_begins, number, rank_ends);
}

namespace {

Situation situation_from(const Thread& thread, Situation situation) {
  const Situation empty = situation;
  const char* const name = thread.call();
  if (name != nullptr) situation.call = name;
  const LibraryCall* const call = thread.library_call();
  const Awaited* awaited = call == nullptr ? nullptr : call->awaited();
  // From the inside out: what is said last is what the outermost says.
  for (; awaited != nullptr; awaited = awaited->outer()) {
    Situation said = empty;
    said.call = situation.call;
    if (awaited->describe(said)) situation = std::move(said);
  }
  if (const Process* process = thread.process()) process->add_facts(situation);
  return situation;
}

}  // namespace

Situation situation_of(const Thread& thread) { return situation_from(thread, {}); }

Situation own_situation(const Thread& thread, const Mutex* held) {
  Situation situation;
  situation.alone = false;
  situation.held = held;
  situation.context.resize(most_context);
  situation.context.resize(own_context(situation.context));
  return situation_from(thread, std::move(situation));
}

}  // namespace corespec
