// An event domain in virtual time.
#pragma once

#include <cstdint>
#include <memory>

#include "corespec/events/event_domain.h"
#include "corespec/events/event_queue.h"
#include "corespec/virtual/lane_queue.h"

namespace corespec {

class Engine;

/// Domains of one class have the same least delays to those of each class.
enum class DomainClass : std::uint8_t {
  nodes,   ///< nodes of some Geminis with their NICs, or the launcher: much state
  routers  ///< routers, one or many: little state, events at a short distance
};
/// How a domain keeps its events: all in one order, in a heap, or, where it has many lanes with
/// thousands of events at a time, in buckets of time.
enum class QueueKind : std::uint8_t { heap, lanes };
constexpr std::size_t domain_classes = 2;

/// Runs its own events in order up to a horizon: the earliest time at which another domain could
/// still affect it. A thread's clock may move ahead within that horizon without an event.
class alignas(64) VirtualDomain final : public EventDomain {
 public:
  VirtualDomain(Engine& engine, std::uint32_t number, DomainClass kind, QueueKind queue)
      : engine_(&engine), number_(number), class_(kind) {
    if (queue == QueueKind::lanes) lane_queue_ = std::make_unique<LaneQueue>();
  }

  Time now() const override { return now_; }
  void schedule(Time at, EventSource& source, Event& event, std::uint64_t arg) override;
  void schedule_from(EventDomain& caller, Time at, EventSource& source, Event& event,
                     std::uint64_t arg) override;
  /// Takes an event that another part of the machine has scheduled here, between two rounds.
  void accept(const EventQueue::Entry& entry);
  /// Takes back what was scheduled for `event`, if the domain has a heap. Only while the domain
  /// runs. Slow.
  void cancel(const Event& event) { queue_.remove(event); }
  void record(std::uint64_t what, std::uint64_t value) override {
    mix(what);
    mix(value);
    mix(static_cast<std::uint64_t>(now_.ps()));
  }

  /// Moves the clock to `to` if nothing in this domain, and nothing the wire could still deliver,
  /// is earlier or at the same time. False (and unchanged) if a thread has to wait for events.
  bool try_advance(Time to) {
    if (next_time() <= to || to >= horizon_) return false;
    now_ = to;
    return true;
  }

  Time next_time() const { return lane_queue_ ? lane_queue_->next_time() : queue_.next_time(); }
  /// Its next turn takes it here at least; it needs a horizon that is no earlier.
  Time next_end() const {
    if (lane_queue_) return lane_queue_->next_end();
    const Time next = queue_.next_time();
    return next == Time::max() ? next : next + Time::picoseconds(1);
  }
  std::uint32_t number() const { return number_; }
  /// Empty if it has a lane queue.
  const EventQueue& queue() const { return queue_; }
  /// What others have left in it is taken in, as at the beginning of a turn.
  void settle() { queue_.settle(); }
  /// False if none of the events that are still to come brings news. Whatever routers do does.
  bool expects_news() const {
    return lane_queue_ ? !lane_queue_->empty()
                       : queue_.any_of([](const Event& event) { return event.brings_news(); });
  }
  static constexpr std::uint64_t first_hash = 0x243f6a8885a308d3ull;
  std::uint64_t hash() const { return hash_; }
  std::uint64_t events() const { return events_; }

 private:
  friend class Engine;
  friend class Turns;
  void mix(std::uint64_t value) {
    hash_ = (hash_ ^ value) * 0x9fb21c651e98df25ull;
    hash_ ^= hash_ >> 32;
  }

  Engine* engine_;
  std::uint32_t number_;
  DomainClass class_;
  Time now_;
  Time horizon_;
  EventQueue queue_;
  std::unique_ptr<LaneQueue> lane_queue_;  ///< instead of queue_, if there
  std::uint64_t hash_ = first_hash;
  std::uint64_t events_ = 0;
};

}  // namespace corespec
