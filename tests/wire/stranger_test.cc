// Another user's process at a job's network: what it sends is dropped, what it wants to read it
// does not get.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "tests/wire/job_of_processes.h"
#include "tests/wire/listening_ports.h"
#include "ugni_emu/wire/fabric/libfabric_endpoint.h"

namespace wire_test {
namespace {

using ugni::TransactionKind;
using ugni::fabric::Buffer;
using ugni::fabric::LibfabricEndpoint;
using ugni::fabric::MessageHead;
using ugni::fabric::MessageKind;
using ugni::fabric::Outcome;
using ugni::fabric::RequestMessage;
using ugni::fabric::Secret;

constexpr int nobody = 65534;
constexpr std::uint64_t planted = 0x5345435245544B45;

/// What the ranks and the stranger tell each other.
struct Board {
  std::atomic<std::uint64_t> places[2];  ///< address and port; 0: not known yet
  std::atomic<bool> done;
  std::atomic<bool> has_read;  ///< the stranger: something of a rank's memory
  std::atomic<bool> failed;
};

Board& make_board() {
  void* const memory =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return *new (memory) Board{};
}

/// One connection to a rank's port.
class Attack final : ugni::fabric::EndpointClient {
 public:
  explicit Attack(std::uint64_t place) : endpoint_({"tcp;ofi_rxm", "", true, 4}) {
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port = htons(static_cast<std::uint16_t>(place));
    there.sin_addr.s_addr = static_cast<std::uint32_t>(place >> 16);
    std::vector<std::byte> address(sizeof there + Secret::bytes);  // a guess at the secret: zeros
    std::memcpy(address.data(), &there, sizeof there);
    victim_ = endpoint_.add(address, 0);
  }

  /// Sends it; what becomes of it the victim says.
  void send(std::span<const std::byte> message) {
    Buffer& buffer = endpoint_.take();
    std::copy(message.begin(), message.end(), buffer.bytes);
    buffer.size = message.size();
    for (int i = 0; i < tries; ++i) {
      if (endpoint_.send(victim_, buffer) != Outcome::again) break;
      endpoint_.poll(*this);
      usleep(100);
    }
    for (int i = 0; i < 50; ++i) look();
  }

  /// True if the victim's memory could be read. (Of a write, this end does not hear.)
  bool reads(std::uint64_t key, std::uint64_t offset, bool writes) {
    ugni::fabric::Movement movement;
    std::uint64_t word = 0;
    const auto bytes = std::as_writable_bytes(std::span(&word, 1));
    ended_ = well_ = false;
    Outcome outcome = Outcome::again;
    for (int i = 0; i < tries && outcome == Outcome::again; ++i) {
      outcome = writes ? endpoint_.write(victim_, bytes, {offset, key}, movement)
                       : endpoint_.read(victim_, bytes, {offset, key}, movement);
      look();
    }
    for (int i = 0; i < tries && outcome == Outcome::done && !ended_; ++i) look();
    return !writes && ended_ && well_;
  }

 private:
  static constexpr int tries = 3000;
  void look() {
    if (!endpoint_.poll(*this)) usleep(100);
  }
  void received(std::span<const std::byte>, std::uint64_t) override {}
  void movement_ended(ugni::fabric::Movement&, bool well) override {
    ended_ = true;
    well_ = well;
  }
  void send_failed(int) override {}

