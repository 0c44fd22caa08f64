// Where RunControl serves what is asked of a run, and where it does not: the rank's thread, or the
// courier's, is interrupted while it holds what the client needs.
#include "launch/virtual_run/run_control.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <new>
#include <string>

#include "corespec/threads/thread.h"
#include "launch/virtual_run/host_timer.h"
#include "launch/workers/shared_rounds.h"
#include "tests/launch/on_threads.h"
#include "tests/support/virtual_job.h"

namespace {

using corespec::Time;
using launch::RunControl;

/// As if another process had sent it.
void send_from_outside(int number) {
  siginfo_t info{};
  info.si_signo = number;
  info.si_code = SI_USER;
  info.si_pid = getppid();
  syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), number, &info);
  std::atomic<int> here = 0;
  ++here;  // where a thread sanitizer delivers signals
}

/// Signals of the timer, more than it sends in two seconds.
void tick_often() {
  for (int i = 0; i < 150; ++i) raise(launch::HostTimer::signal_of(0));
}

void sleep_on_host() {
  constexpr timespec pause{0, 5'000'000};
  syscall(SYS_nanosleep, &pause, nullptr);
}

/// What the test and a copy of it both see.
struct Seen {
  std::atomic<int> shown = 0;
  std::atomic<int> shown_in_copy = 0;
  std::atomic<int> most_at_once = 0;
  std::atomic<int> shown_while_locked = 0;
  std::atomic<bool> copy_has_ended = false;
};
class SeenByBoth {
 public:
  SeenByBoth()
      : seen_(new (mmap(nullptr, sizeof(Seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                        -1, 0)) Seen) {}
  ~SeenByBoth() { munmap(seen_, sizeof(Seen)); }
  SeenByBoth(const SeenByBoth&) = delete;
  SeenByBoth& operator=(const SeenByBoth&) = delete;
  Seen* operator->() const { return seen_; }

 private:
  Seen* seen_;
};

class Client final : public launch::RunControlClient {
 public:
  SeenByBoth seen;
  /// Held by what the signals interrupt: as with a lock that is not recursive, who needs it then
  /// waits for ever.
  volatile bool locked = false;
  bool needs_lock = false;
  std::function<void()> while_shown;

  void interrupted() override {}
  void show_state() override { tell("state"); }
  void rank_waits_outside() override {}
  void show_progress(double) override {}
  bool say_end_by_signal(int) override {
    tell("signal");
    return true;
  }
  void say_end_by_limit() override { tell("limit"); }
  void is_copy(bool) override { is_copy_ = true; }
  void copy_has_ended() override { seen->copy_has_ended = true; }

 private:
  void tell(const char* what) {
    if (!is_copy_ && locked) ++seen->shown_while_locked;
    while (is_copy_ && needs_lock && locked) sleep_on_host();
    ++at_once_;
    if (at_once_ > seen->most_at_once) seen->most_at_once = at_once_;
    ++(is_copy_ ? seen->shown_in_copy : seen->shown);
    if (while_shown) while_shown();
    const std::string line = std::string("client: ") + what + "\n";
    std::fputs(line.c_str(), stderr);
    --at_once_;
  }
  bool is_copy_ = false;
  int at_once_ = 0;
};

/// Rank 1 does something, and then calls.
void run_controlled(Client& client, const std::function<void()>& rank,
                    RunControl::Settings settings = {},
                    launch::JobRequest request = castor_test::small_job(2)) {
  launch::VirtualRun run(request);
  run.start([&](corespec::Process& process) {
    if (process.rank() == 1) rank();
    const corespec::LibraryCall call;
    corespec::this_thread().sleep_until(Time::microseconds(100));
    return 0;
  });
  RunControl control(run, client, settings);
  EXPECT_EQ(control.run().end, corespec::Engine::End::nothing_left);
}

TEST(RunControl, ServesBetweenTurnsAndNotWhereALockMayBeHeld) {
  Client client;
  run_controlled(client, [&] {
    client.locked = true;
    send_from_outside(SIGQUIT);
    tick_often();
    client.locked = false;
    EXPECT_EQ(client.seen->shown, 0);
  });
  EXPECT_EQ(client.seen->shown_while_locked, 0);
  EXPECT_EQ(client.seen->shown, 1);
  EXPECT_EQ(client.seen->shown_in_copy, 0);
}

TEST(RunControl, ServesOneRequestAfterTheOther) {
  Client client;
  client.while_shown = [&] {
    if (client.seen->shown < 3) send_from_outside(SIGQUIT);
    tick_often();
  };
  run_controlled(client, [] { send_from_outside(SIGQUIT); });
  EXPECT_EQ(client.seen->shown, 3);
  EXPECT_EQ(client.seen->most_at_once, 1);
}

// ---- Beside other hosts

/// A courier to no host: signals come while it is in the transport.
class InterruptedCourier final : public launch::SharedRounds::Courier {
 public:
  explicit InterruptedCourier(Client& client) : client_(client) {}
  enum class When { in_run, after_run };
  When when = When::in_run;
  int carried = 0;

