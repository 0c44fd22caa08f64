// One NIC: an event-driven state machine between the ranks of a node and the wire.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "corespec/containers/flat_map.h"
#include "corespec/events/event_domain.h"
#include "corespec/random/random_stream.h"
#include "corespec/threads/node.h"
#include "corespec/threads/thread.h"
#include "ugni_emu/nic/audit.h"
#include "ugni_emu/nic/bte.h"
#include "ugni_emu/nic/collective_engines.h"
#include "ugni_emu/nic/domain.h"
#include "ugni_emu/nic/error_events.h"
#include "ugni_emu/nic/mailbox.h"
#include "ugni_emu/nic/node_resources.h"
#include "ugni_emu/nic/piece_table.h"
#include "ugni_emu/nic/post.h"
#include "ugni_emu/nic/register_reader.h"
#include "ugni_emu/nic/tracked_events.h"
#include "ugni_emu/nic/untracked.h"
#include "ugni_emu/nic/waiter.h"
#include "ugni_emu/wire/nic_faults.h"
#include "ugni_emu/wire/wire.h"

namespace nic {

/// Bits of Transaction::flags.
namespace transaction_flag {
constexpr std::uint8_t remote_event = 0x01;  ///< an event in the target region's queue
constexpr std::uint8_t sync_flag = 0x02;     ///< immediate[0] to address immediate[1], afterwards
constexpr std::uint8_t awaits_sent = 0x04;   ///< an event at the source when the request has left
constexpr std::uint8_t no_source = 0x08;     ///< there is nothing to write: the source was gone
constexpr std::uint8_t lost = 0x10;          ///< the target gets nothing of it, and says so
constexpr std::uint8_t result = 0x20;        ///< collective: on its way down
constexpr std::uint8_t engine = 0x40;        ///< a collective engine's, whose id is source_instance
constexpr std::uint8_t shared_queue = 0x80;  ///< a message or credits of MSGQ, not of SMSG
static_assert((remote_event | sync_flag) == ugni::more_than_data);
}  // namespace transaction_flag

/// A post that is being made: the NIC's record of it and the wire's, filled in where they stay.
struct Posting {
  Post* post = nullptr;  ///< null: there was no room
  ugni::Submission* submission = nullptr;

