// All that the MPI library keeps for one rank.
#pragma once

#include "corespec/events/prefetch_lines.h"
#include "netmod/mpi/attributes/attribute_tables.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/collectives/engine/collective_state.h"
#include "netmod/mpi/datatypes/datatypes.h"
#include "netmod/mpi/groups/communicators.h"
#include "netmod/mpi/operations/operations.h"
#include "netmod/mpi/point_to_point/requests.h"
#include "netmod/mpi/windows/windows.h"

namespace netmod {

/// What the chapters keep of a rank: tables take memory with their first object only. They end in
/// the opposite order, after the device.
class alignas(corespec::line_bytes) RankTables final : public RankState {
 public:
  /// Opens the device. The caller is the main thread.
  RankTables(corespec::Process& process, ThreadLevel requested, GniCalls calls = GniCalls::doors);
  ~RankTables() override;

  void finalize() override;
  bool prefetch(corespec::Upcoming what, unsigned step,
                corespec::LineRequests& lines) const override;
  /// What the program has made and not freed, and the messages that it has not received.
  std::string left() override;
  /// The messages that no receive has met, the collectives entered, the locks held.
  void add_facts(corespec::Situation& to) override;
  ErrorHearer hearer(MPI_Comm comm, MPI_Win window) override;
  bool describe(const Condition& awaited, corespec::Situation& to) override;

 private:
  /// A message of the program's; false: the library's own.
  bool is_programs(const Envelope& envelope);

  alignas(corespec::line_bytes) Communicators communicators_;
  Datatypes datatypes_;
  Operations operations_;
  AttributeTables attributes_;
  CollectiveState collectives_;
  Requests requests_;
  Windows windows_;
  std::size_t never_received_ = 0;  ///< messages, at MPI_Finalize
};

}  // namespace netmod
