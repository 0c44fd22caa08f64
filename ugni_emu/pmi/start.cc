// PMI functions: start, end and abort.
#include <fmt/format.h>

#include "corespec/job/adopt_process.h"
#include "ugni_emu/pmi/pmi_caller.h"

using pmi::Caller;

extern "C" {

int PMI_Init(int* spawned) {
  corespec::Process* process = corespec::adopt_process();
  const corespec::LibraryCall library_call("PMI_Init");
  if (process == nullptr) return PMI_FAIL;
  if (spawned == nullptr) return PMI_FAIL;
  *spawned = PMI_FALSE;
  ++pmi::state_of(*process).starts;
  process->begin_library(corespec::Process::Slot::pmi);
  return PMI_SUCCESS;
}

int PMI_Initialized(PMI_BOOL* initialized) {
  if (initialized == nullptr) return PMI_FAIL;
  *initialized = pmi::started(corespec::this_process_or_null()) ? PMI_TRUE : PMI_FALSE;
  return PMI_SUCCESS;
}

int PMI_Finalize(void) {
  return pmi::call("PMI_Finalize", [](Caller& caller) {
    int& starts = caller.state().starts;
    if (starts > 0 && --starts == 0) {
      caller.process().end_library(corespec::Process::Slot::pmi);
    }
    return true;
  });
}

int PMI_Abort(int exit_code, const char message[]) {
  corespec::Process* process = corespec::this_process_or_null();
  if (process == nullptr) return PMI_FAIL;
  const corespec::LibraryCall library_call("PMI_Abort");
  const std::string why = message == nullptr || message[0] == '\0'
                              ? fmt::format("called PMI_Abort with code {}", exit_code)
                              : message;
  process->job().abort(*process, exit_code, why);
  return PMI_FAIL;  // it has not returned
}

}  // extern "C"
