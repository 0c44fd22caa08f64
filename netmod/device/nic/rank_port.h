// The rank's side of its NIC: domain, queues, endpoints to no peer and to itself, descriptors.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/threads/process.h"
#include "corespec/threads/signal.h"
#include "netmod/device/messages/device_statistics.h"
#include "netmod/device/nic/eager_calls.h"
#include "netmod/device/nic/memory_slice.h"
#include "netmod/device/settings/settings.h"
#include "ugni_emu/doors/doors.h"
#include "ugni_emu/include/gni_pub.h"

namespace netmod {

struct Connection;
class RequestImpl;

/// A peer, as what goes to it needs it.
struct Receiver {
  gni_ep_handle_t endpoint = nullptr;
  int rank = -1;
  gni_mem_handle_t interrupt{};  ///< with progress threads: what wakes its own
};

/// What was sent, in runs whose transactions may fail: kept until it is there, to be sent again.
struct KeptPost {
  Receiver to;
  std::uint32_t number = 0;      ///< of a message: its msg_id
  std::vector<std::byte> bytes;  ///< of a message or eager PUT
};

/// A uGNI descriptor and what is to happen when it completes.
struct DataDescriptor {
  gni_post_descriptor_t gni{};  ///< first: uGNI hands its address back
  enum class Purpose : std::uint8_t { eager_put, read, write, dummy, cq_write, message } purpose{};
  bool has_left = false;    ///< E1 by the BTE: its event has been taken
  std::uint32_t tries = 0;  ///< it was posted again
  Connection* connection = nullptr;
  RequestImpl* request = nullptr;
  std::uint64_t peer_request = 0;  ///< write: the receiver's name for its request
  std::byte* buffer = nullptr;     ///< E1: the DMA buffer it came from
  DataDescriptor* next = nullptr;
  std::unique_ptr<KeptPost> kept;  ///< null: it is not posted again from here
};

/// Opens and owns the uGNI objects of a rank. Queues: RX (mailboxes and landing rings), TX for
/// messages, TX for data; with progress threads a blocking RX CQ (interrupt page), and in phase
/// two a blocking TX CQ for rendezvous data. What a look at the queues touches comes first.
class alignas(64) RankPort {
 public:
  RankPort(corespec::Process& process, const Settings& settings, MemorySlice& memory,
           DeviceStatistics& statistics);
  ~RankPort();
  RankPort(const RankPort&) = delete;
  RankPort& operator=(const RankPort&) = delete;

  gni_nic_handle_t nic() const { return nic_; }
  gni_cq_handle_t receive_queue() const { return receive_queue_; }
  gni_cq_handle_t message_queue() const { return message_queue_; }
  gni_cq_handle_t data_queue() const { return data_queue_; }
  gni_cq_handle_t blocking_receive_queue() const { return blocking_receive_queue_; }
  gni_cq_handle_t blocking_data_queue() const { return blocking_data_queue_; }
  const EagerCalls& calls() const { return eager_calls(settings_.calls); }
  const Settings& settings() const { return settings_; }
  const gni_mem_handle_t& interrupt_handle() const { return interrupt_handle_; }

  /// The signal that a polling thread of this rank watches.
  corespec::Signal& arrival_signal() const { return *arrivals_; }

  gni_ep_handle_t make_endpoint(int peer_rank);
  /// Registers memory of the device's own.
  gni_mem_handle_t register_memory(const std::byte* address, std::size_t bytes,
                                   gni_cq_handle_t queue);

  DataDescriptor* take_descriptor();
  void give_back(DataDescriptor* descriptor);

  /// Posts rendezvous data: by FMA up to MPICH_GNI_RDMA_THRESHOLD, else by the BTE; with progress
  /// threads in the way their design prescribes (phase one: fenced and followed by a dummy write
  /// to self; phase two: completion into the blocking TX CQ). False if the NIC has no room.
  bool post_data(gni_ep_handle_t endpoint, DataDescriptor& descriptor);
  /// Sends a message: SUCCESS, or NOT_DONE without a credit or room. `loan`: as below.
  gni_return_t send(const Receiver& to, std::span<const std::byte> header,
                    std::span<const std::byte> data, ugni::Loan* loan);
  /// Posts an eager PUT with a remote event by FMA (its bytes are `header` and `data`, its
  /// completion is not waited for, `gni` is the caller's again; null or a loan of the data) or
  /// by the BTE. False if the NIC has no room.
  bool put_eager(const Receiver& to, gni_post_descriptor_t& gni, std::span<const std::byte> header,
                 std::span<const std::byte> data, ugni::Loan* loan);
  bool put_eager_bte(gni_ep_handle_t endpoint, DataDescriptor& descriptor);
  /// Wakes the peer's progress thread, behind what went to it before by FMA.
  void wake_peer(const Receiver& to);
  /// Wakes our own progress thread (to end it).
  void wake_self();

  /// True as long as a completion of data may be in the queue: others are not worth a look.
  bool expects_data_event() const {
    return data_events_due_ != 0 || (keeps_ && doors::has_event(data_queue_));
  }
  void took_data_event() { --data_events_due_; }

