// What threads do, and a run's fingerprint, are the same however far their domain may run at a
// time.
#include <cstdint>
#include <optional>
#include <vector>

#include "tests/corespec/threads_rig.h"

namespace corespec {
namespace {

/// Fires once a nanosecond, for a while, in another domain.
struct Ticker final : Event {
  explicit Ticker(VirtualDomain& where) : domain(where) {
    domain.schedule(Time(), source, *this, 0);
  }
  void fire(std::uint64_t) override {
    if (domain.now() < us(20)) domain.schedule(domain.now() + ns(1), source, *this, 0);
  }
  VirtualDomain& domain;
  EventSource source{0xffe, 0};
};

/// Tells both signals every now and then.
struct Bell final : Event {
  Bell(EventDomain& where, Signal* to) : domain(where), signals(to) {
    domain.schedule(us(1), source, *this, 0);
  }
  void fire(std::uint64_t) override {
    for (int i : {0, 1}) signals[i].notify();
    if (domain.now() < us(40)) domain.schedule(domain.now() + ns(173), source, *this, 0);
  }
  EventDomain& domain;
  Signal* signals;
  EventSource source{0xffd, 0};
};

/// Threads that work and wait for each other; what their domain hashes of it, and when they end.
struct Waits {
  std::uint64_t hash = 0;
  std::vector<Time> ends;
};

// Alone a domain runs on for ever, and a thread that owes work has caught up at once; beside one
// with an event in each nanosecond it never has, and its bursts end by events, or unseen.
TEST_F(ThreadsTest, DoTheSameHoweverFarTheirDomainMayRun) {
  Waits seen[2];
  for (const bool beside : {false, true}) {
    ranks.clear();
    build(2, 0);
    machine->engine().set_least_delay(ns(1));
    std::optional<Ticker> ticker;
    if (beside) ticker.emplace(machine->add_domain());
    Signal signals[2];
    Waits& waits = seen[beside ? 1 : 0];
    for (int rank : {0, 1}) {
      start(rank, [&, rank] {
        Signal& own = signals[rank];
        std::uint64_t epoch = own.epoch();
        for (int i = 1; i < 20; ++i) {
          charge(ns(100 + 37 * ((i * (rank + 3)) % 5)));
          this_thread().spin(own, epoch, ns(50));
          epoch = own.epoch();
          charge(ns(70));
          this_thread().sync();
          signals[1 - rank].notify();
          charge(ns(20 * i));
          if (rank == 0) this_thread().sleep_until(this_thread().now() + ns(300));
          signals[1 - rank].notify();
        }
        waits.ends.push_back(this_thread().now());
      });
    }
    Bell bell(node->domain(), signals);
    EXPECT_FALSE(machine->run().deadlock);
    waits.hash = static_cast<VirtualDomain&>(node->domain()).hash();
  }
  EXPECT_EQ(seen[0].ends, seen[1].ends);
  EXPECT_EQ(seen[0].hash, seen[1].hash);
}

}  // namespace
}  // namespace corespec
