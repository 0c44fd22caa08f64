// The discrete-event loop over all domains of a machine.
#include "corespec/virtual/engine.h"

#include <algorithm>
#include <stdexcept>

namespace corespec {

void VirtualDomain::schedule(Time at, EventSource& source, Event& event, std::uint64_t arg) {
  const bool earlier = at < queue_.next_time();
  queue_.push({at, EventQueue::make_key(source), &event, arg});
  if (earlier && engine_->running_ != this) engine_->moved_earlier(*this);
}

void VirtualDomain::schedule_from(EventDomain& caller, Time at, EventSource& source, Event& event,
                                  std::uint64_t arg) {
  if (&caller != this) {
    // The earliest answer to this comes a least delay after it: the caller must wait for it.
    auto& from = static_cast<VirtualDomain&>(caller);
    if (at < from.now_ + engine_->least_delay()) {
      throw std::logic_error("an effect between event domains is earlier than the least delay");
    }
    from.horizon_ = std::min(from.horizon_, at + engine_->least_delay());
  }
  schedule(at, source, event, arg);
}

VirtualDomain& Engine::add_domain() {
  const auto number = static_cast<std::uint32_t>(domains_.size());
  domains_.push_back(std::make_unique<VirtualDomain>(*this, number));
  VirtualDomain& domain = *domains_.back();
  heap_.push_back(&domain);
  place(heap_.size() - 1, &domain);
  return domain;
}

Engine::End Engine::run() {
  stopped_ = false;
  while (!stopped_) {
    if (heap_.empty() || heap_.front()->next_time() == Time::max()) return End::nothing_left;
    run_domain(*heap_.front());
  }
  return End::stopped;
}

void Engine::run_domain(VirtualDomain& domain) {
  Time others = Time::max();
  for (std::size_t child = 1; child <= 2 && child < heap_.size(); ++child) {
    others = std::min(others, heap_[child]->next_time());
  }
  domain.horizon_ = others == Time::max() ? others : others + least_delay_;
  running_ = &domain;
  while (!stopped_ && domain.queue_.next_time() < domain.horizon_) {
    const EventQueue::Entry entry = domain.queue_.pop();
    domain.now_ = entry.at;
    ++domain.events_;
    begun_ = begun_ + 1;
    entry.event->fire(entry.arg);
  }
  running_ = nullptr;
  sift_down(domain.position_);
}

void Engine::moved_earlier(VirtualDomain& domain) { sift_up(domain.position_); }

void Engine::sift_up(std::size_t position) {
  VirtualDomain* domain = heap_[position];
  const Time key = domain->next_time();
  while (position > 0) {
    const std::size_t parent = (position - 1) / 2;
    // The running domain is at the top and its key is stale: it is put in place afterwards.
    if (heap_[parent] == running_ || heap_[parent]->next_time() <= key) break;
    place(position, heap_[parent]);
    position = parent;
  }
  place(position, domain);
}

void Engine::sift_down(std::size_t position) {
  VirtualDomain* domain = heap_[position];
  const Time key = domain->next_time();
  const std::size_t count = heap_.size();
  for (;;) {
    std::size_t child = 2 * position + 1;
    if (child >= count) break;
    if (child + 1 < count && heap_[child + 1]->next_time() < heap_[child]->next_time()) ++child;
    if (heap_[child]->next_time() >= key) break;
    place(position, heap_[child]);
    position = child;
  }
  place(position, domain);
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
