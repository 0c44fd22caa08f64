// PMI functions: start, end and abort.
#include <fmt/format.h>

#include "corespec/job/adopt_process.h"
#include "ugni_emu/pmi/pmi_caller.h"

using pmi::Caller;

extern "C" {

int PMI_Init(int* spawned) {
  const corespec::LibraryCall library_call(corespec::adopt_thread(), "PMI_Init");
  corespec::Process* const process = corespec::this_process_or_null();
  if (process == nullptr) return PMI_FAIL;
  if (spawned == nullptr) return PMI_FAIL;
  *spawned = PMI_FALSE;
  pmi::State& state = pmi::state_of(*process);
  ++state.starts;
  state.ended = false;
  process->begin_library(corespec::Process::Slot::pmi);
  return PMI_SUCCESS;
}

int PMI_Initialized(PMI_BOOL* initialized) {
  if (initialized == nullptr) return PMI_ERR_INVALID_ARG;
  *initialized = pmi::started(corespec::this_process_or_null()) ? PMI_TRUE : PMI_FALSE;
  return PMI_SUCCESS;
}

int PMI_Finalize(void) {
  if (!pmi::started(corespec::this_process_or_null())) return PMI_FAIL;
  return pmi::call("PMI_Finalize", [](Caller& caller) {
    pmi::State& state = caller.state();
    if (state.starts > 0) --state.starts;
    if (state.starts == 0) {
      state.ended = true;
      caller.process().end_library(corespec::Process::Slot::pmi);
    }
    return true;
  });
}

int PMI_Abort(int exit_code, const char message[]) {
  const corespec::LibraryCall library_call(corespec::adopt_thread(), "PMI_Abort");
  corespec::Process* const process = corespec::this_process_or_null();
  if (process == nullptr) return PMI_FAIL;
  const std::string why = message == nullptr || message[0] == '\0'
                              ? fmt::format("called PMI_Abort with code {}", exit_code)
                              : message;
  process->job().abort(*process, exit_code, why);
  return PMI_FAIL;  // it has not returned
}

}  // extern "C"