  LibfabricEndpoint endpoint_;
  LibfabricEndpoint::Address victim_ = 0;
  bool ended_ = false;
  bool well_ = false;
};

/// Messages of each kind with senders that there are not, and with such as there are.
void send_forgeries(std::uint64_t place) {
  Attack attack(place);
  for (int kind = 0; kind < 9; ++kind) {
    for (const int rank : {0, 1, -1, 7, 1 << 30}) {
      RequestMessage request;
      request.head = {static_cast<MessageKind>(kind), RequestMessage::last, 0, rank};
      request.number = 1;
      request.transaction.kind = TransactionKind::cq_write;
      attack.send(std::as_bytes(std::span(&request, 1)));
    }
  }
  const std::vector<std::byte> random = random_bytes(8000, 5);
  for (const std::size_t size : {0, 1, 7, 16, 100, 8000}) {
    attack.send(std::span(random).first(size));
  }
}

void attack(Board& board) {
  if (geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) {
    throw std::runtime_error("cannot become another user");
  }
  for (const auto& place : board.places) {
    while (place == 0) usleep(1000);
    send_forgeries(place);
    for (std::uint64_t key = 0; key < 8; ++key) {
      for (const bool writes : {true, false}) {
        if (Attack(place).reads(key, 0, writes)) board.has_read = true;
      }
    }
  }
}

class Strangers : public testing::TestWithParam<Arrangement> {};

INSTANTIATE_TEST_SUITE_P(, Strangers,
                         testing::Values(Arrangement{{0, 1}, {0, 0}, "tcp;ofi_rxm", "none"},
                                         Arrangement{{0, 1}, {0, 1}, "auto", "none"}),
                         [](const auto& each) {
                           return each.param.host[1] == 0 ? "Tcp" : "TwoHosts";
                         });

TEST_P(Strangers, ReadNothingAndEndNobody) {
  Board& board = make_board();
  const pid_t stranger = fork();
  ASSERT_GE(stranger, 0);
  if (stranger == 0) {
    alarm(60);
    try {
      attack(board);
    } catch (const std::exception& error) {
      std::fputs(error.what(), stderr);
      board.failed = true;
    }
    board.done = true;
    std::fflush(nullptr);
    _exit(0);
  }
  run(GetParam(), [&](Rank& self) {
    self.attach_own_domain();
    std::vector<std::uint64_t> memory(1024, planted);
    const auto bytes = std::as_writable_bytes(std::span(memory));
    self.client().add(bytes);
    const std::vector<Listener> own = listening_ports(getpid());
    require(own.size() == 1, "one port");
    board.places[self.rank()] = std::uint64_t{own[0].address} << 16 | own[0].port;
    self.until([&] { return board.done.load(); }, "the stranger");
    require(memory == std::vector<std::uint64_t>(1024, planted), "the memory as it was");
    require(self.client().arrived() == 0, "nothing of the stranger's");
    require(self.wire().refused() >= 40, "the stranger's messages counted");
    self.meet();
    const auto number = self.submit(self.to(1 - self.rank(), TransactionKind::cq_write), {});
    self.until([&] { return self.client().post(number).ended; }, "a response");
    require(self.client().post(number).status == ugni::ResponseStatus::ok, "its status");
  });
  kill(stranger, SIGKILL);
  waitpid(stranger, nullptr, 0);
  EXPECT_FALSE(board.has_read);
  EXPECT_FALSE(board.failed);
  munmap(&board, sizeof board);
}

/// Without a network nobody has to listen.
TEST(Ports, NobodyListensWithinAHost) {
  for (const char* provider : {"auto", "shm"}) {
    run({{0, 1}, {0, 0}, provider, "none"}, [](Rank& self) {
      self.attach_own_domain();
      const auto number = self.submit(self.to(1 - self.rank(), TransactionKind::cq_write), {});
      self.until([&] { return self.client().post(number).ended; }, "a response");
      require(listening_ports(getpid()).empty(), "a port");
    });
  }
}

/// Nor for other hosts, where all ranks are on one.
TEST(Ports, OneHostsAreReachedFromThatHostOnly) {
  run({{0, 1}, {0, 0}, "tcp;ofi_rxm", "none"}, [](Rank&) {
    const std::vector<Listener> own = listening_ports(getpid());
    require(own.size() == 1 && own[0].loopback, "one port, of loopback");
  });
}

}  // namespace
}  // namespace wire_test
