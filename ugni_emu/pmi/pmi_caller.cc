// The rank that calls a PMI function, and what PMI keeps for it.
#include "ugni_emu/pmi/pmi_caller.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "corespec/host/printable.h"

namespace pmi {

std::string Caller::job_name() const { return fmt::format("job_{}", job().apid()); }

State& state_of(corespec::Process& process) {
  using Slot = corespec::Process::Slot;
  if (process.state(Slot::pmi) == nullptr) process.set_state(Slot::pmi, std::make_unique<State>());
  return *static_cast<State*>(process.state(Slot::pmi));
}

bool started(const corespec::Process* process) {
  using Slot = corespec::Process::Slot;
  if (process == nullptr) return false;
  const auto* state = static_cast<const State*>(process->state(Slot::pmi));
  return (state != nullptr && !state->ended) || process->state(Slot::mpi) != nullptr;
}

corespec::Process* starting_process() {
  corespec::Process* const process = corespec::this_process_or_null();
  if (process == nullptr) return nullptr;
  state_of(*process);
  return started(process) ? process : nullptr;
}

void report(const char* function, std::string_view what) {
  fmt::print(stderr, "castor: {}: {}\n", function, corespec::printable(what));
}

bool give_text(std::string_view text, char* to, int length) {
  if (to == nullptr || length < 0 || text.size() >= static_cast<std::size_t>(length)) return false;
  text.copy(to, text.size());
  to[text.size()] = '\0';
  return true;
}

int give_text_for_code(std::string_view text, char* to, int length) {
  if (to == nullptr) return PMI_ERR_INVALID_ARG;
  return give_text(text, to, length) ? PMI_SUCCESS : PMI_ERR_INVALID_LENGTH;
}

}  // namespace pmi
