// A rank's MPI as a whole: start, end, and what takes all chapters to answer.
#include "netmod/mpi/environment/rank_tables.h"

#include <fmt/format.h>

#include <string>

#include "corespec/threads/process.h"
#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/communicators/make_communicator.h"
#include "netmod/mpi/point_to_point/awaited_messages.h"
#include "netmod/mpi/windows/window.h"

namespace netmod {

RankTables::RankTables(corespec::Process& process, ThreadLevel requested, GniCalls calls)
    : RankState(process, requested, calls,
                {.communicators = &communicators_,
                 .datatypes = &datatypes_,
                 .requests = &requests_,
                 .own_rules = nullptr,
                 .collectives = &collectives_,
                 .operations = &operations_,
                 .attributes = &attributes_,
                 .windows = &windows_}),
      communicators_(process.rank(), process.job().size()),
      collectives_(*this, parse_rules(parameters().collectives)) {
  if (!collectives_.rules.empty()) take_own_rules(&collectives_.rules);
}

// What the program left asks finalized() when it goes.
RankTables::~RankTables() { end_device(); }

void RankTables::finalize() {
  if (delete_attributes(*this, communicators_.self()) != MPI_SUCCESS) {
    fail(MPI_ERR_OTHER, "the delete function of an attribute of MPI_COMM_SELF failed");
  }
  const AwaitedSends for_people(*this);
  wait_until([this] {
    sweep_abandoned(*this);
    return requests_.buffered_sent() && requests_.abandoned.empty();
  });
  requests_.forget_attached();
  device().close();
  device().visit_unexpected([this](const PendingMessage& message) {
    if (is_programs(message.envelope)) ++never_received_;
  });
  if (locked()) give_lock();
  end_device();
  // MPI's end is PMI's, as its start is: a rank that has called PMI_Init too may leave it at that.
  for (const auto library : {corespec::Process::Slot::mpi, corespec::Process::Slot::pmi}) {
    process().end_library(library);
  }
}

std::string RankTables::left() {
  std::string text;
  const auto note = [&text](std::size_t count, const char* one) {
    if (count == 0) return;
    text += fmt::format("{}{} {}{}", text.empty() ? "(of MPI) " : ", ", count, one,
                        count == 1 ? "" : "s");
  };
  note(requests_.made.count(), "request");
  note(requests_.messages_taken(), "MPI_Mprobe message");
  note(never_received_, "unreceived message");
  note(communicators_.made.count(), "communicator");
  note(communicators_.groups.count(), "group");
  note(datatypes_.made.count(), "datatype");
  note(windows_.made.count(), "window");
  note(operations_.made.count(), "operation");
  return text;
}

/// As in MPICH the handler that MPI_COMM_WORLD has now stands for one that was never set.
ErrorHearer RankTables::hearer(MPI_Comm comm, MPI_Win window) {
  ErrorHearer found{MPI_COMM_WORLD, MPI_ERRHANDLER_NULL};
  if (const auto* on = windows_.made.find(window)) {
    found = {window, (*on)->error_handler};
  } else if (const Communicator* of = communicators_.find(comm)) {
    found = {comm, of->error_handler};
  }
  if (found.handler != MPI_ERRHANDLER_NULL) return found;
  return {MPI_COMM_WORLD, communicators_.world().error_handler};
}

}  // namespace netmod
