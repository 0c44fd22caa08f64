// Messages within a node: Nemesis-style queues in node memory, copies by the CPUs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "corespec/job/process.h"
#include "corespec/threads/signal.h"
#include "corespec/threads/thread.h"
#include "netmod/device/packet.h"
#include "netmod/device/rendezvous.h"
#include "netmod/device/request_impl.h"
#include "netmod/device/settings.h"
#include "netmod/device/statistics.h"

namespace netmod {

/// Who acts on what arrives within the node.
class SharedMemoryClient {
 public:
  /// An eager message (data follows) or an RTS (`memory.address` in the sender's memory).
  virtual void local_envelope_arrived(int peer, const PacketHeader& header,
                                      const MemoryReference& memory, const std::byte* data) = 0;

 protected:
  ~SharedMemoryClient() = default;
};

/// One receive queue per rank, fed by all ranks of the node, and cells of the sender's that go
/// back to it when the receiver has copied them out: small messages take two copies. Messages of
/// MPICH_SMP_SINGLE_COPY_SIZE and above are announced and copied once, by the receiver.
class SharedMemory {
 public:
  SharedMemory(corespec::Process& process, const std::vector<int>& ranks_on_node,
               const Settings& settings, DeviceStatistics& statistics, SharedMemoryClient& client,
               CompletionClient& completions);

  /// Sends a request now or as soon as there is a free cell.
  void send(RequestImpl& request);
  bool withdraw(RequestImpl& request);
  /// A receive was matched to a local RTS.
  void accept(int peer, RequestImpl& receive, const PacketHeader& header,
              const MemoryReference& source);
  /// Takes in what has come and sends what had to wait. True if anything.
  bool poll();
  /// True if poll() would find something. Looks only.
  bool has_work() const;
  bool busy() const { return !backlog_.empty() || !control_backlog_.empty(); }

 private:
  struct Cell;
  struct Queue;
  /// A cell that enters the peer's queue at its sender's own time.
  struct Enqueue final : corespec::DeferredEffect {
    void perform() override;
    SharedMemory* owner = nullptr;
    Cell* cell = nullptr;
    int peer = -1;
  };
  enum class Size : std::uint8_t { small, large };

  Queue& queue_of(int local) const;
  Cell& cell(std::uint32_t number) const;
  Cell* take_cell(Size size);
  void enqueue(int peer, Cell& cell);
  void link(int peer, Cell& cell);
  void notify(int peer);
  void give_back(Cell& arrived);
  Cell* dequeue();
  bool transmit(RequestImpl& request);
  bool send_control(int peer, const PacketHeader& header);
  void handle(Cell& cell);
  int local_rank(int rank) const;

  corespec::Process& process_;
  const Settings& settings_;
  DeviceStatistics& statistics_;
  SharedMemoryClient& client_;
  CompletionClient& completions_;
  std::byte* base_ = nullptr;
  std::int32_t own_ = 0;
  std::vector<std::unique_ptr<Enqueue>> enqueues_;
  std::vector<Enqueue*> free_enqueues_;
  std::vector<corespec::Signal*> signals_;  ///< by local rank, found on first use
  RequestList backlog_;
  std::vector<std::pair<int, PacketHeader>> control_backlog_;
  std::uint32_t free_[2] = {0, 0};   ///< own cells, last used first; number + 1
  std::uint32_t fresh_[2] = {0, 0};  ///< own cells never used yet
};

}  // namespace netmod
