// Engines that run a machine in parts, each on a thread: what happens at nodes, and how the run
// ends, is what one engine comes to.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "launch/workers/shared_rounds.h"
#include "tests/launch/on_threads.h"
#include "tests/launch/part_machine.h"

namespace {

using corespec::Engine;
using corespec::Time;
using launch_test::addresses;
using launch_test::on_threads;
using launch_test::PartMachine;

constexpr Time us(double value) { return Time::microseconds(value); }

/// What a run has come to at each of its limits of time, the last of which is its end.
struct Come {
  std::vector<std::uint64_t> fingerprints;
  std::vector<Engine::End> ends;
  bool gave_up = false;
  bool operator==(const Come&) const = default;
};
void PrintTo(const Come& come, std::ostream* out) {
  for (std::size_t i = 0; i < come.ends.size(); ++i) {
    *out << " end " << static_cast<int>(come.ends[i]) << " with " << come.fingerprints[i];
  }
  if (come.gave_up) *out << ", given up";
}

using Limits = std::vector<Time>;
const Limits no_limit{Time::max()};

/// By one engine that meets no other.
Come run_alone(const PartMachine::Plan& plan, const Limits& limits = no_limit) {
  PartMachine machine({}, plan);
  Come come;
  for (const Time limit : limits) {
    come.ends.push_back(machine.run_up_to(limit));
    come.fingerprints.push_back(machine.engine().fingerprint());
  }
  come.gave_up = machine.engine().gave_up();
  return come;
}

class InParts {
 public:
  InParts(std::size_t parts, const PartMachine::Plan& plan)
      : memory_(parts, addresses), come_(parts) {
    for (std::size_t part = 0; part < parts; ++part) {
      rounds_.push_back(
          std::make_unique<launch::SharedRounds>(memory_, part, 200, [this] { ++waits_; }));
      launch::SharedRounds* const own = rounds_.back().get();
      machines_.push_back(std::make_unique<PartMachine>(launch::Part{part, parts, own, own}, plan));
    }
  }

  /// `from_outside`: further threads interrupt the engines, before the run and during it.
  Come run(const Limits& limits = no_limit, bool from_outside = false) {
    const std::size_t parts = machines_.size();
    std::vector<std::vector<std::vector<std::uint64_t>>> hashes(parts);
    std::atomic<std::size_t> running = parts;
    std::atomic<std::size_t> beginning = from_outside ? parts : 0;
    on_threads(from_outside ? 2 * parts : parts, [&](std::size_t number) {
      if (number >= parts) {
        machines_[number - parts]->engine().interrupt();
        --beginning;
        interrupt_until_none_is(running, machines_[number - parts]->engine());
        return;
      }
      PartMachine& machine = *machines_[number];
      while (beginning != 0) {
      }
      for (const Time limit : limits) {
        come_[number].ends.push_back(machine.run_up_to(limit));
        hashes[number].push_back(machine.engine().hashes());
      }
      come_[number].gave_up = machine.engine().gave_up();
      --running;
    });
    for (std::size_t at = 0; at < limits.size(); ++at) {
      std::vector<std::uint64_t> all = hashes[0][at];
      for (std::size_t part = 1; part < parts; ++part) {
        for (std::size_t domain = 0; domain < all.size(); ++domain) {
          const std::uint64_t hash = hashes[part][at][domain];
          if (hash == Engine::no_hash) continue;
          EXPECT_EQ(all[domain], Engine::no_hash) << "a domain of two parts";
          all[domain] = hash;
        }
      }
      come_[0].fingerprints.push_back(Engine::fingerprint(all));
    }
    for (const Come& come : come_) {
      EXPECT_EQ(come.ends, come_[0].ends) << "parts end in different ways";
      EXPECT_EQ(come.gave_up, come_[0].gave_up);
    }
    return come_[0];
  }

  std::uint64_t events() const {
    std::uint64_t events = 0;
    for (const auto& machine : machines_) events += machine->engine().events();
    return events;
  }
  const PartMachine& machine(std::size_t part) const { return *machines_[part]; }

 private:
  /// With pauses, or the engines would not come to an event.
  static void interrupt_until_none_is(const std::atomic<std::size_t>& running, Engine& engine) {
    while (running != 0) {
      engine.interrupt();
      for (int pause = 0; pause < 20'000 && running != 0; ++pause) {
      }
    }
  }

  launch::SharedRoundsMemory memory_;
  std::atomic<int> waits_ = 0;
  std::vector<std::unique_ptr<launch::SharedRounds>> rounds_;
  std::vector<std::unique_ptr<PartMachine>> machines_;
  std::vector<Come> come_;
};

class EngineInParts : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(, EngineInParts, testing::Values(1, 2, 3, 4),
                         testing::PrintToStringParamName());

TEST_P(EngineInParts, ComesToWhatOneEngineDoes) {
  PartMachine alone({}, {});
  EXPECT_EQ(alone.run_up_to(Time::max()), Engine::End::nothing_left);
  InParts parts(GetParam(), {});
  const Come come = parts.run();
  EXPECT_EQ(come.ends, std::vector(1, Engine::End::nothing_left));
  EXPECT_EQ(come.fingerprints, std::vector(1, alone.engine().fingerprint()));
  EXPECT_EQ(parts.events(), alone.engine().events());
  for (std::size_t part = 0; part < GetParam(); ++part) {
    EXPECT_EQ(parts.machine(part).arrivals() > 0, GetParam() > 1);
  }
}

TEST_P(EngineInParts, WhateverTheLengthOfTurns) {
  const Come alone = run_alone({});
  for (const double longest_us : {0.5, 0.05}) {
    EXPECT_EQ(InParts(GetParam(), {.longest_turn = us(longest_us)}).run(), alone) << longest_us;
  }
}

TEST_P(EngineInParts, StopsAtTimeLimitsAndGoesOn) {
  const Limits limits{us(1), us(7.3), us(7.3), us(30), us(51), us(80), Time::max()};
  const Come alone = run_alone({}, limits);
  EXPECT_EQ(alone.ends.front(), Engine::End::time_limit);
  EXPECT_EQ(alone.ends.back(), Engine::End::nothing_left);
  EXPECT_EQ(InParts(GetParam(), {}).run(limits), alone);
}

TEST_P(EngineInParts, GoesOnAfterInterruptions) {
  const Limits limits{us(20), Time::max()};
  InParts parts(GetParam(), {.is_interrupted = true});
  EXPECT_EQ(parts.run(limits), run_alone({}, limits));
  for (std::size_t part = 0; part < GetParam(); ++part) {
    EXPECT_GT(parts.machine(part).interruptions(), 20);
  }
}

// They come where an engine runs, and where it waits for the others.
TEST_P(EngineInParts, GoesOnAfterInterruptionsFromOutside) {
  const Limits limits{us(20), Time::max()};
  InParts parts(GetParam(), {});
  EXPECT_EQ(parts.run(limits, true), run_alone({}, limits));
  for (std::size_t part = 0; part < GetParam(); ++part) {
    EXPECT_GT(parts.machine(part).interruptions(), 0);
  }
}

// A part whose nodes only look for news gives up, and goes on when news comes from another part.
TEST_P(EngineInParts, GivesUpWhenNoPartExpectsNews) {
  const Come alone = run_alone({.polls = true});
  EXPECT_TRUE(alone.gave_up);
  EXPECT_EQ(alone.fingerprints, run_alone({}).fingerprints);
  EXPECT_EQ(InParts(GetParam(), {.polls = true}).run(), alone);
  EXPECT_EQ(InParts(GetParam(), {.is_interrupted = true, .polls = true}).run(), alone);
}

}  // namespace
