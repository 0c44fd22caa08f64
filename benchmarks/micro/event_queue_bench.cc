// Events per second: the queue alone, and the engine that runs one domain or many.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <deque>

#include "corespec/events/event_queue.h"
#include "corespec/virtual/engine.h"
#include "corespec/virtual/lane_queue.h"

namespace {

using corespec::Time;

/// Delays from 1 to 4,096 ns, the same in every run.
class Delays {
 public:
  Time next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return Time::picoseconds(1000 * (1 + static_cast<std::int64_t>(state_ >> 52)));
  }

 private:
  std::uint64_t state_ = 1;
};

/// An event that happens again and again; one in the engine ends the run after `run_length`.
class Recurring final : public corespec::Event {
 public:
  static constexpr std::uint64_t run_length = 1 << 16;

  Recurring(corespec::Engine& engine, corespec::VirtualDomain& domain, std::uint32_t id,
            std::uint64_t& left, Delays& delays)
      : engine_(engine), domain_(domain), source_{id, 0}, left_(left), delays_(delays) {
    domain_.schedule(delays_.next(), source_, *this, 0);
  }
  void fire(std::uint64_t) override {
    if (--left_ == 0) engine_.stop();
    domain_.schedule(domain_.now() + delays_.next(), source_, *this, 0);
  }

 private:
  corespec::Engine& engine_;
  corespec::VirtualDomain& domain_;
  corespec::EventSource source_;
  std::uint64_t& left_;
  Delays& delays_;
};

/// Takes the earliest of `range` events and puts in a later one.
void queue_hold(benchmark::State& state) {
  corespec::EventQueue queue;
  corespec::EventSource source{1, 0};
  Delays delays;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    queue.push({delays.next(), corespec::EventQueue::make_key(source), nullptr, 0});
  }
  for (auto _ : state) {
    const corespec::EventQueue::Entry entry = queue.pop();
    benchmark::DoNotOptimize(entry);
    queue.push({entry.at + delays.next(), corespec::EventQueue::make_key(source), nullptr, 0});
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(queue_hold)->Arg(2)->Arg(64)->Arg(1024)->Arg(32768);

/// The same of the queue that all routers of a network share: buckets of 64 ns are taken out, and
/// each event's successor goes to another of 3,264 lanes.
void windows_hold(benchmark::State& state) {
  constexpr std::uint32_t lanes = 3264;
  const Time least = Time::nanoseconds(105);
  corespec::LaneQueue queue;
  queue.set_least_delay(least);
  corespec::EventSource source{1, 0};
  Delays delays;
  std::uint32_t lane = 0;
  const auto push = [&](Time at) {
    lane = (lane + 1021) % lanes;
    queue.push({at, corespec::EventQueue::make_key(source), nullptr, corespec::in_lane(lane, 0)});
  };
  for (std::int64_t i = 0; i < state.range(0); ++i) push(delays.next());
  std::int64_t taken = 0;
  for (auto _ : state) {
    for (const corespec::EventQueue::Entry* entry : queue.open()) {
      push(entry->at + least + delays.next());
      ++taken;
    }
  }
  state.SetItemsProcessed(taken);
}
BENCHMARK(windows_hold)->Arg(2)->Arg(64)->Arg(1024)->Arg(32768);

/// `domains` domains that share `events` recurring events evenly.
void run_engine(benchmark::State& state, std::int64_t domains, std::int64_t events) {
  corespec::Engine engine;
  engine.set_least_delay(Time::nanoseconds(100));
  Delays delays;
  std::uint64_t left = 0;
  std::deque<Recurring> recurring;
  std::deque<corespec::VirtualDomain*> made;
  for (std::int64_t i = 0; i < domains; ++i) made.push_back(&engine.add_domain());
  for (std::int64_t i = 0; i < events; ++i) {
    recurring.emplace_back(engine, *made[static_cast<std::size_t>(i % domains)],
                           static_cast<std::uint32_t>(i + 1), left, delays);
  }
  for (auto _ : state) {
    left = Recurring::run_length;
    engine.run();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(Recurring::run_length));
}

void engine_one_domain(benchmark::State& state) { run_engine(state, 1, state.range(0)); }
BENCHMARK(engine_one_domain)->Arg(2)->Arg(64)->Arg(1024)->Arg(32768);

/// 16 events to a domain: as many as the ranks of two nodes, 8 to a node.
void engine_many_domains(benchmark::State& state) {
  run_engine(state, state.range(0) / 16, state.range(0));
}
BENCHMARK(engine_many_domains)->Arg(64)->Arg(1024)->Arg(32768);

}  // namespace
