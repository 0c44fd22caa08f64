// MPI functions: start and end, thread levels, clocks, names.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "corespec/host/what_happened.h"
#include "corespec/job/adopt_process.h"
#include "corespec/threads/node.h"
#include "corespec/threads/thread.h"
#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/environment/rank_tables.h"

namespace netmod {
namespace {

int initialise(const char* function, ThreadLevel level) {
  corespec::Process* process = corespec::adopt_process();
  const corespec::LibraryCall library_call(function);
  if (process == nullptr) std::exit(EXIT_FAILURE);
  if (process->state(corespec::Process::Slot::mpi) != nullptr) {
    return call(function, [](RankState&) { fail(MPI_ERR_OTHER, "MPI is initialised already"); });
  }
  try {
    process->set_state(corespec::Process::Slot::mpi, std::make_unique<RankTables>(*process, level));
  } catch (const std::exception& error) {  // no memory, a system call
    process->job().abort(*process, MPI_ERR_OTHER,
                         fmt::format("{}: {}", function, corespec::what_happened(error)));
  }
  process->begin_library(corespec::Process::Slot::mpi);
  return MPI_SUCCESS;
}

int give_text(std::string_view text, std::size_t capacity, char* to, int* length) {
  const std::size_t fits = std::min(text.size(), capacity - 1);
  std::memcpy(to, text.data(), fits);
  to[fits] = '\0';
  *length = static_cast<int>(fits);
  return MPI_SUCCESS;
}

constexpr std::string_view library_version =
    "Castor 0.1.0: MPI 3.1 over an emulated Gemini (MPICH ABI)";

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::RankState;

extern "C" {

int PMPI_Init(int*, char***) { return netmod::initialise("MPI_Init", netmod::ThreadLevel::single); }
NETMOD_PUBLISH(Init);

int PMPI_Init_thread(int*, char***, int required, int* provided) {
  const corespec::LibraryCall whole("MPI_Init_thread");
  const bool known = required >= MPI_THREAD_SINGLE && required <= MPI_THREAD_MULTIPLE;
  const int result = netmod::initialise(
      "MPI_Init_thread", static_cast<netmod::ThreadLevel>(known ? required : MPI_THREAD_SINGLE));
  if (result != MPI_SUCCESS) return result;
  return call("MPI_Init_thread", [&](RankState& rank) {
    netmod::check_pointer(provided, "provided");
    if (!known) {
      netmod::fail(MPI_ERR_ARG, fmt::format("required is {} (allowed: MPI_THREAD_SINGLE to "
                                            "MPI_THREAD_MULTIPLE)",
                                            required));
    }
    *provided = static_cast<int>(rank.level());
  });
}
NETMOD_PUBLISH(Init_thread);

int PMPI_Initialized(int* flag) {
  if (flag == nullptr) return MPI_ERR_ARG;
  *flag = netmod::this_rank_or_null() != nullptr ? 1 : 0;
  return MPI_SUCCESS;
}
NETMOD_PUBLISH(Initialized);

int PMPI_Finalized(int* flag) {
  if (flag == nullptr) return MPI_ERR_ARG;
  const RankState* rank = netmod::this_rank_or_null();
  *flag = rank != nullptr && rank->finalized() ? 1 : 0;
  return MPI_SUCCESS;
}
NETMOD_PUBLISH(Finalized);

int PMPI_Finalize(void) {
  return call("MPI_Finalize", [](RankState& rank) { rank.finalize(); });
}
NETMOD_PUBLISH(Finalize);

int PMPI_Query_thread(int* provided) {
  return call("MPI_Query_thread", [&](RankState& rank) {
    netmod::check_pointer(provided, "provided");
    *provided = static_cast<int>(rank.level());
  });
}
NETMOD_PUBLISH(Query_thread);

int PMPI_Is_thread_main(int* flag) {
  return call("MPI_Is_thread_main", [&](RankState& rank) {
    netmod::check_pointer(flag, "flag");
    *flag = rank.main_thread() == corespec::this_thread_or_null() ? 1 : 0;
  });
}
NETMOD_PUBLISH(Is_thread_main);

int PMPI_Abort(MPI_Comm, int errorcode) {
  RankState* rank = netmod::this_rank_or_null();
  if (rank == nullptr) netmod::report_not_running("MPI_Abort");
  rank->job().abort(rank->process(), errorcode,
                    fmt::format("called MPI_Abort with error code {}", errorcode));
  std::abort();
}
NETMOD_PUBLISH(Abort);

double PMPI_Wtime(void) {
  corespec::Thread* const thread = corespec::this_thread_or_null();
  return thread == nullptr ? 0.0 : thread->look_at_clock("MPI_Wtime").s();
}
NETMOD_PUBLISH(Wtime);

// Times are whole picoseconds; the host's clock, live, steps in nanoseconds.
double PMPI_Wtick(void) { return 1e-9; }
NETMOD_PUBLISH(Wtick);

int PMPI_Get_processor_name(char* name, int* resultlen) {
  return call("MPI_Get_processor_name", [&](RankState& rank) {
    netmod::check_pointer(name, "name");
    netmod::check_pointer(resultlen, "resultlen");
    netmod::give_text(fmt::format("nid{:05}", rank.process().node().nid()), MPI_MAX_PROCESSOR_NAME,
                      name, resultlen);
  });
}
NETMOD_PUBLISH(Get_processor_name);

int PMPI_Get_version(int* version, int* subversion) {
  if (version == nullptr || subversion == nullptr) return MPI_ERR_ARG;
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}
NETMOD_PUBLISH(Get_version);

int PMPI_Get_library_version(char* version, int* resultlen) {
  if (version == nullptr || resultlen == nullptr) return MPI_ERR_ARG;
  return netmod::give_text(netmod::library_version, MPI_MAX_LIBRARY_VERSION_STRING, version,
                           resultlen);
}
NETMOD_PUBLISH(Get_library_version);

int PMPI_Pcontrol(const int, ...) { return MPI_SUCCESS; }
NETMOD_PUBLISH(Pcontrol);

}  // extern "C"
