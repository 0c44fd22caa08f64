// The discrete-event loop over all domains of a machine.
#include "corespec/virtual/engine.h"

#include <algorithm>
#include <stdexcept>

namespace corespec {

void VirtualDomain::schedule(Time at, EventSource& source, Event& event, std::uint64_t arg) {
  const bool earlier = at < next_time();
  const EventQueue::Entry entry{at, EventQueue::make_key(source), &event, arg};
  if (buckets_) {
    buckets_->push(entry);
  } else {
    queue_.push(entry);
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
  Heap& heap = heap_of(domain);
  heap.emplace_back();
  place(heap, heap.size() - 1, {domain.next_time(), &domain});
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
}

namespace {

Time later(Time time, Time delay) { return time == Time::max() ? time : time + delay; }

}  // namespace

Engine::End Engine::run() {
  stopped_ = false;
  const auto front = [this](DomainClass kind) -> const Turn* {
    const Heap& heap = heaps_[static_cast<std::size_t>(kind)];
    return heap.empty() || heap.front().next == Time::max() ? nullptr : &heap.front();
  };
  while (!stopped_) {
    const Turn* turn = front(DomainClass::nodes);
    const Turn* router = front(DomainClass::routers);
    const bool router_may_run =
        router != nullptr && (turn == nullptr || router->next < turn->next + soonest_[0][1]);
    if (router_may_run) turn = router;
    if (turn == nullptr) return End::nothing_left;
    run_domain(*turn->domain);
  }
  return End::stopped;
}

/// The earliest time at which another domain could affect this one, which has the earliest event
/// of its class.
Time Engine::horizon_of(const VirtualDomain& domain) const {
  const auto own = static_cast<std::size_t>(domain.class_);
  const std::size_t other = 1 - own;
  const Heap& alike = heaps_[own];
  Time next = Time::max();
  for (std::size_t child = 1; child <= 2 && child < alike.size(); ++child) {
    next = std::min(next, alike[child].next);
  }
  Time horizon = later(next, soonest_[own][own]);
  if (!heaps_[other].empty()) {
    horizon = std::min(horizon, later(heaps_[other].front().next, soonest_[other][own]));
  }
  return horizon;
}

namespace {

/// How far ahead of its turn an event's memory is asked for.
constexpr std::size_t prefetch_object = 8;
constexpr std::size_t prefetch_rest = 4;

void prefetch_ahead(const EventQueue& queue) {
  if (const EventQueue::Entry* entry = queue.next()) __builtin_prefetch(entry->event);
}

void prefetch_ahead(const BucketQueue& queue) {
  if (const auto* entry = queue.peek(prefetch_object)) __builtin_prefetch(entry->event);
  if (const auto* entry = queue.peek(prefetch_rest)) entry->event->prefetch(entry->arg, 0);
}

/// A turn begins with memory that has left the caches since the last one. All that its events need
/// is asked for at once, step by step: one event after another would miss it piece by piece.
void prefetch_turn(const EventQueue& queue, Time horizon) {
  queue.for_each_before(horizon, [](const auto& entry) { __builtin_prefetch(entry.event); });
  for (unsigned step = 0; step < Event::prefetch_steps; ++step) {
    queue.for_each_before(horizon,
                          [step](const auto& entry) { entry.event->prefetch(entry.arg, step); });
  }
}

}  // namespace

template <typename Queue>
void Engine::run_queue(VirtualDomain& domain, Queue& queue) {
  while (!stopped_ && queue.next_time() < domain.horizon_) {
    const EventQueue::Entry entry = queue.pop();
    prefetch_ahead(queue);
    domain.now_ = entry.at;
    ++domain.events_;
    begun_ = begun_ + 1;
    entry.event->fire(entry.arg);
  }
}

void Engine::run_domain(VirtualDomain& domain) {
  domain.horizon_ = horizon_of(domain);
  running_ = &domain;
  if (domain.buckets_) {
    run_queue(domain, *domain.buckets_);
  } else {
    prefetch_turn(domain.queue_, domain.horizon_);
    run_queue(domain, domain.queue_);
  }
  running_ = nullptr;
  sift_down(heap_of(domain), domain.position_, {domain.next_time(), &domain});
}

/// Not of the running domain: that stays at the top and is put in its place after its turn.
void Engine::moved_earlier(VirtualDomain& domain) {
  sift_up(heap_of(domain), domain.position_, {domain.next_time(), &domain});
}

void Engine::sift_up(Heap& heap, std::size_t position, Turn turn) {
  while (position > 0) {
    const std::size_t parent = (position - 1) / 2;
    if (heap[parent].next <= turn.next) break;
    place(heap, position, heap[parent]);
    position = parent;
  }
  place(heap, position, turn);
}

void Engine::sift_down(Heap& heap, std::size_t position, Turn turn) {
  const std::size_t count = heap.size();
  for (;;) {
    std::size_t child = 2 * position + 1;
    if (child >= count) break;
    if (child + 1 < count && heap[child + 1].next < heap[child].next) ++child;
    if (heap[child].next >= turn.next) break;
    place(heap, position, heap[child]);
    position = child;
  }
  place(heap, position, turn);
}

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

std::uint64_t Engine::fingerprint() const {
  std::uint64_t hash = 0x13198a2e03707344ull;
  for (const auto& domain : domains_) {
    hash = (hash ^ domain->hash()) * 0x9fb21c651e98df25ull;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace corespec
