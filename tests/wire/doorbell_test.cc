// The doorbell by itself: who is rung, by what, and where a guest wakes up.
#include "ugni_emu/fabric/host/doorbell.h"

#include <grp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "corespec/host/os_thread.h"
#include "tests/corespec/live_rig.h"

namespace castor_test {
namespace {

using corespec::HostCpus;
using corespec::OsThread;
using corespec::Thread;
using corespec::ThreadRole;
using ugni::fabric::Doorbell;

/// Two processes' doorbells; this one rings as the first.
struct Bells {
  Bells() {
    own.meet({own.card(), peer.card()}, flags.data(), 0);
    peer.meet({own.card(), peer.card()}, flags.data(), 1);
  }
  std::array<Doorbell::Flag, 2> flags;
  Doorbell own;
  Doorbell peer;
};

bool readable(int descriptor) {
  pollfd wanted{descriptor, POLLIN, 0};
  return poll(&wanted, 1, 0) == 1;
}

TEST(DoorbellTest, WhoIsAwakeIsNotRung) {
  Bells bells;
  EXPECT_TRUE(bells.own.ring(1));
  EXPECT_FALSE(readable(bells.peer.wait_descriptor()));
  EXPECT_EQ(bells.peer.word()->load(), 0U);
}

TEST(DoorbellTest, ASleeperIsRungOnceByWhatItSleepsOn) {
  Bells bells;
  bells.peer.arm(false);
  EXPECT_TRUE(bells.own.ring(1));
  EXPECT_TRUE(bells.own.ring(1));
  EXPECT_TRUE(readable(bells.peer.wait_descriptor()));
  EXPECT_EQ(bells.peer.word()->load(), 0U);
  bells.peer.disarm();
  bells.peer.take_rings();
  EXPECT_EQ(bells.peer.rung(), 1U);
  EXPECT_FALSE(readable(bells.peer.wait_descriptor()));

  bells.peer.arm(true);
  EXPECT_TRUE(bells.own.ring(1));
  EXPECT_TRUE(bells.own.ring(1));
  EXPECT_EQ(bells.peer.word()->load(), 1U);
  EXPECT_FALSE(readable(bells.peer.wait_descriptor()));
}

/// Sends to the socket that everybody can find in /proc/net/unix.
bool send_to(const Doorbell::Card& card, std::span<const std::byte> datagram) {
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, card.name, card.name_size);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + card.name_size);
  const bool sent = sendto(socket, datagram.data(), datagram.size(), 0,
                           reinterpret_cast<const sockaddr*>(&name), size) >= 0;
  close(socket);
  return sent;
}

/// As another user where that can be had.
TEST(DoorbellTest, StrangersDoNotWakeIt) {
  Bells bells;
  bells.peer.arm(false);
  const Doorbell::Card card = bells.peer.card();
  EXPECT_EQ(
      wait_for(in_child([&] {
        constexpr uid_t nobody = 65534;
        if (geteuid() == 0) {
          EXPECT_TRUE(setgroups(0, nullptr) == 0 && setgid(nobody) == 0 && setuid(nobody) == 0);
        }
        std::array<std::byte, 64> guess{};
        for (const std::size_t size : {0, 1, 15, 16, 64}) {
          EXPECT_TRUE(send_to(card, std::span(guess).first(size)));
        }
        std::memcpy(guess.data(), card.secret, sizeof card.secret);
        for (std::size_t i = 0; i < sizeof card.secret; ++i) {  // almost
          guess[i] ^= std::byte{1};
          EXPECT_TRUE(send_to(card, std::span(guess).first(sizeof card.secret)));
          guess[i] ^= std::byte{1};
        }
      })),
      0);
  EXPECT_FALSE(readable(bells.peer.wait_descriptor()));
  EXPECT_TRUE(bells.own.ring(1));
  EXPECT_TRUE(readable(bells.peer.wait_descriptor()));
  bells.peer.take_rings();
  EXPECT_EQ(bells.peer.rung(), 1U);
}

TEST(DoorbellTest, WhoPollsSaysSoToOthers) {
  Bells bells;
  EXPECT_FALSE(bells.own.polls(1));
  bells.peer.disarm();
  EXPECT_TRUE(bells.own.polls(1));
  bells.peer.arm(true);
  EXPECT_FALSE(bells.own.polls(1));
}

