// Every kind of transaction between processes, with its data, events and errors.
#include <sys/mman.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/support/parameter_name.h"
#include "tests/wire/job_of_processes.h"
#include "ugni_emu/wire/collective_id.h"

namespace wire_test {
namespace {

using ugni::ResponseStatus;
using ugni::Transaction;
using ugni::TransactionKind;

constexpr std::size_t largest = 4 << 20;

std::uint64_t address_of(std::span<const std::byte> memory) {
  return reinterpret_cast<std::uint64_t>(memory.data());
}

struct Way {
  const char* name;
  Arrangement arrangement;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

const Way ways[] = {
    {"SharedMemory", {{0, 1}, {0, 0}, "auto", "none"}},
    {"LibfabricShm", {{0, 1}, {0, 0}, "shm", "none"}},
    {"SharedMemoryOneNode", {{3, 3}, {0, 0}, "auto", "none"}},
    {"SharedMemoryModelled", {{0, 40}, {0, 0}, "auto", "gemini"}},
    {"TcpLoopback", {{0, 1}, {0, 0}, "tcp;ofi_rxm", "none"}},
    {"TwoHosts", {{0, 1}, {0, 1}, "auto", "none"}},
    {"TwoHostsModelled", {{0, 1}, {0, 1}, "auto", "gemini"}},
};

class Transfers : public testing::TestWithParam<Way> {};

INSTANTIATE_TEST_SUITE_P(, Transfers, testing::ValuesIn(ways),
                         [](const auto& each) { return std::string(each.param.name); });

const std::size_t sizes[] = {0, 1, 7, 8, 64, 1000, 3900, 4096, 8192, 8193, 65536, 1000003, largest};

/// Where rank 1's memory is, as rank 0 knows it.
void tell(Rank& self, std::span<std::byte> memory, std::uint64_t handle) {
  if (self.rank() == 1) {
    self.word(0) = address_of(memory);
    self.word(1) = handle;
  }
  self.meet();
}

Transaction aimed(Rank& self, TransactionKind kind) {
  Transaction transaction = self.to(1, kind);
  transaction.remote_address = self.word(0);
  transaction.remote_handle.qword1 = self.word(1);
  return transaction;
}

/// Puts of every size: captured, uncaptured, from registered memory or not, into memory that the
/// wire may write or not.
TEST_P(Transfers, PutsOfEverySize) {
  for (const bool source_direct : {false, true}) {
    for (const bool target_direct : {false, true}) {
      run(GetParam().arrangement, [&](Rank& self) {
        self.attach_own_domain();
        std::vector<std::byte> memory(largest + 64);
        const std::uint64_t handle =
            self.client().add(memory, self.rank() == 0 ? source_direct : target_direct);
        tell(self, memory, handle);
        for (const std::size_t size : sizes) {
          for (const std::uint8_t injector : {0, 1}) {
            const auto expected = random_bytes(size, size + injector);
            if (self.rank() == 0) {
              Transaction put = aimed(self, TransactionKind::put);
              put.injector = injector;
              put.remote_address += 3;
              std::copy(expected.begin(), expected.end(), memory.begin() + 5);
              const std::span<std::byte> local(memory.data() + 5, size);
              const std::uint64_t number =
                  injector == 0 ? self.submit(put, local, ugni::Payload(std::span(expected)))
                                : self.submit(put, local);
              self.until([&] { return self.client().post(number).ended; }, "a put's response");
              const RecordingClient::Post& post = self.client().post(number);
              require(post.status == ResponseStatus::ok, "a put's status");
              require(post.answered == size, "bytes answered");
              require(post.sent == injector, "request_sent() once, if it is wanted");
              require(!post.sent_after_end, "request_sent() before the response");
            } else {
              self.until([&] { return !self.client().arrivals().empty(); }, "a put");
              require(std::equal(expected.begin(), expected.end(), memory.begin() + 3),
                      "a put's data of " + std::to_string(size));
              require(memory[size + 3] == std::byte{0} || size < largest, "beyond a put's end");
              const bool direct = injector == 1 && size > 8192 && source_direct && target_direct;
              require(self.client().arrivals()[0].in_place == direct, "who moved the data");
              self.client().forget_arrivals();
              std::fill(memory.begin(), memory.end(), std::byte{0});
            }
            self.meet();
          }
        }
      });
    }
  }
}

TEST_P(Transfers, GetsOfEverySize) {
  for (const bool direct : {false, true}) {
    run(GetParam().arrangement, [&](Rank& self) {
      self.attach_own_domain();
      std::vector<std::byte> memory =
          self.rank() == 1 ? random_bytes(largest + 64, 5) : std::vector<std::byte>(largest + 64);
      const std::uint64_t handle = self.client().add(memory, direct);
      tell(self, memory, handle);
      if (self.rank() == 0) {
        const std::vector<std::byte> all = random_bytes(largest + 64, 5);
        for (const std::size_t size : sizes) {
          for (const std::uint8_t injector : {0, 2}) {
            std::fill(memory.begin(), memory.end(), std::byte{0});
            Transaction get = aimed(self, TransactionKind::get);
            get.injector = injector;
            get.remote_address += 9;
            const std::uint64_t number = self.submit(get, {memory.data() + 1, size});
            self.until([&] { return self.client().post(number).ended; }, "a get's response");
            const RecordingClient::Post& post = self.client().post(number);
            require(post.status == ResponseStatus::ok && post.answered == size, "a get's end");
            require(post.in_place == (direct && size > 8192), "who moved the data");
            require(post.sent == (injector != 0 ? 1 : 0), "request_sent() of a get");
            require(std::equal(memory.begin() + 1, memory.begin() + 1 + static_cast<long>(size),
                               all.begin() + 9),
                    "a get's data");
            require(memory[0] == std::byte{0} && memory[size + 1] == std::byte{0},
                    "around a get's data");
          }
        }
      }
      self.meet();  // with the memory still there
    });
  }
}

TEST_P(Transfers, MessagesEventsCreditsDatagramsAndAtomics) {
  run(GetParam().arrangement, [&](Rank& self) {
    self.attach_own_domain();
    std::vector<std::byte> memory(64);
    tell(self, memory, self.client().add(memory));
    if (self.rank() == 0) {
      // The driver's: needs no domain, so it may overtake what has to find one.
      Transaction datagram = aimed(self, TransactionKind::datagram);
      datagram.cookie = 999;  // no such domain yet
      datagram.length = 100;
      const auto greeting = random_bytes(100, 1);
      self.wire().submit(datagram, ugni::Payload(std::span(greeting)));
      for (const std::size_t size : {0, 1, 200, 3980, 8000, 70000}) {
        const auto data = random_bytes(size, size);
        Transaction message = aimed(self, TransactionKind::message);
        message.subkind = 77;
        message.remote_event = 12345;
        self.submit(message, {}, ugni::Payload(std::span(data)));
      }
      Transaction event = aimed(self, TransactionKind::cq_write);
      event.immediate = {0xABCDEF, 0};
      self.submit(event, {});
      Transaction credit = aimed(self, TransactionKind::credit);
      credit.immediate = {3, 0};
      self.wire().submit(credit, {});  // nobody waits for it
      for (std::uint64_t i = 0; i < 2; ++i) {
        Transaction atomic = aimed(self, TransactionKind::atomic);
        atomic.immediate = {5, 0};
        std::uint64_t old = 99;
        const auto number = self.submit(atomic, std::as_writable_bytes(std::span(&old, 1)));
        self.until([&] { return self.client().post(number).ended; }, "an atomic's response");
        require(old == 5 * i, "an atomic's old value");
      }
      self.until([&] { return self.client().all_ended(); }, "all responses");
      return;
    }
    self.until([&] { return self.client().arrivals().size() == 11; }, "all transactions");
    require(self.client().arrivals()[0].transaction.cookie == 999, "the datagram");
    require(self.client().arrivals()[0].data == random_bytes(100, 1), "its data");
    std::size_t at = 1;
    for (const std::size_t size : {0, 1, 200, 3980, 8000, 70000}) {
      const RecordingClient::Arrival& message = self.client().arrivals()[at++];
      require(message.transaction.kind == TransactionKind::message, "kind");
      require(message.transaction.subkind == 77, "tag");
      require(message.transaction.remote_event == 12345, "event");
      require(message.data == random_bytes(size, size), "a message's data");
    }
    require(self.client().arrivals()[at++].transaction.immediate[0] == 0xABCDEF, "the CQ write");
    require(self.client().arrivals()[at++].transaction.immediate[0] == 3, "the credit");
    std::uint64_t sum = 0;
    std::memcpy(&sum, memory.data(), sizeof sum);
    require(sum == 10, "the atomics' sum");
  });
}

TEST_P(Transfers, ErrorsAreAnsweredAndTouchNothing) {
  run(GetParam().arrangement, [&](Rank& self) {
    self.attach_own_domain();
    std::vector<std::byte> memory(1 << 20, std::byte{7});
    std::vector<std::byte> constant(1 << 20, std::byte{8});
    const std::uint64_t handle = self.client().add(memory);
    const std::uint64_t read_only = self.client().add(constant, true, false);
    tell(self, memory, handle);
    if (self.rank() == 1) self.word(2) = address_of(constant);
    self.meet();
    if (self.rank() == 0) {
      const auto expect = [&](Transaction transaction, std::size_t size, ResponseStatus status) {
        transaction.injector = 1;
        const auto number = self.submit(transaction, {memory.data(), size});
        self.until([&] { return self.client().post(number).ended; }, "an error's response");
        const RecordingClient::Post& post = self.client().post(number);
        require(post.status == status, "status of an error");
        require(post.answered == size && post.sent == 1, "a whole answer");
      };
      for (const TransactionKind kind : {TransactionKind::put, TransactionKind::get}) {
        for (const std::size_t size : {8, 5000, 500000}) {
          Transaction good = aimed(self, kind);
          Transaction bad = good;
          bad.target_instance = 55;  // which means nothing
          expect(bad, size, ResponseStatus::ok);
          bad = good;
          bad.ptag = 8;
          expect(bad, size, ResponseStatus::no_such_domain);
          bad = good;
          bad.cookie = 12;
          expect(bad, size, ResponseStatus::no_such_domain);
          bad = good;
          bad.target = 17;  // a node without ranks
          expect(bad, size, ResponseStatus::no_such_domain);
          bad.target = 100000;  // no node at all
          expect(bad, size, ResponseStatus::no_such_domain);
          bad = good;
          bad.remote_handle.qword1 = 4711;
          expect(bad, size, ResponseStatus::invalid_handle);
          bad = good;
          bad.remote_address += memory.size() - size + 1;
          expect(bad, size, ResponseStatus::out_of_bounds);
          bad = good;
          bad.remote_handle.qword1 = read_only;
          bad.remote_address = self.word(2);
          if (kind == TransactionKind::put) expect(bad, size, ResponseStatus::permission);
          expect(good, size, ResponseStatus::ok);
        }
      }
    }
    self.meet();
    const auto is = [](std::byte value) { return [=](std::byte each) { return each == value; }; };
    require(std::all_of(memory.begin(), memory.end(), is(std::byte{7})), "memory is as it was");
    require(std::all_of(constant.begin(), constant.end(), is(std::byte{8})), "constants are");
  });
}

/// Memory of the initiator's that was unmapped while the wire still knew it: as the kernel says so,
/// the transfer fails; what comes behind it does not.
TEST(Failures, OfMemoryThatHasGoneDelayNobody) {
  run({{0, 1}, {0, 0}, "auto", "none"}, [&](Rank& self) {
    self.attach_own_domain();
    constexpr std::size_t bytes = 1 << 20;
    std::vector<std::byte> memory(bytes, std::byte{7});
    const std::uint64_t handle = self.client().add(memory);
    tell(self, memory, handle);
    if (self.rank() == 0) {
      const auto end_of = [&](TransactionKind kind, std::span<std::byte> local) {
        Transaction transaction = aimed(self, kind);
        transaction.injector = 1;
        const auto number = self.submit(transaction, local);
        self.until([&] { return self.client().post(number).ended; }, "an end");
        return self.client().post(number).status;
      };
      for (const TransactionKind kind : {TransactionKind::get, TransactionKind::put}) {
        void* const mapped =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        require(mapped != MAP_FAILED, "mmap()");
        const std::span<std::byte> gone(static_cast<std::byte*>(mapped), bytes);
        self.client().add(gone);
        munmap(mapped, bytes);
        for (int i = 0; i < 2; ++i) {
          require(end_of(kind, gone) == ResponseStatus::invalid_handle, "what is said of it");
          require(end_of(kind, memory) == ResponseStatus::ok, "what comes behind it");
        }
      }
    }
    self.meet();
    require(memory[bytes / 2] == std::byte{7}, "memory is as it was");
  });
}

/// A region whose handle does not say which of its node's processes has it (clients rebuild
/// handles) is found by its number, wherever on the node it is.
TEST(Regions, AreFoundOnTheirNode) {
  const Arrangement arrangement{{0, 1, 1, 1}, {0, 0, 0, 0}, "auto", "none"};
  constexpr ugni::ProtectionName protection{11, 7};
  constexpr std::uint16_t first = 1000;
  run(arrangement, [&](Rank& self) {
    self.attach_own_domain();
    const auto mdh = static_cast<std::uint16_t>(first + self.rank());
    const ugni::NicAddress nic = self.nid_of(self.rank());
    require(self.wire().claim_region(nic, protection, mdh), "a number");
    self.meet();
    require(self.wire().claim_region(nic, protection, first + 1) == (self.rank() == 0),
            "a number that a process of the node has");
    require(self.wire().regions_of_others(nic, protection) == (self.rank() == 0 ? 0U : 2U),
            "numbers of others");
    self.meet();
    const auto event = [&](int rank) {
      Transaction transaction = self.to(rank, TransactionKind::cq_write);
      transaction.remote_handle = {(std::uint64_t{first} + static_cast<std::uint64_t>(rank)) << 52,
                                   0};
      const auto number = self.submit(transaction, {});
      self.until([&] { return self.client().post(number).ended; }, "a response");
      return self.client().post(number).status;
    };
    for (int rank = 0; rank < self.size(); ++rank) {
      require(event(rank) == ResponseStatus::ok, "a region is found");
    }
    self.meet();
    require(self.client().arrivals().size() == 4, "one event of each rank");
    for (const auto& arrival : self.client().arrivals()) {
      require(arrival.transaction.remote_handle.qword1 >> 52 == mdh, "the right process");
    }
    // What has moved is found again: rank 3's number goes to rank 2.
    if (self.rank() == 3) {
      self.wire().release_region(nic, protection, first + 3);
      self.client().detach({3, 11, 7});  // it says so of what comes for it
    }
    self.meet();
    if (self.rank() == 2) {
      require(self.wire().claim_region(nic, protection, first + 3), "a number that was given back");
    }
    self.meet();
    self.client().forget_arrivals();
    self.meet();
    if (self.rank() == 0) {
      event(3);
      require(event(3) == ResponseStatus::ok, "found anew");
    }
    self.meet();
    require(self.client().arrivals().size() == (self.rank() == 2 ? 1 : 0), "by its new process");
  });
}

/// A datagram finds its domain on its node, whatever its number.
TEST(Domains, AreFoundOnTheirNode) {
  const Arrangement arrangement{{0, 1, 1, 1}, {0, 0, 0, 0}, "auto", "none"};
  run(arrangement, [&](Rank& self) {
    const ugni::DomainName name{1000U + static_cast<std::uint32_t>(self.rank()), 11, 7};
    self.client().attach(name);
    EXPECT_TRUE(self.wire().domain_attached(self.nid_of(self.rank()), name));
    self.meet();
    for (int rank = 0; rank < self.size(); ++rank) {
      Transaction transaction = self.to(rank, TransactionKind::datagram);
      transaction.target_instance = 1000U + static_cast<std::uint32_t>(rank);
      const auto number = self.submit(transaction, {});
      self.until([&] { return self.client().post(number).ended; }, "a response");
    }
    self.meet();
    require(self.client().arrivals().size() == 4, "one datagram of each rank");
    for (const auto& arrival : self.client().arrivals()) {
      require(arrival.transaction.target_instance == name.instance, "the right process");
    }
  });
}

/// A collective engine's id says which process has it, and that is all that counts.
TEST(Engines, AreFoundByTheirIds) {
  const Arrangement arrangement{{0, 1, 1, 1}, {0, 0, 0, 0}, "auto", "none"};
  run(arrangement, [&](Rank& self) {
    self.attach_own_domain();
    self.meet();
    const auto send = [&](int rank, std::uint32_t id) {
      Transaction transaction = self.to(rank, TransactionKind::collective);
      transaction.target_instance = id;
      transaction.remote_handle = {1, 1};  // not of a region there
      transaction.immediate = {3, 4};
      const auto number = self.submit(transaction, {});
      self.until([&] { return self.client().post(number).ended; }, "a response");
      return self.client().post(number).status;
    };
    const auto place_of = [](int rank) {
      return static_cast<std::uint32_t>(std::max(rank - 1, 0));
    };
    for (int rank = 0; rank < self.size(); ++rank) {
      const std::uint32_t id = ugni::collective_id::make(place_of(rank), 200);
      require(send(rank, id) == ResponseStatus::ok, "it is there");
    }
    for (const std::uint32_t none : {0U, 200U, ugni::collective_id::make(3, 0), ~0U}) {
      require(send(1, none) == ResponseStatus::no_such_domain, "no process has it");
    }
    self.meet();
    require(self.client().arrivals().size() == 4, "one of each rank");
    for (const auto& arrival : self.client().arrivals()) {
      const Transaction& transaction = arrival.transaction;
      const std::uint32_t id = ugni::collective_id::make(place_of(self.rank()), 200);
      require(transaction.target_instance == id, "the right process");
      require(transaction.immediate == std::array<std::uint64_t, 2>{3, 4}, "what it brings");
    }
  });
}

TEST(Self, EveryKindOfTransaction) {
  for (const char* network : {"none", "gemini"}) {
    const Arrangement arrangement{{0}, {0}, "auto", network};
    run(arrangement, [&](Rank& self) {
      self.attach_own_domain();
      for (const bool direct : {false, true}) {
        for (const std::size_t size : sizes) {
          std::vector<std::byte> source = random_bytes(size, size), target(size), back(size);
          const std::uint64_t from = self.client().add(source, direct);
          const std::uint64_t to = self.client().add(target, direct);
          const std::uint64_t home = self.client().add(back, direct);
          Transaction put = self.to(0, TransactionKind::put);
          put.injector = 1;
          put.remote_address = address_of(target);
          put.remote_handle.qword1 = to;
          std::uint64_t number = 0;
          {
            const corespec::EventDomain::Hold hold(self.domain());
            number = self.submit(put, source);
            require(!self.client().post(number).ended && self.client().post(number).sent == 0,
                    "nothing happens within submit()");
          }
          Transaction get = self.to(0, TransactionKind::get);
          get.injector = 1;  // behind the put
          get.remote_address = address_of(target);
          get.remote_handle.qword1 = to;
          self.submit(get, back);
          self.until([&] { return self.client().all_ended(); }, "responses");
          require(target == source, "data there");
          require(back == source, "data back");
          require(self.client().post(number).status == ResponseStatus::ok, "status");
          require(self.client().post(number).sent == 1, "request_sent()");
          self.client().drop(from);
          self.client().drop(to);
          self.client().drop(home);
        }
      }
      Transaction stranger = self.to(0, TransactionKind::cq_write);
      stranger.ptag = 5;
      const std::uint64_t number = self.submit(stranger, {});
      self.until([&] { return self.client().post(number).ended; }, "a response");
      require(self.client().post(number).status == ResponseStatus::no_such_domain, "no domain");
    });
  }
}

}  // namespace
}  // namespace wire_test
