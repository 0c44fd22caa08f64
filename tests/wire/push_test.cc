// Data that the initiator moves without asking the target, and messages that wake no thread.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/wire/job_of_processes.h"

namespace wire_test {
namespace {

using ugni::ResponseStatus;
using ugni::Transaction;
using ugni::TransactionKind;

constexpr std::size_t size = 256 << 10;

class Push : public testing::TestWithParam<const char*> {
 protected:
  static Arrangement two_nodes() { return {{0, 1}, {0, 0}, "auto", GetParam()}; }
};

INSTANTIATE_TEST_SUITE_P(, Push, testing::Values("none", "gemini"), [](const auto& each) {
  return std::string(each.param) == "none" ? "AtOnce" : "Modelled";
});

/// Asleep, as far as peers know, until the other rank gets to its stand_still(), too.
void sleep_through(Rank& self) {
  go_to_sleep(self);
  self.stand_still();  // it sleeps
  self.stand_still();  // the other one is done
}

Transaction aimed_by_bte(Rank& self, TransactionKind kind) {
  Transaction transaction = self.to(1, kind);
  transaction.injector = kind == TransactionKind::put ? 1 : 0;
  transaction.remote_address = self.word(0);
  transaction.remote_handle.qword1 = self.word(1);
  return transaction;
}

/// The initiator knows the way: it has heard of the other one before.
void get_to_know(Rank& self) {
  if (self.rank() == 0) {
    const auto number = self.submit(self.to(1, TransactionKind::cq_write), {});
    self.until([&] { return self.client().post(number).ended; }, "a first response");
  }
  self.meet();
  self.client().forget_arrivals();
  self.meet();  // nobody has more to forget
}

void show(Rank& self, std::span<const std::byte> memory, std::uint64_t handle) {
  self.word(0) = reinterpret_cast<std::uint64_t>(memory.data());
  self.word(1) = handle;
}

/// What a target says of a transaction, and why.
struct Case {
  const char* name;
  ResponseStatus status;
};

/// Rank 1 shows its memory, or a handle that is withdrawn. Both meet.
void offer(Rank& self, const Case& each, std::span<const std::byte> memory, std::uint64_t handle) {
  if (self.rank() == 1) {
    show(self, memory, handle);
    if (each.status == ResponseStatus::invalid_handle) self.client().drop(handle);
  }
  self.meet();
}

/// Drops the handles that are left of it.
void end_offer(Rank& self, const Case& each, std::uint64_t handle) {
  if (each.status != ResponseStatus::invalid_handle || self.rank() == 0) self.client().drop(handle);
}

/// At what was offered, with the mistake that the case is about.
Transaction aimed_for(Rank& self, const Case& each, TransactionKind kind) {
  Transaction transaction = aimed_by_bte(self, kind);
  if (each.status == ResponseStatus::out_of_bounds) transaction.remote_address += 1;
  if (each.status == ResponseStatus::no_such_domain) ++transaction.ptag;
  return transaction;
}

TEST_P(Push, ASleepersMemoryIsWrittenAndThePutEndsWithoutIt) {
  run(two_nodes(), [](Rank& self) {
    self.attach_own_domain();
    auto memory = self.rank() == 0 ? random_bytes(size, 1) : std::vector<std::byte>(size + 100);
    const std::uint64_t handle = self.client().add(memory);
    if (self.rank() == 1) show(self, std::span(memory).subspan(64), handle);
    self.client().moves_ahead = self.client().moves_unnoticed = true;
    self.meet();
    get_to_know(self);
    if (self.rank() == 0) {
      self.stand_still();
      const auto number = self.submit(aimed_by_bte(self, TransactionKind::put), memory);
      self.until([&] { return self.client().post(number).ended; }, "a put to a sleeper");
      require(self.client().post(number).status == ResponseStatus::ok, "its status");
      require(self.client().post(number).answered == size, "bytes answered");
      require(self.client().post(number).sent == 1, "request_sent()");
      self.stand_still();
    } else {
      sleep_through(self);
      require(!woken(self, 0), "nobody has rung");
      const auto expected = random_bytes(size, 1);
      require(std::equal(expected.begin(), expected.end(), memory.begin() + 64), "data");
      require(memory[63] == std::byte{0} && memory[size + 64] == std::byte{0}, "around it");
      require(self.client().arrivals().empty(), "nobody has looked yet");
      self.until([&] { return !self.client().arrivals().empty(); }, "the put's header");
      require(self.client().arrivals()[0].in_place, "it is in place");
    }
    self.meet();
  });
}

/// What happens at the target, too, is not for the initiator to end.
TEST_P(Push, APutThatTheTargetHasToHearOfWakesIt) {
  run(two_nodes(), [](Rank& self) {
    self.attach_own_domain();
    auto memory = self.rank() == 0 ? random_bytes(size, 2) : std::vector<std::byte>(size);
    const std::uint64_t handle = self.client().add(memory);
    if (self.rank() == 1) show(self, memory, handle);
    self.client().moves_ahead = true;
    self.meet();
    get_to_know(self);
    if (self.rank() == 0) {
      self.stand_still();
      const auto number = self.submit(aimed_by_bte(self, TransactionKind::put), memory);
      self.wire().poll();
      require(!self.client().post(number).ended, "the target has not looked yet");
      self.stand_still();
      self.until([&] { return self.client().post(number).ended; }, "a put's response");
    } else {
      sleep_through(self);
      require(woken(self, 5000), "somebody has rung");
      require(memory == random_bytes(size, 2), "the data is there");
      self.until([&] { return !self.client().arrivals().empty(); }, "the put");
      require(self.client().arrivals()[0].in_place, "it is in place");
    }
    self.meet();
  });
}

/// Refused as ever, and nothing is touched: read-only, withdrawn, out of bounds, another's domain.
TEST_P(Push, NothingIsWrittenThatTheTargetWouldRefuse) {
  static constexpr Case cases[] = {{"read-only", ResponseStatus::permission},
                                   {"withdrawn", ResponseStatus::invalid_handle},
                                   {"beyond the end", ResponseStatus::out_of_bounds},
                                   {"another tag", ResponseStatus::no_such_domain}};
  run(two_nodes(), [](Rank& self) {
    self.attach_own_domain();
    self.client().moves_ahead = self.client().moves_unnoticed = true;
    auto data = random_bytes(size, 3);
    self.client().add(data);
    self.meet();
    get_to_know(self);
    for (const Case& each : cases) {
      std::vector<std::byte> memory(size);
      const bool read_only = each.status == ResponseStatus::permission;
      const std::uint64_t handle = self.client().add(memory, true, !read_only);
      offer(self, each, memory, handle);
      if (self.rank() == 0) {
        self.stand_still();
        const auto number = self.submit(aimed_for(self, each, TransactionKind::put), data);
        self.wire().poll();
        self.stand_still();
        self.until([&] { return self.client().post(number).ended; }, each.name);
        require(self.client().post(number).status == each.status, each.name);
      } else {
        sleep_through(self);
        self.wire().disarm();
      }
      self.meet();
      require(std::all_of(memory.begin(), memory.end(), [](auto b) { return b == std::byte{0}; }),
              std::string("untouched: ") + each.name);
      end_offer(self, each, handle);
    }
  });
}

/// The target computes, or has no CPU: it hears nothing of a GET.
TEST_P(Push, ASleepersMemoryIsReadAndTheGetEndsWithoutIt) {
  run(two_nodes(), [](Rank& self) {
    self.attach_own_domain();
    auto memory = self.rank() == 1 ? random_bytes(size, 5) : std::vector<std::byte>(size);
    const std::uint64_t handle = self.client().add(memory, true, false);  // may be read only
    if (self.rank() == 1) show(self, std::span(memory).subspan(64), handle);
    self.client().moves_ahead = self.client().moves_unnoticed = true;
    self.meet();
    get_to_know(self);
    if (self.rank() == 0) {
      self.stand_still();
      const std::span<std::byte> into = std::span(memory).subspan(32, size - 64);
      const auto number = self.submit(aimed_by_bte(self, TransactionKind::get), into);
      self.until([&] { return self.client().post(number).ended; }, "a get from a sleeper");
      require(self.client().post(number).status == ResponseStatus::ok, "its status");
      require(self.client().post(number).answered == into.size(), "bytes answered");
      const auto expected = random_bytes(size, 5);
      require(std::equal(into.begin(), into.end(), expected.begin() + 64), "data");
      require(memory[31] == std::byte{0} && memory[size - 32] == std::byte{0}, "around it");
      self.stand_still();
    } else {
      sleep_through(self);
      require(!woken(self, 50), "nobody has rung");
      self.wire().poll();
      require(self.client().arrivals().empty(), "nobody has been told");
    }
    self.meet();
  });
}

/// The target answers, as ever: it hears of the GET, has the data elsewhere, or refuses.
TEST_P(Push, AGetThatTheTargetHasASayInAsksIt) {
  static constexpr Case cases[] = {{"an event at the target", ResponseStatus::ok},
                                   {"kept in payloads", ResponseStatus::ok},
                                   {"withdrawn", ResponseStatus::invalid_handle},
                                   {"beyond the end", ResponseStatus::out_of_bounds},
                                   {"another tag", ResponseStatus::no_such_domain}};
  run(two_nodes(), [](Rank& self) {
    self.attach_own_domain();
    self.client().moves_ahead = true;
    std::vector<std::byte> into(size);
    self.client().add(into);
    self.meet();
    get_to_know(self);
    for (const Case& each : cases) {
      self.client().moves_unnoticed = &each != &cases[0];
      self.client().keeps_payloads = &each == &cases[1];
      std::vector<std::byte> memory = random_bytes(size, 6);
      const std::uint64_t handle = self.client().add(memory);
      offer(self, each, memory, handle);
      if (self.rank() == 0) {
        std::fill(into.begin(), into.end(), std::byte{0});
        self.stand_still();
        const auto number = self.submit(aimed_for(self, each, TransactionKind::get), into);
        self.wire().poll();
        require(!self.client().post(number).ended, std::string("not yet: ") + each.name);
        self.stand_still();
        self.until([&] { return self.client().post(number).ended; }, each.name);
        require(self.client().post(number).status == each.status, each.name);
        require((into == memory) == (each.status == ResponseStatus::ok), each.name);
      } else {
        sleep_through(self);
        require(woken(self, 5000), std::string("rung: ") + each.name);
        self.wire().disarm();
      }
      self.meet();
      end_offer(self, each, handle);
    }
  });
}

/// A mailbox where nobody sleeps, and a sender that does not wait: the message is found at the next
/// look. If either does, it rings.
TEST_P(Push, MessagesRingOnlyWhereSomebodySleepsForThemOrTheirSenderWaits) {
  run(two_nodes(), [](Rank& self) {
    self.attach_own_domain();
    auto text = random_bytes(100, 4);
    self.meet();
    get_to_know(self);
    for (const bool wakes : {false, true}) {
      for (const bool patient : {false, true}) {
        std::vector<std::byte> mailbox(4096);
        const std::uint64_t handle = self.client().add(mailbox, true, true, wakes);
        if (self.rank() == 1) show(self, mailbox, handle);
        self.meet();
        if (self.rank() == 0) {
          Transaction message = aimed_by_bte(self, TransactionKind::message);
          if (patient) message.subkind = RecordingClient::patient;
          self.stand_still();
          const auto number =
              self.submit(message, text, ugni::Payload(std::span<const std::byte>(text)));
          self.stand_still();
          self.until([&] { return self.client().post(number).ended; }, "a message's response");
        } else {
          sleep_through(self);
          require(woken(self, wakes || !patient ? 5000 : 50) == (wakes || !patient), "rung");
          self.until([&] { return !self.client().arrivals().empty(); }, "the message");
          require(self.client().arrivals()[0].data == text, "the message's bytes");
          self.client().forget_arrivals();
        }
        self.meet();
        self.client().drop(handle);
        self.wire().disarm();
      }
    }
  });
}

}  // namespace
}  // namespace wire_test
