// All that ARMCI keeps for a rank.
#include "armci/core/armci_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "corespec/config/parameters.h"
#include "corespec/job/job.h"
#include "corespec/threads/node.h"
#include "corespec/threads/rank_memory.h"
#include "corespec/threads/situation.h"
#include "corespec/threads/thread.h"

namespace armci {
namespace {

constexpr const char* table_name = "armci ranks";

void check_limits(corespec::Process& process) {
  const corespec::Parameters& parameters = process.job().parameters();
  const auto header = static_cast<std::int64_t>(sizeof(RequestHeader));
  if (parameters.armci_eager_limit <= parameters.armci_cht_buffer_size - header) return;
  process.job().abort(
      process, 1,
      fmt::format("ARMCI: CASTOR_ARMCI_EAGER_LIMIT={}: allowed is up to {}, "
                  "CASTOR_ARMCI_CHT_BUFFER_SIZE less the header's {} bytes",
                  parameters.armci_eager_limit, parameters.armci_cht_buffer_size - header, header));
}

}  // namespace

State::State(corespec::Process& process, MPI_Comm comm)
    : process_(&process),
      port_(process, "ARMCI",
            {.cookie_offset = cookie_offset,
             .fma_put_delivery = GNI_DLVMODE_IN_ORDER,
             .gives_way = process.job().parameters().armci_client_wait == "yielding"}),
      arena_(port_) {
  check_limits(process);
  PMPI_Comm_dup(comm, &world_);
  const auto bytes = sizeof(Peer) * static_cast<std::size_t>(size());
  table_ = reinterpret_cast<Peer*>(process.node().memory().segment(table_name, bytes));
  peers_ = std::make_unique<PeerTable>(process, table_);
  client_ = std::make_unique<Client>(port_, *peers_, memory_);
  if (process.local_rank() == 0) helper_ = std::make_unique<Helper>(process);
  exchange();
  if (helper_) helper_->start(*peers_);
  Group all;
  all.comm = world_;
  all.rank = rank();
  for (int i = 0; i < size(); ++i) all.world_ranks.push_back(i);
  groups.emplace(world_, std::move(all));
  default_group = world_;
}

/// The node's lowest rank collects what its ranks publish; these tell each other all of it, and
/// write it where their nodes' ranks look.
void State::exchange() {
  struct Entry {
    int rank = -1;
    Peer peer;
  };
  Entry own;
  own.rank = rank();
  client_->publish(own.peer);
  if (helper_) helper_->publish(own.peer);
  const int local = process_->local_rank();
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm leaders = MPI_COMM_NULL;
  PMPI_Comm_split(world_, process_->node().nid(), rank(), &node);
  PMPI_Comm_split(world_, local == 0 ? 0 : MPI_UNDEFINED, rank(), &leaders);
  int on_node = 0;
  PMPI_Comm_size(node, &on_node);
  int most = 0;
  PMPI_Allreduce(&on_node, &most, 1, MPI_INT, MPI_MAX, world_);
  std::vector<Entry> mine = corespec::rank_vector<Entry>(most);
  PMPI_Gather(&own, sizeof own, MPI_BYTE, mine.data(), sizeof own, MPI_BYTE, 0, node);
  if (local == 0) {
    int nodes = 0;
    PMPI_Comm_size(leaders, &nodes);
    std::vector<Entry> all =
        corespec::rank_vector<Entry>(mine.size() * static_cast<std::size_t>(nodes));
    const int bytes = most * static_cast<int>(sizeof own);
    PMPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, leaders);
    for (const Entry& entry : all) {
      if (entry.rank >= 0 && entry.rank < size()) table_[entry.rank] = entry.peer;
    }
    PMPI_Comm_free(&leaders);
  }
  PMPI_Barrier(node);
  PMPI_Comm_free(&node);
}

void State::close() {
  client_->fence_all();
  client_->wait(implicit_ticket);
  PMPI_Barrier(world_);  // no rank asks a helper for anything more
  if (helper_) {
    client_->stop_helper();
    helper_->join();
    helper_->report();
  }
  PMPI_Barrier(world_);  // nor has one anything to answer
  for (auto& [comm, group] : groups) {
    MPI_Comm handle = comm;
    if (comm != world_) PMPI_Comm_free(&handle);
  }
  PMPI_Comm_free(&world_);
}

std::string State::mutex_name(int mutex, int proc) const {
  return fmt::format("ARMCI mutex {} {} {}", mutex_set, mutex, proc);
}

void State::add_facts(corespec::Situation& to) {
  for (const auto& [mutex, proc] : mutexes_held) to.holds.push_back(mutex_name(mutex, proc));
}

State::~State() {
  helper_.reset();
  client_.reset();
  if (process_->local_rank() == 0) process_->node().memory().remove(table_name);
}

State* this_state() {
  corespec::Process* process = corespec::this_process_or_null();
  if (process == nullptr) return nullptr;
  return static_cast<State*>(process->state(corespec::Process::Slot::armci));
}

}  // namespace armci
