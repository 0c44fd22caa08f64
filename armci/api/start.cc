// ARMCI functions: start, end, errors.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "armci/api/armci_call.h"
#include "corespec/job/job.h"

namespace armci {
namespace {

/// Collective. What deleting the attribute of MPI_COMM_SELF leads to.
int end(MPI_Comm, int key, void*, void*) {
  const Call call("ARMCI_Finalize");
  call->close();
  PMPI_Comm_free_keyval(&key);
  call->process().set_state(corespec::Process::Slot::armci, nullptr);
  return MPI_SUCCESS;
}

/// A program that forgets ARMCI_Finalize would leave helpers to serve those that have gone:
/// MPI_Finalize deletes MPI_COMM_SELF's attributes first, while MPI still works.
void end_with_mpi(State& state) {
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &end, &state.end_key, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, state.end_key, nullptr);
}

int start(MPI_Comm comm) {
  int initialized = 0;
  PMPI_Initialized(&initialized);
  if (initialized == 0) PMPI_Init(nullptr, nullptr);
  const corespec::LibraryCall library_call("ARMCI_Init");
  corespec::Process& process = *corespec::this_process_or_null();
  if (State* state = this_state()) {
    ++state->starts;
    return ok;
  }
  int likeness = MPI_IDENT;
  if (comm != MPI_COMM_WORLD) PMPI_Comm_compare(comm, MPI_COMM_WORLD, &likeness);
  if (likeness != MPI_IDENT && likeness != MPI_CONGRUENT) {
    fail("ARMCI_Init", "the communicator has not the ranks of MPI_COMM_WORLD in their order");
  }
  process.set_state(corespec::Process::Slot::armci, std::make_unique<State>(process, comm));
  end_with_mpi(*this_state());
  return ok;
}

}  // namespace

}  // namespace armci

extern "C" {

int PARMCI_Init(void) { return armci::start(MPI_COMM_WORLD); }
int PARMCI_Init_args(int*, char***) { return armci::start(MPI_COMM_WORLD); }
int PARMCI_Init_mpi_comm(MPI_Comm comm) { return armci::start(comm); }
int PARMCI_Init_thread(int) { return armci::start(MPI_COMM_WORLD); }
int PARMCI_Init_thread_comm(int, MPI_Comm comm) { return armci::start(comm); }

int ARMCI_Initialized(void) { return armci::this_state() != nullptr ? 1 : 0; }

int PARMCI_Finalize(void) {
  const armci::Call call("ARMCI_Finalize");
  if (--call->starts > 0) return armci::ok;
  PMPI_Comm_delete_attr(MPI_COMM_SELF, call->end_key);
  return armci::ok;
}

void ARMCI_Cleanup(void) {}

void ARMCI_Error(const char* message, int code) {
  corespec::Process* process = corespec::this_process_or_null();
  const char* text = message == nullptr ? "" : message;
  if (process == nullptr) std::abort();
  const corespec::LibraryCall library_call("ARMCI_Error");
  process->job().abort(*process, code == 0 ? 1 : code,
                       fmt::format("ARMCI_Error: {} (code {})", text, code));
}

void armci_msg_abort(int code) { ARMCI_Error("armci_msg_abort", code); }

}  // extern "C"

ARMCI_PUBLIC(Init);
ARMCI_PUBLIC(Init_args);
ARMCI_PUBLIC(Init_mpi_comm);
ARMCI_PUBLIC(Init_thread);
ARMCI_PUBLIC(Init_thread_comm);
ARMCI_PUBLIC(Finalize);
