// The discrete-event loop over all domains of a machine.
#include "corespec/virtual/engine.h"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "corespec/virtual/engine_prefetch.h"

namespace corespec {

namespace {

constexpr auto nodes = static_cast<std::size_t>(DomainClass::nodes);
constexpr auto routers = static_cast<std::size_t>(DomainClass::routers);

Time later(Time time, Time delay) { return time == Time::max() ? time : time + delay; }

}  // namespace

void VirtualDomain::schedule(Time at, EventSource& source, Event& event, std::uint64_t arg) {
  accept({at, EventQueue::make_key(source), &event, arg});
}

void VirtualDomain::accept(const EventQueue::Entry& entry) {
  const bool earlier = entry.at < next_time();
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

Engine::End Engine::run() {
  ended_ = false;
  stopped_.store(false, std::memory_order_relaxed);
  // In this order, or an interrupt that comes just now would be forgotten.
  if (interrupted_.load(std::memory_order_relaxed)) leave_loop();
  const End end = rounds_ == nullptr ? run_alone() : run_in_rounds();
  if (end != End::interrupted) return end;
  if (ended_) return given_up_ ? End::nothing_left : End::stopped;
  interrupted_.store(false, std::memory_order_relaxed);
  return End::interrupted;
}

void Engine::give_up() {
  if (rounds_ != nullptr) {
    would_give_up_ = true;
    return;
  }
  ended_ = given_up_ = true;
  leave_loop();
}

void Engine::tell_settled(Time time) {
  tells_settled_ = false;
  for (SettledListener* const each : settled_listeners_) {
    const bool again = each->settled(time);
    tells_settled_ = tells_settled_ || again;
  }
}

/// Tells the listeners, too, how far the run has come.
bool Engine::has_ended(const Ahead& ahead, End& end) {
  if (tells_settled_) [[unlikely]]
    tell_settled(std::min(ahead.node, ahead.router));
  const bool nothing_left = ahead.node == Time::max() && ahead.router == Time::max();
  // What is on its way through routers may come to a node before the limit.
  const Time node = std::min(ahead.node, later(ahead.router, direct_[routers][nodes]));
  if (!nothing_left && (ahead.node == Time::max() || node < time_limit_)) return false;
  end = nothing_left ? End::nothing_left : End::time_limit;
  return true;
}

bool Engine::routers_may_run() const {
  const Turns& turns = turns_[routers];
  if (turns.next_time() == Time::max()) return false;
  return turns.first().next_end() <=
         std::min(later(turns_[nodes].next_time(), soonest_[nodes][routers]), bounds_[routers]);
}

bool Engine::nodes_may_run() const {
  const Time next = turns_[nodes].next_time();
  return next != Time::max() && next < horizon_of_first(DomainClass::nodes);
}

Engine::End Engine::run_alone() {
  End end = End::interrupted;
  while (!stopped()) {
    if (has_ended({turns_[nodes].next_time(), turns_[routers].next_time()}, end)) return end;
    run_first_of(routers_may_run() ? DomainClass::routers : DomainClass::nodes);
  }
  return end;
}

Rounds::Front Engine::front() const {
  Rounds::Front front;
  front.node = turns_[nodes].next_time();
  front.router = turns_[routers].next_time();
  if (front.router != Time::max()) front.router_end = turns_[routers].first().next_end();
  const bool waits = front.node == Time::max() && front.router == Time::max();
  front.gives_up = (would_give_up_ || waits) && !expects_news();
  return front;
}

/// No router reaches another part's sooner than a least delay after the first of them acts, which
/// it does with its own event or one that a node sends it; nodes hear from their routers, and from
/// the launcher. So each part may go there, whatever the others do meanwhile.
///
/// Nodes, whose state is large, run in rounds in which no part's routers can go on: they go farther
/// then.
Engine::Round Engine::begin_round() {
  Round round;
  round.gives_up = true;
  for (const Rounds::Front& front : rounds_->fronts()) {
    round.ahead.node = std::min({round.ahead.node, front.node, front.coming_to_nodes});
    round.ahead.router = std::min({round.ahead.router, front.router, front.coming_to_routers});
    round.gives_up = round.gives_up && front.gives_up && front.coming_to_routers == Time::max() &&
                     front.coming_to_nodes == Time::max();
  }
  const Time acts = std::min(round.ahead.router, later(round.ahead.node, direct_[nodes][routers]));
  const Time reaches = later(acts, direct_[routers][routers]);
  bounds_[routers] = reaches;
  bounds_[nodes] = std::min(later(reaches, direct_[routers][nodes]),
                            later(round.ahead.node, direct_[nodes][nodes]));
  for (const Rounds::Front& front : rounds_->fronts()) {
    // What comes fills no more than a bucket, whose width is at most the least delay.
    const Time end =
        std::min(front.router_end, later(front.coming_to_routers, direct_[routers][routers]));
    const Time node = std::min(front.node, front.coming_to_nodes);
    if (end == Time::max()) continue;
    const Time limit = std::min(later(node, soonest_[nodes][routers]), bounds_[routers]);
    round.of_routers = round.of_routers || end <= limit;
  }
  const Rounds::Front& own = rounds_->fronts()[rounds_->own_part()];
  if (own.coming_to_routers != Time::max()) would_give_up_ = false;
  return round;
}

Engine::End Engine::run_in_rounds() {
  for (;;) {
    if (!in_round_) {
      if (!has_arrived_) rounds_->arrive(front());
      has_arrived_ = true;
      if (!rounds_->meet(stopped_)) return End::interrupted;
      has_arrived_ = false;
      round_ = begin_round();
      End end = End::interrupted;
      if (has_ended(round_.ahead, end)) return end;
      if (round_.gives_up) {
        given_up_ = true;
        return End::nothing_left;
      }
      in_round_ = true;
    }
    if (round_.of_routers) {
      while (!stopped() && routers_may_run()) run_first_of(DomainClass::routers);
    } else {
      while (!stopped() && nodes_may_run()) run_first_of(DomainClass::nodes);
    }
    if (stopped()) return End::interrupted;
    in_round_ = false;
  }
}

/// The earliest time at which another domain could affect the first of its class.
Time Engine::horizon_of_first(DomainClass kind) const {
  const auto own = static_cast<std::size_t>(kind);
  const std::size_t other = 1 - own;
  const Time others =
      std::min({later(turns_[own].second_time(), soonest_[own][own]),
                later(turns_[other].next_time(), soonest_[other][own]), bounds_[own]});
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

std::vector<std::uint64_t> Engine::hashes() const {
  std::vector<std::uint64_t> hashes;
  for (const auto& domain : domains_) {
    if (domain->class_ == DomainClass::nodes) hashes.push_back(domain->hash());
  }
  return hashes;
}

std::uint64_t Engine::fingerprint(const std::vector<std::uint64_t>& hashes) {
  std::uint64_t all = 0x13198a2e03707344ull;
  for (const std::uint64_t hash : hashes) {
    all = (all ^ hash) * 0x9fb21c651e98df25ull;
    all ^= all >> 29;
  }
  return all;
}

}  // namespace corespec
