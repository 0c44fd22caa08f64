// Messages within a node: Nemesis-style queues in node memory, copies by the CPUs.
#pragma once

#include <atomic>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <utility>
#include <vector>

#include "corespec/events/prefetch.h"
#include "corespec/job/job.h"
#include "corespec/threads/process.h"
#include "corespec/threads/signal.h"
#include "corespec/threads/thread.h"
#include "netmod/device/messages/completion_client.h"
#include "netmod/device/messages/packet.h"
#include "netmod/device/messages/request_impl.h"
#include "netmod/device/messages/request_names.h"
#include "netmod/device/settings/settings.h"

namespace netmod {

/// Acts on what arrives within the node.
class SharedMemoryClient {
 public:
  /// An eager message or an RTS (`memory.address` in the sender's memory). Its data are there
  /// during the call, or for as long as the client keeps `holder`, which it may take (null: it
  /// cannot).
  virtual void local_envelope_arrived(int peer, const PacketHeader& header,
                                      const MemoryReference& memory, const std::byte* data,
                                      ugni::Payload* holder) = 0;
  /// A sender wants a message back (cancel, recall). True if it was thrown away.
  virtual bool local_cancel_arrived(int peer, const PacketHeader& header) = 0;

 protected:
  ~SharedMemoryClient() = default;
};

/// One receive queue per rank, fed by all ranks of the node. A sender has so many cells at a time;
/// the receiver gives them back when it has copied them out: small messages take two copies.
/// Messages of MPICH_SMP_SINGLE_COPY_SIZE and above are announced and copied once, by the
/// receiver. (Where the ranks' memory is one address space a cell's data lies in a payload instead:
/// the cell's own room is modelled, and the host has it only while there is something in it.) Which
/// cell a sender gets makes no difference, so the node's ranks take them from one pool, last used
/// first: those few stay in the host's caches. What a look at the queues touches comes first.
class alignas(64) SharedMemory {
 public:
  /// `payloads`: where data comes from that does not lie in node memory.
  SharedMemory(corespec::Process& process, int ranks_on_node, ugni::PayloadPool& payloads,
               const Settings& settings, RequestNames& names, SharedMemoryClient& client,
               CompletionClient& completions);

  /// Sends a request now or as soon as there is a free cell.
  void send(RequestImpl& request);
  bool withdraw(RequestImpl& request);
  /// Asks for the RTS of a request that has left back.
  void ask_back(RequestImpl& request);
  /// Asks for an eager message back; `request` waits for the answer.
  void recall(RequestImpl& request, std::uint32_t number);
  /// A receive was matched to a local RTS.
  void accept(int peer, RequestImpl& receive, const PacketHeader& header,
              const MemoryReference& source);
  /// Takes in what has come and sends what had to wait. True if anything.
  bool poll();
  /// Throws away what has come.
  void drop_arrivals();
  /// True if something has come.
  bool has_arrivals() const;
  /// True if poll() would find something. Looks only.
  bool has_work() const;
  bool busy() const { return !backlog_.empty() || !control_backlog_.empty(); }
  std::uint64_t messages_sent() const { return messages_sent_; }

 private:
  friend struct DevicePrefetch;
  // Of small and large cells, a rank's, and the bytes of data in one.
  static constexpr std::uint32_t cells_of[2] = {16, 8};
  static constexpr std::size_t data_bytes[2] = {1024, 8192};
  static constexpr std::uint32_t all_cells = cells_of[0] + cells_of[1];
  static constexpr std::uint32_t near_cells = 2;  ///< to a rank, side by side with the queues
  static constexpr std::size_t room_bytes =
      cells_of[0] * data_bytes[0] + cells_of[1] * data_bytes[1];

  struct Cell;
  struct Queue;
  struct Pool;
  /// A cell that enters the peer's queue at its sender's own time.
  struct Enqueue final : corespec::DeferredEffect {
    void perform() override;
    bool prefetch(corespec::Upcoming what, unsigned step,
                  corespec::LineRequests& lines) const override;
    SharedMemory* owner = nullptr;
    Cell* cell = nullptr;    ///< null: free to be used
    Queue* queue = nullptr;  ///< the peer's
    int peer = -1;
    int local = -1;  ///< its local rank
  };
  enum class Size : std::uint8_t { small, large };

  Pool& pool() const;
  Queue& queue_of(int local) const;
  Cell& cell(std::uint32_t number) const;
  Size size_of(std::uint32_t number) const;
  std::byte* room_of(const Cell& cell) const;
  void put_data(Cell& cell, RequestImpl& request);
  bool take_credit(Size size);
  Cell* take_cell(Size size);
  void return_cell(Cell& cell);
  void enqueue(int peer, Cell& cell);
  Enqueue& free_enqueue();
  void link(Cell& sent, const Enqueue& effect);
  void notify(Queue& queue, int peer, int local);
  void give_back(Cell& arrived);
  Cell* dequeue();
  bool transmit(RequestImpl& request);
  bool try_control(int peer, const PacketHeader& header);
  void send_control(int peer, PacketKind kind, std::uint64_t send_request,
                    std::uint64_t receive_request = 0);
  void handle(Cell& cell);
  void check(const Cell& arrived) const;
  [[noreturn]] void fail_memory() const;
  RequestImpl& answered(const Cell& arrived);
  int local_rank(int rank) const;

  std::byte* base_ = nullptr;  ///< pool, queues by local rank, the cells used first
  std::int32_t own_ = 0;       ///< local rank
  std::uint32_t ranks_ = 0;
  std::int32_t rank_ = 0;
  std::uint16_t held_[2] = {0, 0};  ///< cells taken that are not known to have come back
  RequestList backlog_;
  std::vector<std::pair<int, PacketHeader>> control_backlog_;

  corespec::Process& process_;
  const corespec::EventDomain& domain_;
  const Settings& settings_;
  std::uint64_t messages_sent_ = 0;
  SharedMemoryClient& client_;
  CompletionClient& completions_;
  RequestNames& names_;
  std::unique_ptr<corespec::Signal*[]> signals_;  ///< by local rank, found on first use; null:
                                                  ///< queues tell
  ugni::PayloadPool* payloads_ = nullptr;         ///< null: data lies in node memory
  std::forward_list<Enqueue> enqueues_;           ///< more of them: as many as cells at the most

  Enqueue first_enqueue_;
  std::byte* rest_ = nullptr;  ///< the other cells, and room for data by cell: many, rarely used
};

}  // namespace netmod
