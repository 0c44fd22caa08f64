// Faults on demand at a process's end of the live wire.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <random>
#include <stdexcept>

#include "tests/support/parameter_name.h"
#include "tests/wire/job_of_processes.h"

namespace wire_test {
namespace {

using faults::FaultKind;
using ugni::ResponseStatus;
using ugni::Transaction;
using ugni::TransactionKind;

std::uint64_t place_of(std::span<const std::byte> memory) {
  return reinterpret_cast<std::uint64_t>(memory.data());
}

std::uint64_t struck(Rank& self, FaultKind kind) {
  const auto& all = self.faults().occasions().faults();
  return static_cast<std::uint64_t>(
      std::count_if(all.begin(), all.end(), [&](const auto& each) { return each.kind == kind; }));
}

Arrangement between_two(const char* provider, const std::string& faults) {
  Arrangement made{{0, 1}, {0, 0}, provider, "none"};
  made.faults = faults;
  return made;
}

/// PUTs and GETs between the same places of both ranks' memories, each with data of its own.
class Traffic {
 public:
  static constexpr std::size_t room = 1 << 18;
  static constexpr std::size_t places = 8;

  Traffic(Rank& self, std::uint64_t seed) : self_(self), random_(seed) {
    std::copy_n(random_bytes(memory_.size(), 100 + static_cast<unsigned>(self.rank())).begin(),
                memory_.size(), memory_.begin());
    const std::uint64_t handle = self.client().add(memory_);
    if (self.rank() == 1) {
      self.word(0) = place_of(memory_);
      self.word(1) = handle;
    }
    self.meet();
  }

  /// One of rank 0's at each place, all under way together; returns when they have ended.
  void round(bool puts) {
    std::uint64_t numbers[places];
    for (std::size_t place = 0; place < places; ++place) {
      sizes_[place] = 1 + random_() % room;
      Transaction one = self_.to(1, puts ? TransactionKind::put : TransactionKind::get);
      one.remote_address = self_.word(0) + place * room;
      one.remote_handle.qword1 = self_.word(1);
      one.injector = static_cast<std::uint8_t>(place % 2);
      numbers[place] = self_.submit(one, {memory_.data() + place * room, sizes_[place]});
    }
    for (const std::uint64_t number : numbers) {
      self_.until([&] { return self_.client().post(number).ended; }, "a response");
      require(self_.client().post(number).status == ResponseStatus::ok, "its status");
    }
  }
  std::span<std::byte> at(std::size_t place) {
    return std::span(memory_).subspan(place * room, sizes_[place]);
  }
  void fill(std::size_t place, std::uint64_t seed) {
    const auto bytes = random_bytes(room, seed);
    std::copy(bytes.begin(), bytes.end(),
              memory_.begin() + static_cast<std::ptrdiff_t>(place * room));
  }
  bool holds(std::size_t place, std::uint64_t seed) {
    const auto bytes = random_bytes(room, seed);
    return std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(sizes_[place]),
                      at(place).begin());
  }
  void know_sizes(const std::atomic<std::uint64_t>* from) {
    for (std::size_t place = 0; place < places; ++place) sizes_[place] = from[place];
  }
  void tell_sizes(std::atomic<std::uint64_t>* to) const {
    for (std::size_t place = 0; place < places; ++place) to[place] = sizes_[place];
  }

 private:
  Rank& self_;
  std::mt19937_64 random_;
  std::vector<std::byte> memory_ = std::vector<std::byte>(places * room);
  std::size_t sizes_[places] = {};
};

/// Rank 0 puts into rank 1's memory and gets from it; both look at what has come.
void move_and_check(Rank& self) {
  constexpr std::uint64_t rounds = 6;
  self.attach_own_domain();
  self.client().keep_arrivals(false);
  Traffic traffic(self, 5);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const bool puts = round % 2 == 0;
    const std::uint64_t seed = 1000 * (round + 1);
    if (self.rank() == (puts ? 0 : 1)) {
      for (std::size_t place = 0; place < Traffic::places; ++place) {
        traffic.fill(place, seed + place);
      }
    }
    self.meet();
    if (self.rank() == 0) {
      traffic.round(puts);
      traffic.tell_sizes(&self.word(10));
    }
    self.meet();
    traffic.know_sizes(&self.word(10));
    for (std::size_t place = 0; place < Traffic::places; ++place) {
      require(traffic.holds(place, seed + place), puts ? "a PUT's data" : "a GET's data");
    }
    self.meet();
  }
}

