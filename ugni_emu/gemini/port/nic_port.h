// Where a NIC meets the network: injection by turns, the outstanding limit, and responses.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/time/time.h"
#include "ugni_emu/gemini/counters/nic_counters.h"
#include "ugni_emu/gemini/format/channels.h"
#include "ugni_emu/gemini/format/phits.h"
#include "ugni_emu/gemini/links/network_faults.h"
#include "ugni_emu/gemini/port/pieces.h"
#include "ugni_emu/gemini/port/recovery.h"
#include "ugni_emu/gemini/port/segment_queue.h"
#include "ugni_emu/gemini/topology/topology.h"
#include "ugni_emu/telemetry/network_records.h"
#include "ugni_emu/wire/wire.h"

namespace gemini {

/// How a fidelity carries the segments of one NIC. Its Segment is the NIC's side of a transaction's
/// piece: a ugni::Submission with `offset`, `length`, `packets`, `channel`, `status`, `last` and
/// `tries`. A segment that arrives at a NIC is given to its port's arrive(), one that has been lost
/// to its sender's port's take_back().
template <typename C>
concept Carrier = requires(C carrier, typename C::Segment segment, unsigned nic, Nid nid,
                           const Weight& weight, corespec::EventSource& source) {
  /// Of the router's nodes; everything that a port does happens in it.
  { carrier.domain() } -> std::same_as<corespec::EventDomain&>;
  /// A segment from the pool that is to leave from the router's NIC `nic`, and back to the pool.
  { carrier.take(nic) } -> std::same_as<typename C::Segment&>;
  carrier.put(segment);
  { carrier.format() } -> std::same_as<const PacketFormat&>;
  /// Largest segment in bytes, and requests that the NIC may have unanswered.
  { carrier.piece() } -> std::same_as<std::uint32_t>;
  { carrier.outstanding_limit() } -> std::same_as<std::int64_t>;
  /// Whether the network wants Transaction::number.
  { carrier.numbers_packets() } -> std::same_as<bool>;
  /// What the NIC counts; null: it does not.
  { carrier.counters(nid) } -> std::same_as<NicCounters*>;
  /// What telemetry keeps; null: nothing is marked.
  { carrier.records() } -> std::same_as<telemetry::NetworkRecords*>;
  /// A marked segment is to be answered, has come to its router's NIC `nic`.
  carrier.note_response(segment);
  carrier.note_arrival(segment, nic);
  /// Whether the network has such a node.
  { carrier.reaches(nid) } -> std::same_as<bool>;
  /// To another NIC, or back to the same one; when the last byte has left the NIC.
  { carrier.send(segment, weight, nid, source) } -> std::same_as<corespec::Time>;
  { carrier.send_local(segment, weight, source) } -> std::same_as<corespec::Time>;
  /// Where pieces can be lost. Whether there is a way to another NIC now.
  { carrier.has_way(nid) } -> std::same_as<bool>;
  /// The segment goes to take_back() of its sender, or of its transaction's source, after the
  /// faults' interval, as if a timer there told of it. From the port that has it.
  carrier.give_back(segment, source);
  carrier.give_up(segment, source);
  { carrier.fault_counts() } -> std::same_as<FaultCounts&>;
};

/// What a NIC does with pieces that can overtake each other.
template <typename Segment>
struct Arrivals {
  Pieces<Segment> pieces;
  std::optional<Recovery<Segment>> recovery;  ///< where they can be lost, too
  bool looks_again = false;                   ///< an event comes for those that wait
};

/// One of a router's NICs, seen from the router. Everything happens in the domain of its nodes.
///
/// Injection serves one request segment after another, taking turns between injectors; a segment
/// that does not fit under the outstanding limit waits, and so do those behind it. Responses have a
/// queue of their own (virtual channel 1) and also leave one after another, so that the NICs of a
/// router share the host port whatever one of them has queued.
///
/// A template, so that a fidelity costs no virtual call; each instantiates it from
/// nic_port_impl.h.
template <typename CarrierType>
class alignas(64) NicPort final : public corespec::Event {
 public:
  using Segment = typename CarrierType::Segment;