  /// The engine has a flag of its own.
  bool carry(std::uint32_t, const std::atomic<bool>& stopped) override {
    if (++carried == 1) of_engine_ = &stopped;
    const bool now = when == When::in_run ? carried == 3 : &stopped != of_engine_;
    if (!now || was_interrupted_) return true;
    was_interrupted_ = true;
    client_.locked = true;
    send_from_outside(SIGQUIT);
    tick_often();
    client_.locked = false;
    if (when == When::in_run) return !stopped;
    RunControl::serve_asked();
    return true;
  }

 private:
  Client& client_;
  const std::atomic<bool>* of_engine_ = nullptr;
  bool was_interrupted_ = false;
};

class WithOtherHosts : public testing::Test {
 protected:
  void run() {
    rounds_.set_courier(courier, {0, 1});
    launch::JobRequest request = castor_test::small_job(2);
    request.part = {0, 1, &rounds_, &rounds_};
    run_controlled(
        client, [] {}, {}, request);
    EXPECT_GT(courier.carried, 3);
    EXPECT_EQ(client.seen->shown_while_locked, 0);
    EXPECT_EQ(client.seen->shown, 1);
  }
  Client client;
  InterruptedCourier courier{client};

 private:
  launch::SharedRoundsMemory memory_{1, launch_test::addresses};
  launch::SharedRounds rounds_{memory_, 0, 1, [] {}};
};

TEST_F(WithOtherHosts, NothingIsServedInsideTheTransport) { run(); }

TEST_F(WithOtherHosts, AWaitAfterTheRunServes) {
  courier.when = InterruptedCourier::When::after_run;
  run();
}

// ---- In a copy

TEST(RunControl, ServesInACopyWhereARankIsBlocked) {
  Client client;
  run_controlled(client, [&] {
    client.locked = true;
    send_from_outside(SIGQUIT);
    while (client.seen->shown_in_copy + client.seen->shown == 0) sleep_on_host();
    client.locked = false;
  });
  EXPECT_EQ(client.seen->shown_in_copy, 1);
  EXPECT_EQ(client.seen->shown, 0);
  EXPECT_TRUE(client.seen->copy_has_ended);
}

TEST(RunControl, GoesOnWhereACopyHangs) {
  Client client;
  client.needs_lock = true;
  testing::internal::CaptureStderr();
  run_controlled(client,
                 [&] {
                   client.locked = true;
                   send_from_outside(SIGQUIT);
                   while (!client.seen->copy_has_ended) sleep_on_host();
                   client.locked = false;
                 },
                 {.copy_ns = 50'000'000});
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "aprun: SIGQUIT: what the ranks are doing could not be found out\n");
  EXPECT_EQ(client.seen->shown_in_copy + client.seen->shown, 0);
}

/// A rank that holds what the client needs, or may need, for ever.
void run_to_its_end(int number, bool needs_lock) {
  Client client;
  client.needs_lock = needs_lock;
  const double limit_s = number == 0 ? 1e-9 : 0;
  run_controlled(client,
                 [&] {
                   client.locked = true;
                   if (number != 0) send_from_outside(number);
                   raise(launch::HostTimer::signal_of(0));
                   while (!client.seen->copy_has_ended) sleep_on_host();  // for ever
                 },
                 {.limit_s = limit_s, .copy_ns = needs_lock ? 50'000'000 : 20'000'000'000});
}

constexpr int limit = 0;

TEST(RunControlDeathTest, ALimitEndsARunWhoseRankHoldsALock) {
  EXPECT_EXIT(run_to_its_end(limit, false), testing::ExitedWithCode(124), "^client: limit\n$");
  EXPECT_EXIT(run_to_its_end(limit, true), testing::ExitedWithCode(124),
              "^aprun: the run has been ended; what the ranks are doing could not be found out\n$");
}

TEST(RunControlDeathTest, ASignalEndsARunWhoseRankHoldsALock) {
  EXPECT_EXIT(run_to_its_end(SIGTERM, false), testing::KilledBySignal(SIGTERM),
              "^client: signal\n$");
  EXPECT_EXIT(run_to_its_end(SIGTERM, true), testing::KilledBySignal(SIGTERM),
              "^aprun: the run has been ended; what the ranks are doing could not be found out\n$");
}

}  // namespace