TEST(DoorbellTest, ARingAtAPeerThatIsGoneFails) {
  std::array<Doorbell::Flag, 2> flags;
  Doorbell own;
  Doorbell::Card gone;
  {
    Doorbell peer;
    gone = peer.card();
    peer.meet({own.card(), gone}, flags.data(), 1);
    peer.arm(false);
  }
  own.meet({own.card(), gone}, flags.data(), 0);
  EXPECT_FALSE(own.ring(1));
}

/// A thread of the peer that sleeps as its NIC's, on its doorbell's word; it stays to be asked.
class Sleeper {
 public:
  explicit Sleeper(Doorbell& bell) : bell_(bell), seen_(bell.word()->load()) {
    thread_ = std::thread([this] {
      id_ = OsThread::caller_id();
      while (bell_.word()->load() == seen_) {
        corespec::futex::wait(*bell_.word(), seen_, corespec::futex::Scope::shared);
      }
      until([this] { return asked_.load(); });
    });
    until([this] { return id_ != 0; });
  }
  ~Sleeper() {
    asked_ = true;
    thread_.join();
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  int id() const { return id_; }

 private:
  Doorbell& bell_;
  std::uint32_t seen_;
  std::atomic<int> id_{0};
  std::atomic<bool> asked_{false};
  std::thread thread_;
};

/// Where the peer's thread may run once the caller has rung: a guest from `home` that lay on `cpu`.
std::vector<int> rung_onto(Bells& bells, int cpu, int home) {
  const Sleeper sleeper(bells.peer);
  EXPECT_TRUE(OsThread::bind(sleeper.id(), cpu));
  bells.peer.set_sleeper(
      {sleeper.id(), static_cast<std::int16_t>(cpu), static_cast<std::int16_t>(home)});
  bells.peer.arm(true);
  EXPECT_TRUE(bells.own.ring(1));
  return affinity_of(sleeper.id());
}

/// Runs body(home, elsewhere) on CPU `elsewhere` of a child's, since binding is for good.
template <typename Body>
void on_two_cpus(Body body) {
  const std::vector<int> cpus = HostCpus::allowed();
  if (cpus.size() < 2) GTEST_SKIP() << "needs two CPUs";
  EXPECT_EQ(wait_for(in_child([&] {
              EXPECT_TRUE(OsThread::bind_caller({cpus[1]}));
              body(cpus[0], cpus[1]);
            })),
            0);
}

TEST(DoorbellTest, AProcessThatPollsLendsItsGuestItsCpu) {
  on_two_cpus([](int home, int elsewhere) {
    Bells bells;
    bells.own.disarm();
    EXPECT_EQ(rung_onto(bells, home, home), std::vector<int>{elsewhere});
    bells.own.arm(true);
    EXPECT_EQ(rung_onto(bells, elsewhere, home), std::vector<int>{home});
  });
}

TEST(DoorbellTest, WhoIsNoGuestIsLeftWhereItIs) {
  on_two_cpus([](int home, int) {
    Bells bells;
    bells.own.disarm();
    const Sleeper sleeper(bells.peer);
    EXPECT_TRUE(OsThread::bind(sleeper.id(), home));
    bells.peer.set_sleeper({});
    bells.peer.arm(true);
    EXPECT_TRUE(bells.own.ring(1));
    EXPECT_EQ(affinity_of(sleeper.id()), std::vector<int>{home});
  });
}

TEST(DoorbellTest, AThreadThatComputesBesideOneThatPollsLendsNothing) {
  on_two_cpus([](int home, int elsewhere) {
    LiveRig rig;
    Bells bells;
    bells.own.disarm();
    const auto rung_by = [&](ThreadRole role, bool waits) {
      std::vector<int> allowed;
      Thread& thread = rig.start(
          [&] {
            EXPECT_TRUE(OsThread::bind_caller({elsewhere}));
            std::optional<corespec::WaitAhead> ahead;
            if (waits) ahead.emplace(corespec::this_thread());
            allowed = rung_onto(bells, home, home);
          },
          role);
      rig.node.join(thread);
      return allowed;
    };
    EXPECT_EQ(rung_by(ThreadRole::application, false), std::vector<int>{home});
    EXPECT_EQ(rung_by(ThreadRole::application, true), std::vector<int>{elsewhere});
    EXPECT_EQ(rung_by(ThreadRole::progress, false), std::vector<int>{elsewhere});
  });
}

}  // namespace
}  // namespace castor_test
