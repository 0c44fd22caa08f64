// The discrete-event loop over all domains of a machine.
#include "corespec/virtual/engine.h"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "corespec/virtual/engine_prefetch.h"

namespace corespec {

void VirtualDomain::schedule(Time at, EventSource& source, Event& event, std::uint64_t arg) {
  const bool earlier = at < next_time();
  const EventQueue::Entry entry{at, EventQueue::make_key(source), &event, arg};
  if (lane_queue_) {
    lane_queue_->push(entry);
  } else if (engine_->running_ == this) {
    queue_.push(entry);
  } else {
    queue_.leave(entry);
  }
  if (earlier && engine_->running_ != this) engine_->moved_earlier(*this);
}

void VirtualDomain::schedule_from(EventDomain& caller, Time at, EventSource& source, Event& event,
                                  std::uint64_t arg) {
  if (&caller != this) {
    auto& from = static_cast<VirtualDomain&>(caller);
    if (at < from.now_ + engine_->delay(from, *this)) {
      throw std::logic_error("an effect between event domains is earlier than the least delay");
    }
    // The earliest answer to this comes a least delay after it: the caller must wait for it.
    from.horizon_ = std::min(from.horizon_, at + engine_->delay(*this, from));
  }
  schedule(at, source, event, arg);
}

VirtualDomain& Engine::add_domain(DomainClass kind, QueueKind queue) {
  const auto number = static_cast<std::uint32_t>(domains_.size());
  domains_.push_back(std::make_unique<VirtualDomain>(*this, number, kind, queue));
  VirtualDomain& domain = *domains_.back();
  turns_of(domain).add(domain);
  return domain;
}

void Engine::set_least_delay(Time delay) { set_least_delays(delay, delay, delay); }

void Engine::set_least_delays(Time router_to_router, Time node_to_router, Time node_to_node) {
  constexpr auto nodes = static_cast<std::size_t>(DomainClass::nodes);
  constexpr auto routers = static_cast<std::size_t>(DomainClass::routers);
  direct_[nodes][nodes] = node_to_node;
  direct_[nodes][routers] = direct_[routers][nodes] = node_to_router;
  direct_[routers][routers] = router_to_router;
  // A chain may lead over the other class.
  soonest_[nodes][nodes] = std::min(node_to_node, node_to_router * 2);
  soonest_[nodes][routers] = soonest_[routers][nodes] = node_to_router;
  soonest_[routers][routers] = std::min(router_to_router, node_to_router * 2);
  for (const auto& domain : domains_) {
    if (domain->lane_queue_) domain->lane_queue_->set_least_delay(soonest_[routers][routers]);
  }
}

namespace {

Time later(Time time, Time delay) { return time == Time::max() ? time : time + delay; }

}  // namespace

Engine::End Engine::run() {
  ended_ = false;
  stopped_.store(false, std::memory_order_relaxed);
  // In this order, or an interrupt that comes just now would be forgotten.
  if (interrupted_.load(std::memory_order_relaxed)) leave_loop();
  constexpr auto nodes = static_cast<std::size_t>(DomainClass::nodes);
  constexpr auto routers = static_cast<std::size_t>(DomainClass::routers);
  while (!stopped()) {
    const Time node = turns_[nodes].next_time();
    const Time router = turns_[routers].next_time();
    if (tells_settled_) [[unlikely]]
      tells_settled_ = settled_listener_->settled(std::min(node, router));
    if (node == Time::max() && router == Time::max()) return End::nothing_left;
    if (node != Time::max() && node >= time_limit_) return End::time_limit;
    const bool router_may_run = router != Time::max() && turns_[routers].first().next_end() <=
                                                             later(node, soonest_[nodes][routers]);
    run_first_of(router_may_run ? DomainClass::routers : DomainClass::nodes);
  }
  if (ended_) return given_up_ ? End::nothing_left : End::stopped;
  interrupted_.store(false, std::memory_order_relaxed);
  return End::interrupted;
}

/// The earliest time at which another domain could affect the first of its class.
Time Engine::horizon_of_first(DomainClass kind) const {
  const auto own = static_cast<std::size_t>(kind);
  const std::size_t other = 1 - own;
  const Time others = std::min(later(turns_[own].second_time(), soonest_[own][own]),
                               later(turns_[other].next_time(), soonest_[other][own]));
  if (kind == DomainClass::routers) return others;
  const Time turn =
      longest_turn_ == Time::max() ? longest_turn_ : later(turns_[own].next_time(), longest_turn_);
  return std::min({others, time_limit_, turn});
}

void Engine::fire(VirtualDomain& domain, const EventQueue::Entry& entry) {
  domain.now_ = entry.at;
  ++domain.events_;
  begun_ = begun_ + 1;
  entry.event->fire(entry.arg);
}

void Engine::run_queue(VirtualDomain& domain) {
  EventQueue& queue = domain.queue_;
  constexpr auto nodes = static_cast<std::size_t>(DomainClass::nodes);
  Turns& turns = turns_of(domain);
  const bool prefetches = &turns == &turns_[nodes] && turns.are_many();
  const Time length = soonest_[nodes][nodes];  // about as far as a turn goes
  queue.settle();
  while (!stopped() && queue.next_time() < domain.horizon_) {
    const EventQueue::Entry entry = queue.pop();
    prefetch_next(queue);
    if (prefetches) turns.prefetch_ahead(length);
    fire(domain, entry);
  }
}

/// Whole buckets, each to its end, even if an event stops the engine meanwhile.
void Engine::run_lane_queue(VirtualDomain& domain) {
  LaneQueue& queue = *domain.lane_queue_;
  while (!stopped() && queue.next_end() <= domain.horizon_) {
    const std::span<const EventQueue::Entry* const> entries = queue.open();
    Time latest;
    BucketPrefetch prefetch(entries);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      prefetch.ahead_of(i);
      latest = std::max(latest, entries[i]->at);
      fire(domain, *entries[i]);
    }
    domain.now_ = latest;
  }
}

void Engine::run_first_of(DomainClass kind) {
  const auto own = static_cast<std::size_t>(kind);
  const Time horizon = horizon_of_first(kind);
  VirtualDomain& domain = turns_[own].first();
  domain.horizon_ = horizon;
  running_ = &domain;
  if (domain.lane_queue_) {
    run_lane_queue(domain);
  } else {
    run_queue(domain);
  }
  running_ = nullptr;
  turns_[own].first_has_run();
}

/// Not of the running domain: that is put in its place after its turn.
void Engine::moved_earlier(VirtualDomain& domain) { turns_of(domain).moved_earlier(domain); }

Time Engine::latest() const {
  Time latest;
  for (const auto& domain : domains_) latest = std::max(latest, domain->now());
  return latest;
}

std::uint64_t Engine::events() const {
  std::uint64_t events = 0;
  for (const auto& domain : domains_) events += domain->events();
  return events;
}

bool Engine::expects_news() const {
  return std::any_of(domains_.begin(), domains_.end(),
                     [](const auto& domain) { return domain->expects_news(); });
}

std::uint64_t Engine::fingerprint() const {
  std::uint64_t hash = 0x13198a2e03707344ull;
  for (const auto& domain : domains_) {
    if (domain->class_ == DomainClass::routers) continue;
    hash = (hash ^ domain->hash()) * 0x9fb21c651e98df25ull;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace corespec