  /// False if the queue or mailbox is empty, for which the look that found it so was charged; true
  /// if the call that takes something out of it is to be made.
  bool look(gni_cq_handle_t queue);
  bool look(gni_ep_handle_t mailbox);
  /// True if a datagram has finished, or if the call that says so is to be made.
  bool look_at_datagrams() const;

  /// Takes the completions of messages, CQ writes and dummies, which no thread waits for. True if
  /// there were any.
  bool reap_messages();

  // Transactions that fail (failed_posts.cc).

  /// They may, in this run: what is sent is kept until it is there.
  bool keeps() const { return keeps_; }
  /// A descriptor with a copy of the bytes.
  DataDescriptor& keep(DataDescriptor::Purpose purpose, const Receiver& to,
                       std::span<const std::byte> header, std::span<const std::byte> data);
  /// Ends the job if the failure that `entry` tells of is final: it is not recoverable, or the
  /// descriptor has been posted often enough.
  void check_failure(gni_cq_entry_t entry, DataDescriptor& descriptor);
  /// An eager PUT by the BTE has failed, after its event was taken. It is posted again by FMA, and
  /// `descriptor` stays the caller's.
  void failed_late(gni_cq_entry_t entry, DataDescriptor& descriptor);
  /// Posts again what has failed. True if anything left.
  bool post_again();
  bool waits_to_post() const { return !again_.empty(); }
  /// This rank's sends and receives are complete: what is still under way wakes threads only.
  void leave() { leaves_ = true; }
  /// Something has failed that no pass has seen: for threads that make none.
  bool has_failed() const {
    const bool is_late = data_events_due_ == 0 && expects_data_event();
    return is_late || (keeps_ && doors::statistics(nic_).errors != errors_seen_);
  }

  /// Fails the job: `call` returned `code`.
  [[noreturn]] void fail(const char* call, gni_return_t code);
  /// `peer` has sent what no rank sends.
  [[noreturn]] void fail_peer(int peer, const char* what) { fail_peer(process_, peer, what); }
  [[noreturn]] static void fail_peer(corespec::Process& process, int peer, const char* what);
  /// The NIC cannot use the program's memory, and why.
  [[noreturn]] void fail_memory(const void* data, std::uint64_t bytes, gni_return_t code);
  /// A message from `peer` and the memory of its receive do not fit, and why.
  [[noreturn]] void fail_message(int peer, std::uint64_t bytes, const char* why);
  void check(const char* call, gni_return_t code) {
    if (code != GNI_RC_SUCCESS) fail(call, code);
  }

 private:
  /// Of messages and of eager PUTs by FMA. A thread that the CQ write behind them wakes has to find
  /// them: it sleeps again, and no other write comes.
  std::uint16_t eager_delivery() const {
    return settings_.wakes_thread() ? GNI_DLVMODE_IN_ORDER : GNI_DLVMODE_PERFORMANCE;
  }
  gni_cq_handle_t make_queue(std::int64_t entries, gni_cq_mode_t mode);
  bool post_dummy();
  gni_return_t send_kept(DataDescriptor& message);
  gni_return_t put_kept(DataDescriptor& put);
  void message_event(gni_cq_entry_t entry, bool failed);
  void failed_post(gni_cq_entry_t entry, DataDescriptor& descriptor);
  bool try_again(DataDescriptor& descriptor);
  [[noreturn]] void fail_transaction(gni_cq_entry_t entry, std::uint32_t rank,
                                     DataDescriptor::Purpose purpose, std::uint32_t tries);
  template <typename Post>
  void post_surely(const char* call, Post post);

  gni_nic_handle_t nic_ = nullptr;
  gni_cq_handle_t receive_queue_ = nullptr;
  gni_cq_handle_t message_queue_ = nullptr;
  gni_cq_handle_t data_queue_ = nullptr;
  corespec::Signal* arrivals_ = nullptr;
  corespec::EventDomain& domain_;
  const Settings& settings_;
  std::uint32_t message_events_due_ = 0;  ///< posted, and not taken out of message_queue_
  std::uint32_t data_events_due_ = 0;     ///< of data_queue_
  bool keeps_;

 public:
  /// FMA GETs of rendezvous data under way: the thread that posted one polls until it is done, as
  /// nothing else would tell the progress thread.
  std::uint32_t fma_gets_under_way = 0;

 private:
  DeviceStatistics& statistics_;
  corespec::Process& process_;
  gni_cdm_handle_t cdm_ = nullptr;
  gni_cq_handle_t blocking_receive_queue_ = nullptr;
  gni_cq_handle_t blocking_data_queue_ = nullptr;
  gni_ep_handle_t self_ = nullptr;
  std::byte* interrupt_page_ = nullptr;
  gni_mem_handle_t interrupt_handle_{};
  std::vector<std::unique_ptr<DataDescriptor[]>> descriptor_chunks_;
  DataDescriptor* free_descriptors_ = nullptr;
  std::map<std::uint32_t, DataDescriptor*> messages_;  ///< kept ones, by msg_id
  std::uint32_t last_message_ = 0;
  std::deque<DataDescriptor*> again_;  ///< have failed
  std::uint64_t errors_seen_ = 0;      ///< of the NIC's count, when the queues were empty
  bool leaves_ = false;
};

}  // namespace netmod