class TransportFaults : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(, TransportFaults, every_provider(), provider_name);

TEST_P(TransportFaults, HoldUpAndChangeNothingElse) {
  run(between_two(GetParam(), "transport-again p=.4; transport-late by=50us p=.1"), [](Rank& self) {
    move_and_check(self);
    require(struck(self, FaultKind::transport_again) > 0, "no message found no room");
    require(struck(self, FaultKind::transport_late) > 0, "no message was late");
  });
}

/// A message that leaves later leaves no earlier, and overtakes none.
TEST_P(TransportFaults, WhatIsLateIsSoByItsTime) {
  static constexpr auto late = corespec::Time::microseconds(20'000);
  run(between_two(GetParam(), "transport-late by=20ms rank=0 nth=5 times=1"), [](Rank& self) {
    constexpr std::uint64_t count = 6;
    self.attach_own_domain();
    self.meet();
    if (self.rank() == 1) {
      self.until([&] { return self.client().arrivals().size() == count; }, "events");
      for (std::uint64_t i = 0; i < count; ++i) {
        require(self.client().arrivals()[i].transaction.remote_event == i, "their order");
      }
      return;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t before = struck(self, FaultKind::transport_late);
      const corespec::Time begun = self.domain().now();
      Transaction event = self.to(1, TransactionKind::cq_write);
      event.remote_event = static_cast<std::uint32_t>(i);
      const auto number = self.submit(event, {});
      self.until([&] { return self.client().post(number).ended; }, "a response");
      if (struck(self, FaultKind::transport_late) == before) continue;
      require(self.client().post(number).ended_at >= begun + late, "it has not waited");
      self.word(5) = 1;
    }
    require(self.word(5) == 1, "none was late");
  });
}

/// Who may not read or write the other one's memory has the data in messages.
TEST(CopiesRefused, DataComesInMessages) {
  run(between_two("auto", "copy-refused"), [](Rank& self) {
    move_and_check(self);
    self.word(20).fetch_add(struck(self, FaultKind::copy_refused));
    self.meet();
    require(self.word(20) > 0, "no copy was tried");
  });
}

TEST(CopiesRefused, NowAndThen) {
  run(between_two("auto", "copy-refused p=.5; transport-again p=.3"), move_and_check);
}

/// A peer's memory that was wished for goes before it is sent.
TEST(CopiesRefused, DataThatHasGoneIsAnError) {
  run(between_two("auto", "copy-refused rank=1"), [](Rank& self) {
    self.attach_own_domain();
    std::vector<std::byte> memory(1 << 16);
    const std::uint64_t handle = self.client().add(memory);
    if (self.rank() == 1) {
      self.word(0) = place_of(memory);
      self.word(1) = handle;
    }
    self.meet();
    if (self.rank() == 0) {
      Transaction put = self.to(1, TransactionKind::put);
      put.remote_address = self.word(0);
      put.remote_handle.qword1 = self.word(1);
      put.injector = 1;
      const auto first = self.submit(put, memory);
      self.until([&] { return self.client().post(first).ended; }, "a response");
      require(self.client().post(first).status == ResponseStatus::ok, "its status");
      const auto number = self.submit(put, memory);
      self.client().drop(handle);
      self.until([&] { return self.client().post(number).ended; }, "a response");
      require(self.client().post(number).status != ResponseStatus::ok, "data out of nowhere");
    }
    self.meet();
    if (self.rank() == 1) require(struck(self, FaultKind::copy_refused) == 2, "copies refused");
  });
}

/// Its first bell is lost: what it is to see is there, and it sleeps on. The next one wakes it.
TEST(DoorbellLost, NobodyWakes) {
  run(between_two("auto", "doorbell-lost rank=0 nth=1 times=1"), [](Rank& self) {
    self.attach_own_domain();
    self.meet();
    if (self.rank() == 1) go_to_sleep(self);
    self.stand_still();
    if (self.rank() == 0) {
      for (std::uint64_t i = 0; i < 2; ++i) {
        self.submit(self.to(1, TransactionKind::cq_write), {});
        {
          const corespec::EventDomain::Hold hold(self.domain());
          self.wire().flush();
        }
        require(struck(self, FaultKind::doorbell_lost) == 1, "bells lost");
        self.stand_still();  // rung for, or not
        self.stand_still();
      }
    } else {
      self.stand_still();
      require(!woken(self, 300), "woken by nobody");
      self.stand_still();
      self.stand_still();
      require(woken(self, 5000), "not woken");
      self.stand_still();
      self.wire().disarm();
      self.until([&] { return self.client().arrived() == 2; }, "both");
    }
    self.meet();
  });
}

/// Of one rank, to one peer: its transactions to that one end with an error; all others go on.
TEST_P(TransportFaults, ThatLastAreErrorsOfOnePeersTransactions) {
  Arrangement arrangement{{0, 1, 2}, {0, 0, 0}, GetParam(), "none"};
  arrangement.faults = "transport-fails rank=0 peer=1 nth=20";
  run(arrangement, [](Rank& self) {
    self.attach_own_domain();
    self.meet();
    const auto status_from = [&](int rank) {
      const auto number = self.submit(self.to(rank, TransactionKind::cq_write), {});
      self.until([&] { return self.client().post(number).ended; }, "an answer");
      return self.client().post(number).status;
    };
    if (self.rank() == 0) {
      std::uint64_t well = 0;
      while (status_from(1) == ResponseStatus::ok) ++well;
      require(well > 0 && well < 20, "how many were well");
      self.word(6) = well;
      for (int i = 0; i < 30; ++i) {
        require(status_from(1) == ResponseStatus::no_such_domain, "the lost one's status");
        require(status_from(2) == ResponseStatus::ok, "the other one's status");
      }
      require(struck(self, FaultKind::transport_fails) == 1, "once and for good");
      self.word(5) = 1;
    }
    self.until([&] { return self.word(5) == 1; }, "rank 0");
    const std::uint64_t arrived = self.rank() == 0   ? 0
                                  : self.rank() == 1 ? self.word(6).load()
                                                     : 30;
    require(self.client().arrived() == arrived, "what has arrived");
  });
}

/// Rank 0, whose libraries are open, cannot reach rank 1 any more; what becomes of its job then.
std::string end_without(Rank& self) {
  self.process().begin_library(corespec::Process::Slot::mpi);
  const auto send = [&] {
    const auto number = self.submit(self.to(1, TransactionKind::cq_write), {});
    self.until([&] { return self.client().post(number).ended; }, "an answer");
    return self.client().post(number).status;
  };
  std::string line;
  try {
    while (send() == ResponseStatus::ok) {
    }
    self.let_pass(corespec::Time::seconds(5));
    for (int i = 0; i < 1000; ++i) self.domain().advance();
  } catch (const std::runtime_error& error) {
    line = error.what();
  }
  self.word(5) = 1;
  return line;
}

const std::vector<int> of_one_host{0, 0};
const std::vector<int> of_two_hosts{0, 1};

/// That peer may wait for what it does not get: the job ends.
TEST(OutOfReach, ALivingPeerEndsTheJob) {
  for (const auto& hosts : {of_one_host, of_two_hosts}) {
    run({{0, 1}, hosts, "auto", "none", {}, "transport-fails rank=0 nth=1000"}, [](Rank& self) {
      self.attach_own_domain();
      self.meet();
      if (self.rank() == 0) {
        const std::string line = end_without(self);
        if (line.rfind("live wire: rank 1 is out of reach, by ", 0) != 0) {
          std::fprintf(stderr, "rank 0: '%s'\n", line.c_str());
          _exit(1);
        }
        self.end();
      }
      self.until([&] { return self.word(5) == 1; }, "rank 0");
      self.end();
    });
  }
}

/// One that has ended in order waits for nothing.
TEST(OutOfReach, OneThatHasEndedHarmsNobody) {
  for (const auto& hosts : {of_one_host, of_two_hosts}) {
    run({{0, 1}, hosts, "auto", "none"}, [](Rank& self) {
      self.attach_own_domain();
      self.meet();
      if (self.rank() == 1) {
        self.until([&] { return self.client().arrived() == 20; }, "some events");
        self.end();
      }
      const std::string line = end_without(self);
      if (!line.empty()) {
        std::fprintf(stderr, "rank 0: %s\n", line.c_str());
        _exit(1);
      }
      self.end();
    });
  }
}

/// Rank 1 ends at a point that a plan names; rank 0's transactions to it end with an error.
class Kills : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(, Kills,
                         testing::Values("before-send", "after-send", "after-register",
                                         "before-copy", "in-copy", "after-copy"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(Kills, EndTheRankAtThatPoint) {
  constexpr std::size_t bytes = 1 << 16;
  for (const char* provider : {"auto", "tcp;ofi_rxm"}) {
    // A network's copies have no end that the process sees by itself.
    if (GetParam() == std::string("after-copy") && provider != std::string("auto")) continue;
    SCOPED_TRACE(provider);
    const std::string plan = "rank-killed rank=1 nth=25 point=" + std::string(GetParam());
    run(between_two(provider, plan),
        [](Rank& self) {
          self.attach_own_domain();
          std::vector<std::byte> memory = random_bytes(bytes, 5);
          const std::uint64_t handle = self.client().add(memory);
          if (self.rank() == 1) {
            self.word(0) = place_of(memory);
            self.word(1) = handle;
          }
          self.meet();
          if (self.rank() == 1) {
            self.client().on_arrival = [&] { self.client().add(memory); };
            self.until([] { return false; }, "its end");
          }
          Transaction put = self.to(1, TransactionKind::put);
          put.remote_address = self.word(0);
          put.remote_handle.qword1 = self.word(1);
          put.injector = 1;
          ResponseStatus status = ResponseStatus::ok;
          int ended = 0;
          for (; status == ResponseStatus::ok; ++ended) {
            const auto number = self.submit(put, memory);
            self.until([&] { return self.client().post(number).ended; }, "a response");
            status = self.client().post(number).status;
          }
          const bool well = ended > 10 && status == ResponseStatus::no_such_domain;
          if (!well) std::fprintf(stderr, "%d, status %d\n", ended, static_cast<int>(status));
          std::fflush(nullptr);
          _exit(well ? 0 : 1);  // nobody can meet any more
        },
        {1});
  }
}

std::string fault_in(const std::string& plan, faults::FaultPlan::Machine machine) {
  try {
    const faults::FaultPlan read(plan, "", 1, machine);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(LivePlans, MistakesAreOneLine) {
  using Machine = faults::FaultPlan::Machine;
  const std::pair<const char*, const char*> cases[] = {
      {"transport-late p=1", "by=TIME is missing"},
      {"transport-again kind=put", "kind is not known here; known are node, peer, rank, nth, p"},
      {"rank-killed point=in-copy", "rank=RANK is missing"},
      {"rank-killed rank=1",
       "point=: one of after-start, before-send, after-send, after-register,"},
      {"rank-killed rank=1 point=here", "point=here: one of after-start, "},
      {"rank-killed rank=x point=in-copy", "rank=x: "},
      {"post-fails rank=1", "rank is not known here"},
      {"link-down router=1 link=X+ at=1ms",
       "link-down: live, messages take the host's network, whose links are not Castor's"},
  };
  for (const auto& [plan, expected] : cases) {
    const std::string line = fault_in(plan, Machine::live);
    EXPECT_THAT(line, testing::HasSubstr(expected));
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
  for (const char* plan :
       {"transport-again", "transport-late by=1us", "doorbell-lost", "copy-refused",
        "transport-fails p=.1", "rank-killed rank=0 point=at-end"}) {
    EXPECT_EQ(fault_in(plan, Machine::live), "");
    EXPECT_THAT(fault_in(plan, Machine::modelled),
                testing::HasSubstr("in virtual time ranks are no processes"));
  }
}

/// Each rank of a node draws and counts for itself, the same again with the same seed.
TEST(LivePlans, RanksDrawForThemselves) {
  const auto drawn = [](int rank, std::uint64_t seed) {
    const faults::FaultPlan plan("transport-again p=.5", "", seed,
                                 faults::FaultPlan::Machine::live);
    faults::RankFaults made(plan, 3, rank, [] {});
    std::string text;
    for (int i = 0; i < 64; ++i) text += made.finds_no_room(4) ? 'x' : '.';
    return text;
  };
  EXPECT_EQ(drawn(0, 1), drawn(0, 1));
  EXPECT_NE(drawn(0, 1), drawn(1, 1));
  EXPECT_NE(drawn(0, 1), drawn(0, 2));
}

}  // namespace
}  // namespace wire_test
