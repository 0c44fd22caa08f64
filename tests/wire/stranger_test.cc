// Another user's process at a job's network: it is not let in, whatever it says, and stops nobody.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>

#include "tests/wire/job_of_processes.h"
#include "tests/wire/listening_ports.h"
#include "tests/wire/raw_stranger.h"
#include "ugni_emu/fabric/libfabric/libfabric_transport.h"

namespace wire_test {
namespace {

using ugni::TransactionKind;
using ugni::fabric::Buffer;
using ugni::fabric::LibfabricTransport;
using ugni::fabric::MessageKind;
using ugni::fabric::Outcome;
using ugni::fabric::RequestMessage;

constexpr int nobody = 65534;
constexpr std::uint64_t planted = 0x5345435245544B45;

/// What the ranks and the stranger tell each other.
struct Board {
  std::atomic<std::uint64_t> places[2];  ///< address and port; 0: not known yet
  std::atomic<bool> done;
  std::atomic<bool> has_read;  ///< the stranger: something of a rank's memory
  std::atomic<bool> answered;  ///< the stranger's request for a connection
  std::atomic<bool> failed;
};

Board& make_board() {
  void* const memory =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return *new (memory) Board{};
}

/// One connection to a rank's port.
class Attack final : ugni::fabric::TransportClient {
 public:
  explicit Attack(std::uint64_t place) : transport_({"tcp;ofi_rxm", "", true, 4}) {
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port = htons(static_cast<std::uint16_t>(place));
    there.sin_addr.s_addr = static_cast<std::uint32_t>(place >> 16);
    std::vector<std::byte> address = transport_.address();  // with a guess at the secret: its own
    std::memcpy(address.data(), &there, sizeof there);
    victim_ = transport_.add(address, 0);
  }

  /// A message as from a rank; what becomes of it the victim says.
  void send_forgery() {
    RequestMessage request;
    request.head = {MessageKind::request, RequestMessage::last, 0, 0};
    request.number = 1;
    request.transaction.kind = TransactionKind::cq_write;
    Buffer& buffer = transport_.take();
    ugni::fabric::put_fixed(buffer.bytes, request);
    buffer.size = sizeof request;
    for (int i = 0; i < tries; ++i) {
      if (transport_.send(victim_, buffer) != Outcome::again) break;
      transport_.poll(*this);
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
      outcome = writes ? transport_.write(victim_, bytes, {offset, key}, movement)
                       : transport_.read(victim_, bytes, {offset, key}, movement);
      look();
    }
    for (int i = 0; i < tries && outcome == Outcome::done && !ended_; ++i) look();
    return !writes && ended_ && well_;
  }

 private:
  static constexpr int tries = 500;
  void look() {
    if (!transport_.poll(*this)) usleep(100);
  }
  void received(std::span<const std::byte>, std::uint64_t) override {}
  void movement_ended(ugni::fabric::Movement&, bool well) override {
    ended_ = true;
    well_ = well;
  }
  void send_failed(int) override {}

  LibfabricTransport transport_;
  LibfabricTransport::Address victim_ = 0;
  bool ended_ = false;
  bool well_ = false;
};

/// Runs `act` in another user's process, where that can be had, once the ranks listen.
class Stranger {
 public:
  Stranger(Board& board, const std::function<void()>& act) : board_(board), process_(fork()) {
    if (process_ != 0) return;
    alarm(60);
    try {
      if (geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) {
        throw std::runtime_error("cannot become another user");
      }
      for (const auto& place : board.places) {
        while (place == 0) usleep(1000);
      }
      act();
    } catch (const std::exception& error) {
      std::fputs(error.what(), stderr);
      board.failed = true;
    }
    board.done = true;
    std::fflush(nullptr);
    while (true) pause();  // what it has, it keeps
  }
  ~Stranger() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    EXPECT_GE(process_, 0);
    EXPECT_FALSE(board_.failed);
  }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

 private:
  Board& board_;
  pid_t process_;
};

class Strangers : public testing::TestWithParam<Arrangement> {
 protected:
  ~Strangers() override { munmap(&board_, sizeof board_); }
  ListeningPlace place(int rank) const {
    const std::uint64_t place = board_.places[rank];
    return {static_cast<std::uint32_t>(place >> 16), static_cast<std::uint16_t>(place)};
  }
  /// Both ranks have exchanged something, wait for the stranger, and go on.
  void run_beside(const std::function<void(Rank&)>& afterwards) {
    run(GetParam(), [&](Rank& self) {
      self.attach_own_domain();
      exchange(self);
      const std::vector<Listener> own = listening_ports(getpid());
      require(own.size() == 1, "one port");
      board_.places[self.rank()] = std::uint64_t{own[0].address} << 16 | own[0].port;
      self.until([&] { return board_.done.load(); }, "the stranger");
      afterwards(self);
      exchange(self);
    });
  }
  static void exchange(Rank& self) {
    self.meet();
    for (int i = 0; i < 20; ++i) {
      const auto number = self.submit(self.to(1 - self.rank(), TransactionKind::cq_write), {});
      self.until([&] { return self.client().post(number).ended; }, "a response");
      require(self.client().post(number).status == ugni::ResponseStatus::ok, "its status");
    }
    self.meet();
  }

  Board& board_ = make_board();
};

INSTANTIATE_TEST_SUITE_P(, Strangers,
                         testing::Values(Arrangement{{0, 1}, {0, 0}, "tcp;ofi_rxm", "none"},
                                         Arrangement{{0, 1}, {0, 1}, "auto", "none"}),
                         [](const auto& each) {
                           return each.param.host[1] == 0 ? "Tcp" : "TwoHosts";
                         });

TEST_P(Strangers, ReadNothingAndEndNobody) {
  const Stranger stranger(board_, [&] {
    for (const auto& place : board_.places) {
      Attack(place).send_forgery();
      for (const bool writes : {true, false}) {
        if (Attack(place).reads(1, 0, writes)) board_.has_read = true;
      }
    }
  });
  std::vector<std::uint64_t> memory(1024, planted);
  run_beside([&](Rank& self) {
    require(memory == std::vector<std::uint64_t>(1024, planted), "the memory as it was");
    require(self.client().arrived() == 20, "nothing of the stranger's");
    require(self.wire().refused() >= 2, "the stranger's connections counted");
  });
  EXPECT_FALSE(board_.has_read);
}

/// Who is taken for a rank is sent what is that rank's, its secret with it.
TEST_P(Strangers, AreNotTakenForRanks) {
  const Stranger stranger(board_, [&] {
    const RawStranger raw;
    for (const int rank : {0, 1}) {
      if (raw.passes_for(place(1 - rank), place(rank))) board_.answered = true;
    }
  });
  run_beside([](Rank&) {});
  EXPECT_FALSE(board_.answered);
}

TEST_P(Strangers, HoldNothingUpByRubbish) {
  const Stranger stranger(board_, [&] {
    rlimit descriptors{};
    getrlimit(RLIMIT_NOFILE, &descriptors);
    descriptors.rlim_cur = descriptors.rlim_max;
    setrlimit(RLIMIT_NOFILE, &descriptors);
    const RawStranger raw;
    for (const int rank : {0, 1}) raw.flood(place(rank), 750);
  });
  run_beside([](Rank&) {});
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