  /// `nic`: which of its router's.
  NicPort(const CarrierType& carrier, Nid nid, unsigned nic, corespec::EventSource source);
  NicPort(const NicPort&) = delete;
  NicPort& operator=(const NicPort&) = delete;

  void attach(ugni::WireClient& client) { client_ = &client; }
  bool attached() const { return client_ != nullptr; }
  CarrierType& carrier() { return carrier_; }
  corespec::EventSource& source() { return source_; }
  const CarrierType& carrier() const { return carrier_; }

  /// A segment for a transaction of this NIC, to be filled in and submitted.
  Segment& prepare() { return carrier_.take(nic_); }
  /// A transaction as a segment: see Network::prepare().
  void submit(Segment& segment);

  /// Pieces may come in any order.
  void expect_disorder() { arrivals_ = std::make_unique<Arrivals<Segment>>(); }
  /// And be lost.
  void expect_losses(const NetworkFaults& faults) {
    expect_disorder();
    arrivals_->recovery.emplace(faults, nid_);
  }

  /// The tail of a request or of a response is here.
  void arrive(Segment& segment) {
    if (arrivals_ == nullptr) [[likely]] {
      accept(segment);
    } else {
      arrive_in_disorder(segment);
    }
  }
  /// A segment that was sent from here has been lost; or a response to a request from here, which
  /// its sender sends no more.
  void take_back(Segment& segment);

  /// Transactions that have not wholly left, requests that have no answer, pieces that wait for
  /// others. 0 where nothing is under way.
  std::size_t unfinished() const;

  /// The request being injected has left, or the next response may leave.
  void fire(std::uint64_t what) override;

 private:
  friend struct PortPrefetch;
  static_assert(Carrier<CarrierType>);
  enum Firing : std::uint64_t { injected, response_turn, look_at_waiting };

  void accept(Segment& segment) {
    if (segment.channel == kRequests) {
      accept_request(segment);
    } else {
      accept_response(segment);
    }
  }
  void accept_request(Segment& segment);
  void accept_response(Segment& segment);
  void arrive_in_disorder(Segment& segment);
  bool accept_pieces(Segment& segment);
  void accept_in_order(Segment& segment);
  void go_on(OrderedFlow flow);
  void be_patient();
  void look_at_waiting_pieces();
  void fail(Segment& segment);
  bool stays_here(Nid target) const;
  [[noreturn]] void refuse(Segment& segment);
  bool is_one_piece(const Segment& rest) const;
  bool reserve(Segment& rest);
  bool idle() const;
  void inject_next();
  void expect_end();
  Segment& take_piece(SegmentQueue<Segment>& queue);
  void inject(Segment& segment);
  void respond(Segment& segment);
  template <typename FlowOf>
  void count(const Segment& segment, const FlowOf& flow) const;
  void note_submission(const Segment& segment);
  void note_sent(const Segment& segment);
  Weight request_of(const Segment& segment) const;
  Weight response_to(const Segment& segment) const;
  void send_response(Segment& segment);
  void finish_response_turn();

  // Two lines of what small transactions need, and then the rest.
  CarrierType carrier_;
  ugni::WireClient* client_ = nullptr;
  corespec::EventSource source_;
  Nid nid_;
  std::uint16_t turn_ = 0;         ///< the injector that is asked first
  std::uint8_t nic_;               ///< which of its router's
  bool injecting_ : 1 = false;     ///< an event will tell
  bool sending_last_ : 1 = false;  ///< it is a last piece, and the client waits for its end

  std::uint32_t waiting_ = 0;      ///< transactions not wholly injected
  std::uint32_t outstanding_ = 0;  ///< requests unanswered
  corespec::Time free_at_;         ///< when the present request has left
  SegmentQueue<Segment> responses_;
  corespec::Time response_free_;  ///< when the last response has left
  /// Null: pieces come in the order in which they were sent.
  std::unique_ptr<Arrivals<Segment>> arrivals_;

  std::vector<SegmentQueue<Segment>> injectors_;  ///< by Transaction::injector
  ugni::Transaction sending_;                     ///< the one whose last piece is being injected
  std::uint32_t numbered_ = 0;                    ///< packets that have a number
};

}  // namespace gemini
