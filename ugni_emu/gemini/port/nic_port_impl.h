// Injection by turns and within the outstanding limit, delivery to the NIC and responses: what a
// fidelity instantiates.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "corespec/host/check.h"
#include "ugni_emu/gemini/format/channels.h"
#include "ugni_emu/gemini/port/nic_port.h"
#include "ugni_emu/wire/observed.h"

namespace gemini {
namespace port_detail {

inline constexpr std::uint64_t longest = std::numeric_limits<std::uint32_t>::max();

template <typename Segment>
std::uint64_t fact_of(const Segment& segment) {
  return static_cast<std::uint64_t>(segment.transaction.kind) << 8 | segment.channel;
}

template <typename Segment>
std::uint64_t value_of(const Segment& segment) {
  const std::uint64_t offset = segment.offset;
  const ugni::Transaction& transaction = segment.transaction;
  const std::uint64_t ends = static_cast<std::uint64_t>(transaction.source) << 32;
  return (ends | transaction.target) ^ (offset << 20) ^ segment.length;
}

}  // namespace port_detail

template <typename C>
NicPort<C>::NicPort(const C& carrier, Nid nid, unsigned nic, corespec::EventSource source)
    : carrier_(carrier), source_(source), nid_(nid), nic_(static_cast<std::uint8_t>(nic)) {}

template <typename C>
void NicPort<C>::refuse(Segment& segment) {
  const std::uint64_t length = segment.transaction.length;
  const std::size_t bytes = segment.payload.size();
  carrier_.put(segment);
  throw std::invalid_argument(
      length > port_detail::longest
          ? fmt::format("a transaction of {} bytes: at most 2^32 - 1", length)
          : fmt::format("a payload of {} bytes for a transaction of {}", bytes, length));
}

template <typename C>
void NicPort<C>::submit(Segment& segment) {
  const ugni::Transaction& transaction = segment.transaction;
  corespec::observe(carrier_.domain(), [&] {
    const corespec::Time now = carrier_.domain().now();
    return ugni::observed(corespec::Occurrence::Kind::posted, transaction, nid_, transaction.length,
                          now, now);
  });
  if (transaction.length > port_detail::longest ||
      (carries_data(transaction.kind) && !segment.payload.empty() &&
       segment.payload.size() != transaction.length)) {
    refuse(segment);
  }
  segment.offset = 0;
  segment.length = static_cast<std::uint32_t>(transaction.length);
  const bool can_be_lost = arrivals_ != nullptr && arrivals_->recovery.has_value();
  if (carrier_.numbers_packets() || can_be_lost) {
    segment.transaction.number = numbered_;
    numbered_ += carrier_.format().request(transaction.kind, segment.length).packets;
  }
  if (can_be_lost && !stays_here(transaction.target)) [[unlikely]] {
    segment.transaction.number =
        arrivals_->recovery->number(transaction, segment.transaction.number);
  }
  if (transaction.mark != 0) [[unlikely]]
    note_submission(segment);
  const std::uint8_t injector = transaction.injector;
  // The common case, an idle NIC and a small transaction, needs no queue.
  if (idle() && waiting_ == 0 && is_one_piece(segment) && reserve(segment)) {
    turn_ = static_cast<std::uint16_t>(injector + 1);
    segment.last = true;
    inject(segment);
    return;
  }
  if (injector >= injectors_.size()) injectors_.resize(std::size_t{injector} + 1);
  injectors_[injector].push(segment);
  ++waiting_;
  inject_next();
}

template <typename C>
bool NicPort<C>::is_one_piece(const Segment& rest) const {
  return rest.length <= carrier_.piece() || !divisible(rest.transaction.kind);
}

/// Counts the next piece of `rest` as outstanding, if the limit allows it.
template <typename C>
bool NicPort<C>::reserve(Segment& rest) {
  const std::uint32_t length = std::min(rest.length, carrier_.piece());
  const std::uint32_t requests = carrier_.format().request(rest.transaction.kind, length).packets;
  if (std::int64_t{outstanding_} + requests > carrier_.outstanding_limit()) return false;
  outstanding_ += requests;
  rest.packets = requests;
  return true;
}

/// Starts the next request segment, if the NIC is idle, something waits and the outstanding limit
/// allows it.
template <typename C>
void NicPort<C>::inject_next() {
  if (injecting_ || waiting_ == 0) return;
  if (!idle()) {
    expect_end();
    return;
  }
  while (turn_ >= injectors_.size() || injectors_[turn_].empty()) {
    turn_ = turn_ >= injectors_.size() ? 0 : static_cast<std::uint16_t>(turn_ + 1);
  }
  SegmentQueue<Segment>& queue = injectors_[turn_];
  if (!reserve(*queue.front())) return;
  ++turn_;
  inject(take_piece(queue));
}

/// The front transaction's next piece. The queued segment stands for what is left of it, holds a
/// captured payload whole, and is itself the last piece.
template <typename C>
auto NicPort<C>::take_piece(SegmentQueue<Segment>& queue) -> Segment& {
  Segment& rest = *queue.front();
  const bool captured = !rest.payload.empty();
  if (is_one_piece(rest)) {
    Segment& segment = queue.pop();
    --waiting_;
    segment.last = true;
    if (captured && segment.offset != 0) {
      segment.payload = ugni::Payload(
          std::as_const(segment.payload).bytes().subspan(segment.offset, segment.length));
    }
    return segment;
  }
  const std::uint32_t piece = carrier_.piece();
  Segment& segment = carrier_.take(nic_);
  segment.transaction = rest.transaction;
  segment.offset = rest.offset;
  segment.length = piece;
  segment.packets = rest.packets;
  segment.last = false;
  if (captured) {
    segment.payload =
        ugni::Payload(std::as_const(rest.payload).bytes().subspan(rest.offset, piece));
  }
  rest.offset += piece;
  rest.length -= piece;
  return segment;
}

/// To the NIC's own address, or to one that the network does not have: never leaves the NIC.
template <typename C>
bool NicPort<C>::stays_here(Nid target) const {
  return target == nid_ || !carrier_.reaches(target);
}

/// A marked command has come.
template <typename C>
void NicPort<C>::note_submission(const Segment& segment) {
  if (carrier_.records() == nullptr) return;
  const std::uint32_t piece = carrier_.piece();
  const std::uint32_t pieces =
      is_one_piece(segment) ? 1 : segment.length / piece + (segment.length % piece == 0 ? 0 : 1);
  carrier_.records()->submitted(nid_, segment.transaction.mark, carrier_.domain().now(), pieces);
}

/// The last piece of a marked command has been given to the network.
template <typename C>
void NicPort<C>::note_sent(const Segment& segment) {
  if (carrier_.records() == nullptr) return;
  carrier_.records()->command_sent(nid_, segment.transaction.mark, carrier_.domain().now(),
                                   free_at_);
}

template <typename C>
void NicPort<C>::inject(Segment& segment) {
  ugni::Transaction& transaction = segment.transaction;
  if (carries_data(transaction.kind) && segment.payload.empty() && segment.length > 0 &&
      client_->has_source_data(transaction)) {
    segment.payload = ugni::Payload(segment.length);
    client_->read_source(transaction, segment.offset, segment.payload.bytes());
  }
  const Weight weight = request_of(segment);
  sending_last_ = segment.last && client_->awaits_sent(transaction);
  if (sending_last_) sending_ = transaction;
  segment.channel = kRequests;
  const bool local = stays_here(transaction.target);
  const std::uint32_t mark = transaction.mark;
  if (mark != 0) [[unlikely]] {
    segment.marked = carrier_.records() != nullptr && carrier_.records()->marks_piece(nid_, mark);
  }
  count(segment, [&] {
    if (local) return ugni::NicFlow::loopback;
    return transaction.injector == 0 ? ugni::NicFlow::fma : ugni::NicFlow::bte;
  });
  free_at_ = local ? carrier_.send_local(segment, weight, source_)
                   : carrier_.send(segment, weight, transaction.target, source_);
  if (mark != 0 && segment.last) [[unlikely]]
    note_sent(segment);
  corespec::observe(carrier_.domain(), [&] {
    corespec::Occurrence made =
        ugni::observed(corespec::Occurrence::Kind::injected, transaction, nid_, segment.length,
                       carrier_.domain().now(), free_at_);
    made.part = transaction.injector;
    return made;
  });
  if (sending_last_ || waiting_ != 0) expect_end();
}

/// A request or response passes the NIC, if the NIC counts; `flow()` says in which flow.
template <typename C>
template <typename FlowOf>
void NicPort<C>::count(const Segment& segment, const FlowOf& flow) const {
  NicCounters* const counters = carrier_.counters(nid_);
  if (counters == nullptr) return;
  const Weight weight = segment.channel == kRequests ? request_of(segment) : response_to(segment);
  counters->count(flow(), weight.packets, weight.payload, carrier_.format().packet_payload());
}

template <typename C>
std::size_t NicPort<C>::unfinished() const {
  std::size_t count = std::size_t{waiting_} + outstanding_ + (responses_.empty() ? 0 : 1);
  if (arrivals_ != nullptr) {
    count += arrivals_->pieces.held();
    if (arrivals_->recovery) count += arrivals_->recovery->held();
  }
  return count;
}

template <typename C>
bool NicPort<C>::idle() const {
  return !injecting_ && carrier_.domain().now() >= free_at_;
}

/// Only if the next request or the client waits for it.
template <typename C>
void NicPort<C>::expect_end() {
  injecting_ = true;
  carrier_.domain().schedule(free_at_, source_, *this, injected);
}

template <typename C>
void NicPort<C>::fire(std::uint64_t what) {
  if (what == response_turn) {
    finish_response_turn();
    return;
  }
  if (what == look_at_waiting) {
    look_at_waiting_pieces();
    return;
  }
  // The NIC counts as busy while the client hears of it: what it submits there only queues.
  if (sending_last_) client_->request_sent(sending_);
  injecting_ = false;
  inject_next();
}

/// The client acts, the response sets out.
template <typename C>
void NicPort<C>::accept_request(Segment& segment) {
  carrier_.domain().record(port_detail::fact_of(segment), port_detail::value_of(segment));
  if (segment.marked) [[unlikely]]
    carrier_.note_arrival(segment, nic_);
  const ugni::Transaction& transaction = segment.transaction;
  if (transaction.source != nid_) {
    count(segment, [] { return ugni::NicFlow::requests_received; });
    if (transaction.kind == ugni::TransactionKind::atomic) {
      count(segment, [] { return ugni::NicFlow::atomics_received; });
    }
  }
  const bool here = client_ != nullptr && transaction.target == nid_;
  segment.status =
      here ? client_->request_arrived(segment.view()) : ugni::ResponseStatus::no_such_domain;
  const bool answers = transaction.kind == ugni::TransactionKind::get ||
                       transaction.kind == ugni::TransactionKind::atomic;
  if (!answers || !ugni::is_done(segment.status)) segment.payload = {};
  segment.tries = 0;
  respond(segment);
}

template <typename C>
void NicPort<C>::respond(Segment& segment) {
  segment.channel = kResponses;
  if (segment.marked) [[unlikely]]
    carrier_.note_response(segment);
  if (segment.transaction.source == nid_) {
    carrier_.send_local(segment, response_to(segment), source_);
    return;
  }
  if (responses_.empty() && carrier_.domain().now() >= response_free_) {
    send_response(segment);
    return;
  }
  // Only a response that has to wait costs an event; it is under way while the queue is not empty.
  if (responses_.empty()) {
    carrier_.domain().schedule(response_free_, source_, *this, response_turn);
  }
  responses_.push(segment);
}

template <typename C>
void NicPort<C>::finish_response_turn() {
  send_response(responses_.pop());
  if (responses_.empty()) return;
  carrier_.domain().schedule(response_free_, source_, *this, response_turn);
}

template <typename C>
Weight NicPort<C>::request_of(const Segment& segment) const {
  const PacketFormat& format = carrier_.format();
  const Weight weight = format.request(segment.transaction.kind, segment.length);
  if (!format.compresses() || !carries_data(segment.transaction.kind)) return weight;
  return format.compressed(weight, segment.payload.bytes());
}

template <typename C>
Weight NicPort<C>::response_to(const Segment& segment) const {
  const PacketFormat& format = carrier_.format();
  const Weight weight =
      format.response(segment.transaction.kind, segment.length, ugni::is_done(segment.status));
  if (!format.compresses() || segment.transaction.kind != ugni::TransactionKind::get) return weight;
  return format.compressed(weight, segment.payload.bytes());
}

template <typename C>
void NicPort<C>::send_response(Segment& segment) {
  count(segment, [&] {
    if (segment.transaction.kind == ugni::TransactionKind::get) return ugni::NicFlow::gets_answered;
    return segment.transaction.kind == ugni::TransactionKind::atomic
               ? ugni::NicFlow::atomics_answered
               : ugni::NicFlow::others_answered;
  });
  response_free_ =
      carrier_.send(segment, response_to(segment), segment.transaction.source, source_);
}

/// Its requests are outstanding no longer, the client learns.
template <typename C>
void NicPort<C>::accept_response(Segment& segment) {
  carrier_.domain().record(port_detail::fact_of(segment), port_detail::value_of(segment));
  if (segment.marked) [[unlikely]]
    carrier_.note_arrival(segment, nic_);
  CASTOR_CHECK(outstanding_ >= segment.packets, "more responses than requests");
  outstanding_ -= segment.packets;
  if (!stays_here(segment.transaction.target)) {
    count(segment, [] { return ugni::NicFlow::responses_received; });
  }
  client_->response_arrived(segment.view());
  carrier_.put(segment);
  inject_next();
}

// ---- pieces that overtake each other, and that are lost

template <typename C>
void NicPort<C>::arrive_in_disorder(Segment& segment) {
  const ugni::Transaction& transaction = segment.transaction;
  if (transaction.source == transaction.target || !carrier_.reaches(transaction.target)) {
    accept(segment);  // it has not left the NIC
    return;
  }
  if (!arrivals_->recovery) {
    accept_pieces(segment);
    return;
  }
  if (arrivals_->recovery->draws_loss(segment.packets)) {
    ++carrier_.fault_counts().lost;
    carrier_.give_back(segment, source_);
    return;
  }
  if (segment.channel == kRequests && loss_number::is_ordered(transaction.number)) {
    accept_in_order(segment);
  } else {
    accept_pieces(segment);
  }
}

/// Whether the segment's transaction is complete by it.
template <typename C>
bool NicPort<C>::accept_pieces(Segment& segment) {
  if (segment.last && segment.offset == 0) {
    accept(segment);
    return true;
  }
  // What is accepted may be another segment the next moment.
  const bool is_last_request = segment.last && segment.channel == kRequests;
  const bool complete = arrivals_->pieces.accept(segment, carrier_.domain().now(),
                                                 [this](Segment& piece) { accept(piece); });
  if (is_last_request && !complete && arrivals_->recovery) be_patient();
  return complete;
}

template <typename C>
void NicPort<C>::accept_in_order(Segment& segment) {
  Recovery<Segment>& recovery = *arrivals_->recovery;
  if (recovery.holds_back(segment, carrier_.domain().now())) {
    be_patient();
    return;
  }
  const OrderedFlow flow = flow_of(segment);
  if (accept_pieces(segment)) go_on(flow);
}

/// A transaction of the flow is complete: those that have waited for it.
template <typename C>
void NicPort<C>::go_on(OrderedFlow flow) {
  Recovery<Segment>& recovery = *arrivals_->recovery;
  recovery.complete(flow);
  while (Segment* const next = recovery.take_next(flow)) {
    flow = flow_of(*next);
    if (accept_pieces(*next)) recovery.complete(flow);
  }
}

/// Something waits for what may not come: looks at it from time to time, until nothing does.
template <typename C>
void NicPort<C>::be_patient() {
  if (arrivals_->looks_again) return;
  arrivals_->looks_again = true;
  const corespec::Time next = carrier_.domain().now() + arrivals_->recovery->faults().interval;
  carrier_.domain().schedule(next, source_, *this, look_at_waiting);
}

/// What has waited for all the faults' patience goes on without what it has waited for: the sender
/// of that has given up.
template <typename C>
void NicPort<C>::look_at_waiting_pieces() {
  Recovery<Segment>& recovery = *arrivals_->recovery;
  arrivals_->looks_again = false;
  const corespec::Time since = carrier_.domain().now() - recovery.faults().patience();
  for (Segment* const last : arrivals_->pieces.take_requests_waiting_since(since)) {
    const OrderedFlow flow = flow_of(*last);
    last->status = ugni::ResponseStatus::lost;
    last->payload = {};
    respond(*last);
    if (loss_number::is_ordered(flow.number)) go_on(flow);
  }
  while (Segment* const next = recovery.take_expired(since)) {
    const OrderedFlow flow = flow_of(*next);
    if (accept_pieces(*next)) go_on(flow);
  }
  if (recovery.holds_any() || arrivals_->pieces.holds_a_request()) be_patient();
}

template <typename C>
void NicPort<C>::take_back(Segment& segment) {
  carrier_.domain().record(port_detail::fact_of(segment), port_detail::value_of(segment));
  const bool is_response = segment.channel == kResponses;
  if (is_response && segment.transaction.source == nid_) {
    accept_pieces(segment);
    return;
  }
  FaultCounts& counts = carrier_.fault_counts();
  if (segment.tries == arrivals_->recovery->faults().tries) {
    ++counts.given_up;
    fail(segment);
    return;
  }
  ++segment.tries;
  ++counts.resent;
  if (is_response) {
    respond(segment);
  } else {
    free_at_ = carrier_.send(segment, request_of(segment), segment.transaction.target, source_);
  }
}

/// A request has not come to its target, or a response to its source.
template <typename C>
void NicPort<C>::fail(Segment& segment) {
  using Status = ugni::ResponseStatus;
  const ugni::Transaction& transaction = segment.transaction;
  segment.payload = {};
  if (segment.channel == kRequests) {
    segment.status = carrier_.has_way(transaction.target) ? Status::lost : Status::unreachable;
    segment.channel = kResponses;
    accept_pieces(segment);
    return;
  }
  segment.status = ugni::may_be_repeated(transaction) ? Status::lost : Status::unreachable;
  carrier_.give_up(segment, source_);
}

}  // namespace gemini