  explicit operator bool() const { return post != nullptr; }
  ugni::Transaction& transaction() const { return submission->transaction; }
};

/// A node's NIC. A rank's post hands a transaction to the wire (or to the BTE, which does so
/// later); all else happens in the wire's calls and in events of the node's domain. These touch
/// the NIC's first two lines of memory and a slot among the domains.
class alignas(corespec::line_bytes) Nic final : public corespec::NodeDevice,
                                                public ugni::WireClient {
 public:
  Nic(corespec::Node& node, ugni::Wire& wire);
  ~Nic() override;
  Nic(const Nic&) = delete;
  Nic& operator=(const Nic&) = delete;

  /// The NIC of a node, or null if it has none.
  static Nic* of(corespec::Node& node) { return dynamic_cast<Nic*>(node.device()); }

  corespec::Node& node() const { return *node_; }
  ugni::Wire& wire() const { return *wire_; }
  ugni::NicAddress address() const { return static_cast<ugni::NicAddress>(node_->nid()); }

  bool is_aries() const { return aries_; }
  PostTable& posts() { return posts_; }
  BlockTransferEngine& bte() { return bte_; }
  DatagramDriver& datagram_driver() { return datagram_driver_; }
  PieceTable& pieces() { return pieces_; }
  Waiters& waiters() { return waiters_; }
  NodeResources& resources() { return resources_; }
  ErrorEvents& errors() { return errors_; }
  /// What goes wrong here by a plan; null: nothing.
  ugni::NicFaults* faults() const { return faults_; }
  CollectiveEngines& engines();       ///< made at the first use
  RegisterReader& register_reader();  ///< the same

  gni_return_t attach(Domain& domain);
  void detach(Domain& domain);
  Domain* find_domain(const DomainId& id);
  /// The memory registered under a protection domain of this NIC: made at the first use, for good.
  RegionTable& regions(const ugni::ProtectionName& name);
  /// The same while the protection domain has a communication domain here; else null.
  RegionTable* find_regions(const ugni::ProtectionName& name);

  /// Begins a post: takes slots for its local `events` (GNI_CQMODE_ bits) in `queue` (null: there
  /// are none) and a number, and fills in what posts of all kinds have. The caller fills in the
  /// rest, and performs the submission, defers it, or hands it to the BTE. Null, and nothing has
  /// happened, if there are no slots or numbers left.
  Posting begin(Endpoint& endpoint, CompletionQueue* queue, ugni::TransactionKind kind,
                std::uint8_t events);
  /// The same for a post that will be deferred: where there is no room, posts under way may end
  /// before the thread's own time.
  Posting begin(corespec::Thread& thread, Endpoint& endpoint, CompletionQueue* queue,
                ugni::TransactionKind kind, std::uint8_t events);
  /// Makes one post of several, none of which has set out: the events and the descriptor of the
  /// first, when all have been answered.
  void chain(std::span<const Posting> postings);
  /// The command, filled in, is about to go: for telemetry, which may mark it.
  void track(const Posting& posting) {
    if (tracks_) [[unlikely]]
      track_command(posting.post, *posting.submission);
  }
  void track(ugni::Submission& untracked) {
    if (tracks_) [[unlikely]]
      track_command(nullptr, untracked);
  }
  /// From now on; the node's ranks have telemetry::EndpointLogs.
  void begin_tracking() { tracks_ = true; }
  /// A credit or a datagram, filled in, is about to go.
  void keep(ugni::Submission& untracked) {
    if (untracked_) untracked_->keep(untracked);
  }
  /// The post will not be made after all.
  void take_back(const Posting& posting);
  /// The post is a message's that is sent again where it is lost: if this one will be, its bytes
  /// are kept.
  void keep_for_retransmission(const Posting& posting);

  /// The place among the endpoint's messages of the one that is about to leave and is not lost on
  /// its way. A message that failed has left a place free. Where its domain keeps_places, the one
  /// with the same msg_id takes it, else the next one.
  MessageNumber next_message(Endpoint& endpoint, std::uint32_t msg_id) {
    return endpoint.has_places ? take_place(endpoint, msg_id) : endpoint.next_message();
  }
  /// Its connection has ended.
  void forget_places(Endpoint& endpoint);
  /// A message with this msg_id has failed, and has its credit still.
  bool has_credit(const Endpoint& endpoint, std::uint32_t msg_id) const {
    return endpoint.has_places && endpoint.domain->keeps_places &&
           find_place(endpoint, msg_id) != nullptr;
  }
  /// The number of a new SMSG connection (MessageNumber).
  std::uint32_t next_connection() {
    connections_ = (connections_ + 1) % MessageNumber::most_connections;
    if (connections_ == 0) ++connections_;
    return connections_;
  }
  /// A transaction to the endpoint's peer of which no post is kept.
  ugni::Submission& untracked(const Endpoint& endpoint, ugni::TransactionKind kind);

  /// The descriptor behind an entry that was taken from `queue`: SUCCESS, TRANSACTION_ERROR with
  /// the descriptor, DESCRIPTOR_ERROR with null if there is none.
  gni_return_t completed(CompletionQueue& queue, gni_cq_entry_t entry,
                         gni_post_descriptor_t*& descriptor);

  void forget_queue(CompletionQueue& queue);
  void forget_endpoint(Endpoint& endpoint);
  /// A post or message of the endpoint has not had all its answers yet. Looked for, not counted:
  /// the caller is about to unbind, and an answer has an endpoint less to touch.
  bool has_unanswered(const Endpoint& endpoint);

  // ugni::WireClient
  void read_source(ugni::Transaction& transaction, std::uint64_t offset,
                   std::span<std::byte> into) override;
  bool has_source_data(const ugni::Transaction& transaction) override;
  void request_sent(const ugni::Transaction& transaction) override;
  bool awaits_sent(const ugni::Transaction& transaction) override;
  ugni::ResponseUrgency response_urgency(const ugni::Transaction& transaction) override;
  ugni::ResponseStatus request_arrived(ugni::SegmentView segment) override;
  void response_arrived(ugni::SegmentView segment) override;
  ugni::DirectMemory source_memory(const ugni::Transaction& transaction) override;
  ugni::DirectMemory target_memory(const ugni::Transaction& transaction) override;
  bool prefetch(corespec::Upcoming what, unsigned step,
                corespec::LineRequests& lines) const override;

 private:
  friend std::vector<std::string> audit(Nic& nic);
  /// What domains are found by: by instance and cookie.
  static constexpr std::uint64_t key_of(const DomainId& id) {
    return std::uint64_t{id.instance} << 32 | id.cookie;
  }

  // Target (target.cc).
  ugni::ResponseStatus arrive(RegionTable& regions, ugni::SegmentView segment);
  ugni::ResponseStatus act_on(RegionTable& regions, ugni::SegmentView segment);
  ugni::ResponseStatus arrive_by_vmdh(RegionTable& regions, ugni::SegmentView segment);
  ugni::ResponseStatus put_arrived(RegionTable& regions, ugni::SegmentView segment);
  ugni::ResponseStatus get_arrived(RegionTable& regions, ugni::SegmentView segment);
  ugni::ResponseStatus cq_write_arrived(RegionTable& regions, const ugni::Transaction& transaction);
  ugni::ResponseStatus message_arrived(RegionTable& regions, ugni::SegmentView segment);
  ugni::ResponseStatus deliver_message(const Region& region, Mailbox& mailbox,
                                       const Arrival& arrival);
  ugni::ResponseStatus remote_event(const Region& region, const ugni::Transaction& transaction);
  ugni::ResponseStatus push(CompletionQueue& queue, gni_cq_entry_t event, const Track& track);
  ugni::ResponseStatus credit_arrived(RegionTable& regions, const ugni::Transaction& transaction);
  ugni::ResponseStatus atomic_arrived(RegionTable& regions, ugni::SegmentView segment);
  ugni::ResponseStatus collective_arrived(const ugni::Transaction& transaction);

  // Initiator (initiator.cc).
  void engine_refused(const ugni::Transaction& transaction, ugni::ResponseStatus status);
  void take_data(Post& post, ugni::SegmentView segment);
  /// Where the post's data lies or goes; null if that is not registered (any more), or need not be.
  static Region* local_region(const Post& post, RegionTable::Access access);
  void track_command(Post* post, ugni::Submission& submission);
  void finish(std::uint32_t number);
  static void queue_message_answered(const Post& post);
  void deliver(std::uint32_t number, std::uint8_t event);
  gni_cq_entry_t local_event(std::uint32_t number);
  void report_late_error(std::uint32_t number);
  void release_if_done(std::uint32_t number);
  Posting make(Endpoint& endpoint, CompletionQueue* queue, ugni::TransactionKind kind,
               std::uint8_t events);
  bool refuses(ugni::TransactionKind kind, const Endpoint& endpoint) {
    return faults_ != nullptr && has_no_room(kind, endpoint);
  }
  bool has_no_room(ugni::TransactionKind kind, const Endpoint& endpoint);
  /// Messages may be lost: they are kept until they are there.
  bool loses() const {
    return lost_one_in_ != 0 || (faults_ != nullptr && faults_->may_lose_messages());
  }
  bool draw_lost(ugni::TransactionKind kind, ugni::NicAddress target) {
    if (lost_one_in_ != 0 && random_.below(static_cast<std::uint64_t>(lost_one_in_)) == 0) {
      return true;
    }
    return faults_ != nullptr && kind == ugni::TransactionKind::message &&
           faults_->loses_message(target);
  }

  // Chained posts (chain.cc).
  struct Chain {
    std::uint32_t unanswered = 0;
    std::uint32_t unsent = 0;
  };
  static std::uint32_t number_of(const Posting& posting) {
    return static_cast<std::uint32_t>(posting.transaction().initiator_key - 1);
  }
  /// One of a chain has left, or was answered. The first one's number if it was the last to do so,
  /// else PostTable::none.
  std::uint32_t chain_sent(std::uint32_t number);
  std::uint32_t chain_answered(std::uint32_t number);

  /// A post was refused by a plan: threads that wait for room try again.
  class RoomAgain final : public corespec::Event {
   public:
    explicit RoomAgain(Nic& nic) : nic_(nic) {}
    void fire(std::uint64_t) override {
      nic_.domains_.for_each([](std::uint64_t, Domain* domain) { domain->arrived(); });
    }

   private:
    Nic& nic_;
  };

  // Messages that were lost (retransmission.cc).
  struct Kept {
    ugni::Transaction transaction;
    ugni::Payload payload;
    std::uint32_t times = 0;  ///< it was sent again
  };
  /// Of a message that failed.
  struct Place {
    MessageNumber number;
    std::uint32_t msg_id = 0;
  };
  using Places = std::vector<Place>;
  const Place* find_place(const Endpoint& endpoint, std::uint32_t msg_id) const;
  MessageNumber take_place(Endpoint& endpoint, std::uint32_t msg_id);
  void leave_place(Post& post);
  /// Sends the lost message again; false if that has been done as often as its domain says.
  bool retransmit(std::uint32_t number);
  void end_retransmission(std::uint32_t number);

  corespec::Node* node_;
  ugni::Wire* wire_;
  corespec::EventDomain* events_;
  PostTable posts_;  // its count, and where the first ones are
  corespec::FlatMap<Domain*, ~std::uint64_t{0}, 16> domains_;  // by instance and cookie
  unsigned single_channel_domains_ = 0;
  BlockTransferEngine bte_;
  DatagramDriver datagram_driver_;
  Waiters waiters_;
  std::vector<std::unique_ptr<RegionTable>> regions_;  // mostly one: the job's
  NodeResources resources_;
  ErrorEvents errors_;
  bool aries_;
  bool tracks_ = false;       ///< commands may be marked
  std::int64_t lost_one_in_;  // 0: none
  ugni::NicFaults* faults_ = nullptr;
  std::unique_ptr<RoomAgain> room_again_;
  corespec::RandomStream random_;
  PieceTable pieces_;
  std::uint32_t connections_ = 0;                 // the latest one's number
  std::map<std::uint32_t, Kept> kept_;            // by post
  std::map<std::uint32_t, Places> places_;        // by SMSG connection
  std::map<std::uint32_t, Chain> chains_;         // by their first post
  std::map<std::uint32_t, std::uint32_t> heads_;  // a chained post's first one
  std::unique_ptr<Untracked> untracked_;          // where the network gives up
  std::unique_ptr<CollectiveEngines> engines_;    // an Aries', once they are used
  std::unique_ptr<RegisterReader> register_reader_;
  PostMarks marks_;
};

}  // namespace nic
