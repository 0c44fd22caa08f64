// Injection by turns and by window, delivery to the NIC, responses and self traffic.
#include "ugni_emu/gemini/port/nic_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "ugni_emu/gemini/message/router.h"
#include "ugni_emu/wire/observed.h"

namespace gemini {

using corespec::Occurrence;
using corespec::Time;
using ugni::ResponseStatus;
using ugni::TransactionKind;

namespace {

constexpr std::uint64_t longest = std::numeric_limits<std::uint32_t>::max();

std::uint64_t fact_of(const Segment& segment) {
  return static_cast<std::uint64_t>(segment.transaction.kind) << 8 | segment.channel;
}

std::uint64_t value_of(const Segment& segment) {
  const std::uint64_t offset = segment.offset;
  const ugni::Transaction& transaction = segment.transaction;
  const std::uint64_t ends = static_cast<std::uint64_t>(transaction.source) << 32;
  return (ends | transaction.target) ^ (offset << 20) ^ segment.length;
}

}  // namespace

NicPort::NicPort(Router& router, const Timing& timing, Nid nid, corespec::EventSource source)
    : router_(router), timing_(timing), source_(source), nid_(nid) {}

Segment& NicPort::prepare() {
  Segment& segment = router_.pool().take();
  segment.router = &router_;
  segment.source_port = static_cast<std::uint8_t>(nid_ & 1);
  return segment;
}

void NicPort::refuse(Segment& segment) {
  const std::uint64_t length = segment.transaction.length;
  const std::size_t bytes = segment.payload.size();
  router_.pool().put(segment);
  throw std::invalid_argument(
      length > longest
          ? fmt::format("a transaction of {} bytes: at most 2^32 - 1", length)
          : fmt::format("a payload of {} bytes for a transaction of {}", bytes, length));
}

void NicPort::submit(Segment& segment) {
  const ugni::Transaction& transaction = segment.transaction;
  corespec::observe(router_.nodes_domain(), [&] {
    const Time now = router_.nodes_domain().now();
    return ugni::observed(Occurrence::Kind::posted, transaction, nid_, transaction.length, now,
                          now);
  });
  if (transaction.length > longest || (carries_data(transaction.kind) && !segment.payload.empty() &&
                                       segment.payload.size() != transaction.length)) {
    refuse(segment);
  }
  segment.offset = 0;
  segment.length = static_cast<std::uint32_t>(transaction.length);
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

bool NicPort::is_one_piece(const Segment& rest) const {
  return rest.length <= timing_.piece || !divisible(rest.transaction.kind);
}

/// Takes room in the window for the next piece of `rest`, if there is.
bool NicPort::reserve(Segment& rest) {
  const std::uint32_t length = std::min(rest.length, timing_.piece);
  const std::uint32_t requests = timing_.format.request(rest.transaction.kind, length).packets;
  if (std::int64_t{outstanding_} + requests > timing_.window) return false;
  outstanding_ += requests;
  rest.packets = requests;
  return true;
}

/// Starts the next request segment, if the NIC is idle, something waits and the window has room.
void NicPort::inject_next() {
  if (injecting_ || waiting_ == 0) return;
  if (!idle()) {
    expect_end();
    return;
  }
  while (turn_ >= injectors_.size() || injectors_[turn_].empty()) {
    turn_ = turn_ >= injectors_.size() ? 0 : static_cast<std::uint16_t>(turn_ + 1);
  }
  SegmentQueue& queue = injectors_[turn_];
  if (!reserve(*queue.front())) return;
  ++turn_;
  inject(take_piece(queue));
}

/// The front transaction's next piece. The queued segment stands for what is left of it, holds a
/// captured payload whole, and is itself the last piece.
Segment& NicPort::take_piece(SegmentQueue& queue) {
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
  Segment& segment = router_.pool().take();
  segment.router = rest.router;
  segment.source_port = rest.source_port;
  segment.transaction = rest.transaction;
  segment.offset = rest.offset;
  segment.length = timing_.piece;
  segment.packets = rest.packets;
  segment.last = false;
  if (captured) {
    segment.payload =
        ugni::Payload(std::as_const(rest.payload).bytes().subspan(rest.offset, timing_.piece));
  }
  rest.offset += timing_.piece;
  rest.length -= timing_.piece;
  return segment;
}

/// To the NIC's own address, or to one that the torus does not have: never leaves the NIC.
bool NicPort::stays_here(Nid target) const {
  return target == nid_ || !timing_.torus.contains(target);
}

void NicPort::inject(Segment& segment) {
  ugni::Transaction& transaction = segment.transaction;
  if (carries_data(transaction.kind) && segment.payload.empty() && segment.length > 0) {
    segment.payload = ugni::Payload(segment.length);
    client_->read_source(transaction, segment.offset, segment.payload.bytes());
  }
  const Weight weight = timing_.format.request(transaction.kind, segment.length);
  sending_last_ = segment.last && client_->awaits_sent(transaction);
  if (sending_last_) sending_ = transaction;
  segment.channel = kRequests;
  free_at_ = stays_here(transaction.target)
                 ? send_local(segment, weight.payload, Segment::request_arrived)
                 : send(segment, weight, transaction.target);
  corespec::observe(router_.nodes_domain(), [&] {
    Occurrence made = ugni::observed(Occurrence::Kind::injected, transaction, nid_, segment.length,
                                     router_.nodes_domain().now(), free_at_);
    made.part = transaction.injector;
    return made;
  });
  if (sending_last_ || waiting_ != 0) expect_end();
}

bool NicPort::idle() const { return !injecting_ && router_.nodes_domain().now() >= free_at_; }

/// Only if somebody waits for it: the next request, or the client.
void NicPort::expect_end() {
  injecting_ = true;
  router_.nodes_domain().schedule(free_at_, source_, *this, injected);
}

/// Through the NIC's cap and the host port towards `to`; when the last byte has left the NIC.
Time NicPort::send(Segment& segment, const Weight& weight, Nid to) {
  const Time now = router_.nodes_domain().now();
  const Place place = timing_.torus.place(to);
  segment.phits = weight.phits;
  segment.packets = weight.packets;
  segment.nic_bytes = weight.payload;
  segment.port = static_cast<std::uint8_t>(place.port);
  segment.router = &router_;
  segment.route = RouteWord(timing_.torus, router_.coordinates(), place.at);
  const Passage through_nic =
      out_.serve(segment.channel, timing_.nic.time(weight.payload), {now, now});
  const Passage left = router_.inject(segment, through_nic);
  segment.passage = {left.head + timing_.nic_to_router, left.tail + timing_.nic_to_router};
  router_.domain().schedule_from(router_.nodes_domain(), segment.passage.head, source_, segment,
                                 corespec::in_lane(router_.number(), Segment::at_router));
  return left.tail;
}

/// Through the NIC's cap back to itself; when the last byte has left the NIC.
Time NicPort::send_local(Segment& segment, std::uint32_t payload, Segment::Stage stage) {
  const Time now = router_.nodes_domain().now();
  segment.router = &router_;
  segment.port = segment.source_port;
  const Time sent = out_.serve(segment.channel, timing_.nic.time(payload), {now, now}).tail;
  router_.nodes_domain().schedule(sent + timing_.loopback, source_, segment, stage);
  return sent;
}

void NicPort::fire(std::uint64_t what) {
  if (what == response_turn) {
    finish_response_turn();
    return;
  }
  // The NIC counts as busy while the client hears of it: what it submits there only queues.
  if (sending_last_) client_->request_sent(sending_);
  injecting_ = false;
  inject_next();
}

void NicPort::accept_request(Segment& segment) {
  router_.nodes_domain().record(fact_of(segment), value_of(segment));
  const ugni::Transaction& transaction = segment.transaction;
  const bool here = client_ != nullptr && transaction.target == nid_;
  segment.status = here ? client_->request_arrived(segment.view()) : ResponseStatus::no_such_domain;
  const bool answers =
      transaction.kind == TransactionKind::get || transaction.kind == TransactionKind::atomic;
  if (!answers || segment.status != ResponseStatus::ok) segment.payload = {};
  respond(segment);
}

void NicPort::respond(Segment& segment) {
  segment.channel = kResponses;
  if (segment.transaction.source == nid_) {
    const Weight weight = timing_.format.response(segment.transaction.kind, segment.length,
                                                  segment.status == ResponseStatus::ok);
    send_local(segment, weight.payload, Segment::response_arrived);
    return;
  }
  if (responses_.empty() && router_.nodes_domain().now() >= response_free_) {
    send_response(segment);
    return;
  }
  // Only who has to wait pays for an event; it is under way while the queue is not empty.
  if (responses_.empty()) {
    router_.nodes_domain().schedule(response_free_, source_, *this, response_turn);
  }
  responses_.push(segment);
}

void NicPort::finish_response_turn() {
  send_response(responses_.pop());
  if (responses_.empty()) return;
  router_.nodes_domain().schedule(response_free_, source_, *this, response_turn);
}

void NicPort::send_response(Segment& segment) {
  const Weight weight = timing_.format.response(segment.transaction.kind, segment.length,
                                                segment.status == ResponseStatus::ok);
  response_free_ = send(segment, weight, segment.transaction.source);
}

void NicPort::accept_response(Segment& segment) {
  router_.nodes_domain().record(fact_of(segment), value_of(segment));
  outstanding_ -= segment.packets;
  client_->response_arrived(segment.view());
  router_.pool().put(segment);
  inject_next();
}

}  // namespace gemini
