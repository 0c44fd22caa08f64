// A domain that belongs to another part of the machine.
#pragma once

#include <cstddef>
#include <stdexcept>

#include "corespec/events/event_domain.h"
#include "corespec/events/event_queue.h"

namespace corespec {

/// Where events leave a part of the machine for another part.
class Border {
 public:
  virtual ~Border() = default;
  /// An event for a domain of the routers of `part`.
  virtual void send(std::size_t part, const EventQueue::Entry& entry) = 0;
};

/// Stands for all routers of another part: what is scheduled there goes over the border.
class ForeignDomain final : public EventDomain {
 public:
  /// `least_delay`: of an effect between routers.
  ForeignDomain(Border& border, std::size_t part, Time least_delay)
      : border_(border), part_(part), least_delay_(least_delay) {}

  void schedule_from(EventDomain& caller, Time at, EventSource& source, Event& event,
                     std::uint64_t arg) override {
    if (at < caller.now() + least_delay_) {
      throw std::logic_error("an effect on another part of the machine is too early");
    }
    border_.send(part_, {at, EventQueue::make_key(source), &event, arg});
  }
  Time now() const override { refuse(); }
  void schedule(Time, EventSource&, Event&, std::uint64_t) override { refuse(); }
  void record(std::uint64_t, std::uint64_t) override { refuse(); }

 private:
  [[noreturn]] static void refuse() {
    throw std::logic_error("a domain of another part of the machine has been touched");
  }

  Border& border_;
  std::size_t part_;
  Time least_delay_;
};

}  // namespace corespec
