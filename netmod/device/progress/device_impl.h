// A rank's device: the parts and how a pass over them goes.
#pragma once

#include <atomic>
#include <memory>

#include "corespec/events/event_domain.h"
#include "corespec/job/job.h"
#include "corespec/threads/thread.h"
#include "netmod/device/between_nodes/connection.h"
#include "netmod/device/between_nodes/rendezvous.h"
#include "netmod/device/interface/device.h"
#include "netmod/device/messages/device_statistics.h"
#include "netmod/device/messages/matching.h"
#include "netmod/device/messages/message_contexts.h"
#include "netmod/device/nic/memory_slice.h"
#include "netmod/device/nic/rank_port.h"
#include "netmod/device/settings/settings.h"
#include "netmod/device/within_node/shared_memory.h"
#include "ugni_emu/rma/registration_cache.h"
#include "ugni_emu/rma/rma_port.h"

namespace netmod {

class ProgressThread;

/// Every waiting rank's device is looked at again and again, out of memory that no cache holds:
/// members are in lines of 64 bytes by what a call, a pass over the queues and a message touch.
class alignas(64) DeviceImpl final : public Device,
                                     private ConnectionClient,
                                     private SharedMemoryClient,
                                     private CompletionClient,
                                     private corespec::BarrierService,
                                     private corespec::Prefetchable {
 public:
  DeviceImpl(corespec::Process& process, const Settings& settings);
  ~DeviceImpl() override;

  // Device
  ThreadLevel granted_level() const override { return settings_.granted; }
  corespec::Process& process() override { return process_; }
  Request* send(const void* data, std::size_t bytes, int destination, const Envelope& envelope,
                SendMode mode, DataStays stays) override;
  Request* receive(void* data, std::size_t capacity, const Envelope& envelope) override;
  Request* receive(Sink& sink, std::size_t capacity, const Envelope& envelope) override;
  bool probe(const Envelope& envelope, Completion& found) override;
  TakenMessage* take(const Envelope& envelope, Completion& found) override;
  Request* receive_taken(void* data, std::size_t capacity, TakenMessage* message) override;
  void wake() override;
  void cancel(Request& request) override;
  Request* recall(const SentMessage& message) override;
  void progress() override;
  void listen(PassListener* listener) override { listener_ = listener; }
  void wait_until(const Condition& awaited) override;
  rma::RmaPort& one_sided() override;
  void hand_over(Request& request) override;
  void end_loan(Request& request) override;
  void release(Request* request) override;
  void close() override;
  bool locked() const override { return lock_ != nullptr; }
  void lock() override {
    if (lock_) lock_->lock();
  }
  void unlock() override {
    if (lock_) lock_->unlock();
  }
  const corespec::Mutex* mutex() const override { return lock_.get(); }
  void visit_pending(const Condition* awaited, const Visit& visit) const override;
  void visit_unexpected(const Visit& visit) const override;
  PendingMessage pending(const Request& request) const override;

  /// What a look at the queues begins with.
  bool prefetch(corespec::Upcoming what, unsigned step,
                corespec::LineRequests& lines) const override;
  DeviceStatistics statistics() const;
  gni_nic_handle_t nic() const { return port_.nic(); }  ///< whose own counts complete these

 private:
  friend class ProgressThread;

  /// Takes in everything that has come and sends what may go. True if anything changed. With
  /// `awaited` it returns as soon as that holds: what else has come can wait.
  bool pass(const Condition* awaited = nullptr);
  bool all_quiet() const;
  bool poll_receive_queue();
  bool poll_data_queues();
  bool poll_one_sided();
  void data_event(gni_cq_handle_t queue, gni_cq_entry_t entry);
  /// Polls until no FMA GET is under way: its end would wake no thread.
  void finish_fma_gets();
  bool on_this_node(int rank) const {
    if (ranks_per_node_ == 0) return job_.nid_of(rank) == job_.nid_of(process_.rank());
    return static_cast<std::uint32_t>(rank - first_on_node_) < ranks_per_node_;
  }
  bool idle() const;
  void report();

  /// Null: nothing is marked.
  MessageContexts* contexts() { return settings_.tracks ? &contexts_ : nullptr; }

  // What connections and node memory deliver.
  bool transmit(Connection& connection, RequestImpl& request) override;
  void envelope_arrived(Connection& connection, const PacketHeader& header,
                        const MemoryReference& memory, const std::byte* data,
                        ugni::Payload& holder) override;
  void control_arrived(Connection& connection, const ControlPacket& packet) override;
  void local_envelope_arrived(int peer, const PacketHeader& header, const MemoryReference& memory,
                              const std::byte* data, ugni::Payload* holder) override;
  bool local_cancel_arrived(int peer, const PacketHeader& header) override;
  // For ranks that want a message back from one that is closing.
  const corespec::Signal& signal() const override { return port_.arrival_signal(); }
  bool due() const override;
  void serve() override;
  bool satisfied() const override { return awaited_ != nullptr && awaited_->holds(); }
  void request_complete(RequestImpl& request) override;
  void arrived(int peer, bool intra_node, const PacketHeader& header, const MemoryReference& memory,
               const std::byte* data, ugni::Payload* holder);
  RequestImpl& new_send(int destination);
  RequestImpl& new_receive(void* data, std::size_t capacity, const Envelope& envelope);
  Request* start_receive(RequestImpl& request);
  void receive_unexpected(RequestImpl& receive, std::unique_ptr<Unexpected> message);
  void check_data(const RequestImpl& receive, int peer, const PacketHeader& header);
  /// How a message is said to go.
  const char* eager_protocol(std::uint64_t bytes) const;
  bool take_eager(RequestImpl& receive, int peer, bool intra_node, const PacketHeader& header,
                  const std::byte* data);
  void keep(RequestImpl& receive, std::unique_ptr<Unexpected> message);
  void ask_back(RequestImpl& send);
  void accept_rendezvous(RequestImpl& receive, int peer, bool intra_node,
                         const PacketHeader& header, const MemoryReference& memory);

  corespec::Job& job_;
  corespec::EventDomain& domain_;
  std::unique_ptr<corespec::Mutex> lock_;
  std::uint32_t ranks_per_node_;  ///< 0: ranks do not fill nodes in order, the job knows
  std::int32_t first_on_node_;
  std::uint32_t sends_under_way_ = 0;
  std::uint32_t last_number_ = 0;  ///< SentMessage's

  Settings settings_;
  std::unique_ptr<ProgressThread> progress_thread_;
  const Condition* awaited_ = nullptr;  ///< of the pass under way
  PassListener* listener_ = nullptr;
  bool tells_listener_ = false;  ///< of a pass; the messages that it starts meanwhile do not wait
  std::uint64_t polled_epoch_ = 0;           ///< of the arrival signal at the last complete pass
  std::unique_ptr<rma::RmaPort> one_sided_;  ///< null: no rank has asked for it; goes first

  MatchingQueues matching_;
  RequestPool requests_;
  Rendezvous rendezvous_;          // whose list of descriptors comes first
  std::atomic<int> in_engine_{0};  ///< application threads in wait_until(), for progress_thread_

  DeviceStatistics statistics_;  ///< but for what the parts count themselves
  corespec::Process& process_;
  corespec::Thread& main_;
  MemorySlice memory_;
  RankPort port_;
  Connections connections_;
  SharedMemory shared_;
  rma::RegistrationCache cache_;
  RequestNames names_;
  MessageContexts contexts_;
};

}  // namespace netmod
