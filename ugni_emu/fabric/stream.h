// What one injector of one process has sent here, in order.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "ugni_emu/fabric/incoming.h"

namespace ugni::fabric {

/// Delivers its requests one after another: see Incoming. It is its own event (the time of the
/// first has come) and its own movement (that of the first's data).
class Incoming::Stream final : public corespec::Event, public Movement {
 public:
  Stream(Incoming& owner, int rank) : owner_(owner), carrier_(*owner.carrier_), rank_(rank) {}

  bool empty() const { return requests_.empty(); }
  /// To be asked before accept(): whether the request may come here and now.
  Fault fault_in(const RequestMessage& request) {
    const bool last = (request.head.flags & RequestMessage::last) != 0;
    if (last && !open_) return request.offset == 0 ? nullptr : "a piece without its beginning";
    return fault_in_piece(request, last);
  }
  /// Takes a request whose time is `due`. If it is alone and has neither to wait nor to be moved
  /// it is delivered at once, without a queue.
  void accept(const RequestMessage& request, std::span<const std::byte> data, corespec::Time due);
  /// The same without doing anything before an event.
  void accept_later(const RequestMessage& request, Payload payload, corespec::Time due);
  /// Goes as far as it can.
  void step();
  /// The same for one that was blocked: the provider may have room again.
  void retry() {
    blocked_ = false;
    step();
  }
  void ended(bool well);
  /// Of a PUT whose data this process may not read: the next piece. What is wrong with it; null:
  /// nothing.
  Fault take_data(const DataMessage& message, std::span<const std::byte> bytes);
  void drop();

  void fire(std::uint64_t) override;

 private:
  struct Request {
    RequestMessage message;
    Payload payload;
    corespec::Time due;
    bool moved = false;     ///< its data has been moved, or need not be
    bool failed = false;    ///< its data could not be moved
    bool in_place = false;  ///< its data is where it belongs
  };

  /// One that is delivered: its message may lie where it was received.
  struct Delivery {
    const RequestMessage& message;
    Payload& payload;
    bool failed = false;
    bool in_place = false;
  };

  Fault fault_in_piece(const RequestMessage& request, bool last);
  bool from_self() const { return rank_ == carrier_.rank(); }
  bool move_here(Request& request);
  bool move_there(Request& request);
  void move_within(Request& request);
  bool started(Outcome outcome, Request& request);
  bool wish_for(Request& request);
  bool give_up(Request& request) const;
  void schedule(corespec::Time at);
  void deliver(const Delivery& request);
  void deliver_put(const Delivery& request);
  void deliver_get(const Delivery& request);
  ResponseStatus arrive(SegmentView& segment);
  /// Answers a whole request; `data`: bytes that the wire has moved back already.
  void acknowledge(const RequestMessage& request, ResponseStatus status, ResponseUrgency urgency,
                   std::uint8_t flags = 0, std::uint64_t data = 0);
  std::int64_t response_due(const RequestMessage& request, std::uint64_t data) const;
  ResponseMessage response(const RequestMessage& request, std::uint64_t data) const;

  Incoming& owner_;
  Carrier& carrier_;
  int rank_;
  std::deque<Request> requests_;
  std::optional<RequestMessage> open_;          ///< the piece before, if more have to follow
  bool moving_ = false;                         ///< the first one's data is under way
  std::optional<std::uint64_t> fetched_;        ///< in messages, so many bytes so far
  bool blocked_ = false;                        ///< the provider had no room: its owner knows
  std::optional<corespec::Time> expected_;      ///< an event will come then
  ResponseStatus so_far_ = ResponseStatus::ok;  ///< of a PUT in several pieces
};

}  // namespace ugni::fabric
