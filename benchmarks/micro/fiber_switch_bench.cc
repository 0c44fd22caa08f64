// Switches per second to fibers and back, alone and driven by events.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <deque>

#include "corespec/virtual/engine.h"
#include "corespec/virtual/fiber.h"

namespace {

using corespec::Time;

constexpr std::size_t stack_bytes = 256 * 1024;

/// A fiber that goes back to the loop at once, for ever; its stack is touched at every switch.
struct Spinner {
  explicit Spinner(corespec::StackPool& pool) : fiber(pool, &Spinner::run, this) {}
  static void run(void* self) {
    auto& spinner = *static_cast<Spinner*>(self);
    for (;;) {
      ++spinner.turns;
      spinner.fiber.suspend();
    }
  }

  std::uint64_t turns = 0;
  corespec::Fiber fiber;
};

/// One resume and suspend of each fiber in turn.
void fiber_round_robin(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  corespec::StackPool pool(stack_bytes, count);
  std::deque<Spinner> fibers;
  for (std::size_t i = 0; i < count; ++i) {
    fibers.emplace_back(pool);
    fibers.back().fiber.resume();  // commits its stack
  }
  auto next = fibers.begin();
  for (auto _ : state) {
    next->fiber.resume();
    if (++next == fibers.end()) next = fibers.begin();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(fiber_round_robin)->Arg(2)->Arg(1024)->Arg(32768);

/// A fiber that sleeps and is resumed by an event, as every modelled thread is.
class Sleeper final : public corespec::Event {
 public:
  static constexpr std::uint64_t run_length = 1 << 16;

  Sleeper(corespec::Engine& engine, corespec::VirtualDomain& domain, std::uint32_t id,
          corespec::StackPool& pool, std::uint64_t& left)
      : engine_(engine), domain_(domain), source_{id, 0}, left_(left), fiber_(pool, &run, this) {
    domain_.schedule(Time::picoseconds(id), source_, *this, 0);
  }
  void fire(std::uint64_t) override {
    if (--left_ == 0) engine_.stop();
    fiber_.resume();
  }

 private:
  static void run(void* self) {
    auto& sleeper = *static_cast<Sleeper*>(self);
    for (;;) {
      sleeper.domain_.schedule(sleeper.domain_.now() + Time::microseconds(1), sleeper.source_,
                               sleeper, 0);
      sleeper.fiber_.suspend();
    }
  }

  corespec::Engine& engine_;
  corespec::VirtualDomain& domain_;
  corespec::EventSource source_;
  std::uint64_t& left_;
  corespec::Fiber fiber_;
};

void run_sleepers(benchmark::State& state, std::int64_t per_domain) {
  const auto count = static_cast<std::uint32_t>(state.range(0));
  corespec::StackPool pool(stack_bytes, count);
  corespec::Engine engine;
  engine.set_least_delay(Time::nanoseconds(100));
  std::uint64_t left = 0;
  std::deque<Sleeper> sleepers;
  corespec::VirtualDomain* domain = nullptr;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i % per_domain == 0) domain = &engine.add_domain();
    sleepers.emplace_back(engine, *domain, i + 1, pool, left);
  }
  left = count;  // every fiber once, to commit its stack
  engine.run();
  for (auto _ : state) {
    left = Sleeper::run_length;
    engine.run();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(Sleeper::run_length));
}

/// One queue holds all.
void events_and_fibers(benchmark::State& state) { run_sleepers(state, state.range(0)); }
BENCHMARK(events_and_fibers)->Arg(2)->Arg(1024)->Arg(32768);

/// 16 fibers to a domain: as many as the ranks of two nodes, 8 to a node.
void events_and_fibers_by_gemini(benchmark::State& state) { run_sleepers(state, 16); }
BENCHMARK(events_and_fibers_by_gemini)->Arg(1024)->Arg(32768);

}  // namespace
