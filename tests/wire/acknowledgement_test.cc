// Responses that nobody waits for: they need not come at once, but they come.
#include <gtest/gtest.h>

#include "tests/wire/job_of_processes.h"

namespace wire_test {
namespace {

using ugni::Transaction;
using ugni::TransactionKind;

class Acknowledgement : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(, Acknowledgement, every_provider(), provider_name);

void send_some(Rank& self, int target, int count, bool patient) {
  for (int i = 0; i < count; ++i) {
    Transaction event = self.to(target, TransactionKind::cq_write);
    if (patient) event.subkind = RecordingClient::patient;
    self.submit(event, {});
  }
}

std::uint64_t unanswered(Rank& self, std::uint64_t posts) {
  std::uint64_t count = 0;
  for (std::uint64_t number = 1; number <= posts; ++number) {
    if (!self.client().post(number).ended) ++count;
  }
  return count;
}

/// Rank 0 sends as `send` says; rank 1 takes them in as one who polls, does `then`, and looks at
/// the network no more until rank 0 has `enough`.
void with_a_busy_target(const char* provider, int sent, const std::function<void(Rank&)>& send,
                        const std::function<void(Rank&)>& then,
                        const std::function<bool(Rank&)>& enough) {
  for (const char* network : {"none", "gemini"}) {
    run({{0, 1}, {0, 0}, provider, network}, [&](Rank& self) {
      self.attach_own_domain();
      self.meet();
      send_some(self, 1 - self.rank(), 1, false);  // so that both know their ways
      self.until([&] { return self.client().all_ended() && self.client().arrived() == 1; },
                 "a first one each");
      self.client().forget_arrivals();  // before the other one can send more
      self.meet();
      if (self.rank() == 0) {
        send(self);
        self.until([&] { return enough(self); }, "responses");
        self.stand_still();
      } else {
        self.domain().begin_polling();
        self.until(
            [&] { return self.client().arrivals().size() == static_cast<std::size_t>(sent); },
            "requests");
        then(self);
        self.stand_still();
        self.domain().end_polling();
      }
      self.meet();
    });
  }
}

TEST_P(Acknowledgement, ComeBehindTheNextMessage) {
  with_a_busy_target(
      GetParam(), 5, [](Rank& self) { send_some(self, 1, 5, true); },
      [](Rank& self) { send_some(self, 0, 1, false); },
      [](Rank& self) { return self.client().all_ended() && self.client().arrived() == 2; });
}

TEST_P(Acknowledgement, ComeWithOneThatIsAwaited) {
  with_a_busy_target(
      GetParam(), 6,
      [](Rank& self) {
        send_some(self, 1, 5, true);
        send_some(self, 1, 1, false);
      },
      [](Rank&) {}, [](Rank& self) { return self.client().all_ended(); });
}

TEST_P(Acknowledgement, ComeInBatches) {
  constexpr int sent = 200;
  with_a_busy_target(
      GetParam(), sent, [](Rank& self) { send_some(self, 1, sent, true); }, [](Rank&) {},
      [](Rank& self) { return unanswered(self, sent) < 20; });
}

TEST_P(Acknowledgement, ComeFromWhoPollsAndFindsNothing) {
  with_a_busy_target(
      GetParam(), 3, [](Rank& self) { send_some(self, 1, 3, true); },
      [](Rank& self) {
        for (int i = 0; i < 1000; ++i) self.domain().advance();
      },
      [](Rank& self) { return self.client().all_ended(); });
}

/// Behind a request that would not wake its rank, too: one arrival is answered while the next has a
/// credit sent.
TEST(AcknowledgementTest, OneThatIsAwaitedWakesItsRankBehindAQuietRequest) {
  run({{0, 1}, {0, 0}, "auto", "none"}, [](Rank& self) {
    self.attach_own_domain();
    self.meet();
    send_some(self, 1 - self.rank(), 1, false);  // so that both know their ways
    self.until([&] { return self.client().all_ended() && self.client().arrived() == 1; },
               "a first one each");
    self.meet();
    if (self.rank() == 0) {
      send_some(self, 1, 1, false);
      send_some(self, 1, 1, true);
      go_to_sleep(self);
      self.stand_still();
      require(woken(self, 5000), "the first one's acknowledgement wakes");
      self.until([&] { return self.client().post(2).ended; }, "the response");
    } else {
      self.client().on_arrival = [&] {
        if (self.client().arrived() != 3) return;
        self.submit(self.to(0, TransactionKind::credit), {});
      };
      self.stand_still();  // the other one sleeps, and both are here
      self.until([&] { return self.client().arrived() == 3; }, "both");
      self.client().on_arrival = nullptr;
    }
    self.wire().disarm();
    self.meet();
  });
}

}  // namespace
}  // namespace wire_test
