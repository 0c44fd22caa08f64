// All that ARMCI keeps for a rank.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "armci/core/client.h"
#include "armci/core/helper.h"
#include "armci/core/memory.h"
#include "armci/core/peers.h"
#include "corespec/threads/process.h"
#include "ugni_emu/rma/rma_port.h"

namespace armci {

/// A group of ranks: known to programs by its communicator.
struct Group {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = -1;
  std::vector<int> world_ranks;  ///< by rank in the group
};

/// Operations that wait under an aggregate handle.
struct Aggregate {
  bool open = false;
  Transfer shape;  ///< kind, proc, element and scale of all
  struct Piece {
    std::byte* local;
    std::byte* remote;
    std::int64_t bytes;
  };
  std::vector<Piece> pieces;
};

class State final : public corespec::ProcessState {
 public:
  /// Collective over the job: opens the port, starts the node's helper thread, publishes both.
  /// `comm` holds all ranks; a duplicate of it is kept.
  State(corespec::Process& process, MPI_Comm comm);
  ~State() override;
  void add_facts(corespec::Situation& to) override;
  /// Collective: completes everything, ends the helper.
  void close();

  corespec::Process& process() const { return *process_; }
  int rank() const { return process_->rank(); }
  int size() const { return process_->job().size(); }
  Client& client() { return *client_; }
  Arena& arena() { return arena_; }
  RemoteMemory& memory() { return memory_; }
  const PeerTable& peers() const { return *peers_; }
  MPI_Comm world() const { return world_; }

  /// Groups by communicator: the world's from the beginning.
  std::map<MPI_Comm, Group> groups;
  MPI_Comm default_group = MPI_COMM_NULL;

  std::map<Ticket, Aggregate> aggregates;  ///< by handle
  Ticket next_ticket = 1;
  int starts = 1;                    ///< ARMCI_Init without ARMCI_Finalize
  int end_key = MPI_KEYVAL_INVALID;  ///< of the attribute whose deletion ends ARMCI
  std::vector<int> mutex_counts;     ///< by rank; empty: there is no set
  int mutex_set = 0;                 ///< how many sets there have been
  /// That this rank holds: number in the set, and whose; for people.
  std::set<std::pair<int, int>> mutexes_held;
  /// The name of one for all ranks (corespec::Situation).
  std::string mutex_name(int mutex, int proc) const;
  struct Notes {
    int sent = 0;
    int arrived = 0;
    int waited = 0;
  };
  std::map<int, Notes> notes;  ///< armci_notify, by rank

 private:
  void exchange();

  corespec::Process* process_;
  MPI_Comm world_ = MPI_COMM_NULL;
  rma::RmaPort port_;
  Arena arena_;
  RemoteMemory memory_;
  std::unique_ptr<PeerTable> peers_;
  Peer* table_ = nullptr;  ///< in node memory
  std::unique_ptr<Client> client_;
  std::unique_ptr<Helper> helper_;  ///< on the lowest rank of each node
};

/// The calling rank's, between ARMCI_Init and ARMCI_Finalize, or null.
State* this_state();

}  // namespace armci
