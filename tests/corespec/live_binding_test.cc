// Where the kernel runs live threads: binding, guests on other CPUs, short turns.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "tests/corespec/live_rig.h"

namespace castor_test {
namespace {

using corespec::Thread;
using corespec::ThreadRole;

/// In a child: binding is for good.
void check_binding(int ranks, int service_cpus) {
  const pid_t child = in_child([&] {
    LiveRig rig(ranks, service_cpus);
    const corespec::HostPlacement& placement = rig.node.placement();
    Thread& main = rig.node.adopt_main_thread(rig.process);
    EXPECT_EQ(affinity_of(), placement.rank_cpus[0]);
    rig.node.join(rig.start(
        [&] {
          EXPECT_EQ(affinity_of(), placement.progress_cpus);
          Thread& self = corespec::this_thread();
          EXPECT_EQ(self.use_service_cpus(), !placement.service_cpus.empty());
          EXPECT_EQ(affinity_of(), placement.service_cpus.empty() ? placement.progress_cpus
                                                                  : placement.service_cpus);
        },
        ThreadRole::progress));
    std::vector<int> nic;
    std::atomic<bool> seen{false};
    rig.wire.on_arrival = [&] {
      nic = affinity_of();
      seen = true;
    };
    rig.wire.send();
    until([&] { return seen.load(); });
    EXPECT_EQ(nic, placement.nic_cpus);
    const auto& own = placement.rank_cpus[0];
    EXPECT_NE(std::find(own.begin(), own.end(), main.cpu()), own.end());
    // One that the program starts inherits what it inherits.
    std::thread([&] {
      corespec::this_thread();
      EXPECT_EQ(affinity_of(), placement.rank_cpus[0]);
    }).join();
    rig.wire.on_arrival = nullptr;
  });
  EXPECT_EQ(wait_for(child), 0);
}

TEST(LivePlacementTest, TheKernelSaysThatThreadsRunWhereTheyShould) {
  check_binding(1, 0);
  check_binding(1, 1);
  check_binding(2, 1);
  check_binding(3, 0);
}

/// On a node whose every CPU is a rank's. In a child: binding is for good.
void check_guest() {
  const int cpus = static_cast<int>(corespec::HostCpus::allowed().size());
  LiveRig rig(cpus);
  const int home = rig.node.placement().progress_cpus.front();
  const auto& ranks = rig.node.placement().rank_cpus;
  const auto other = std::find_if(ranks.begin(), ranks.end(),
                                  [home](const auto& own) { return own.front() != home; });
  ASSERT_NE(other, ranks.end());
  const int elsewhere = other->front();
  rig.wire.has_word = true;
  Flag flag(rig.domain);
  std::atomic<int> waits{0};
  std::atomic<int> ran_on{-1};
  Thread& thread = rig.start(
      [&] {
        for (int i = 0; i < 3; ++i) {
          corespec::this_thread().wait_interrupt(flag, Time::max());
          flag.set(false);
          ran_on = sched_getcpu();
          ++waits;
        }
      },
      ThreadRole::progress);
  const auto asleep_on = [&](int cpu) {
    until([&] { return rig.wire.armed() && rig.wire.guest().cpu == cpu; });
    EXPECT_EQ(rig.wire.guest().home, home);
  };
  const auto wake = [&](int count) {
    flag.set();
    rig.node.raise_interrupt();
    until([&] { return waits == count; });
  };
  asleep_on(home);
  const int id = rig.wire.guest().thread;
  EXPECT_NE(id, 0);
  EXPECT_NE(id, corespec::OsThread::caller_id());
  wake(1);
  EXPECT_EQ(ran_on, home);
  // A peer lends its CPU, and wakes it.
  asleep_on(home);
  flag.set();
  EXPECT_TRUE(corespec::OsThread::bind(id, elsewhere));
  rig.wire.send();
  until([&] { return waits == 2; });
  EXPECT_EQ(ran_on, elsewhere);
  // Its own process wakes it at home.
  asleep_on(elsewhere);
  wake(3);
  EXPECT_EQ(ran_on, home);
  rig.node.join(thread);
}

TEST(LivePlacementTest, AGuestRunsWhereItIsWokenAndGoesHome) {
  if (!corespec::futex::waits_for_either()) GTEST_SKIP() << "the kernel has no futex_waitv()";
  if (corespec::HostCpus::allowed().size() < 2) GTEST_SKIP() << "needs two CPUs";
  EXPECT_EQ(wait_for(in_child(check_guest)), 0);
}

TEST(LivePlacementTest, AThreadWithACpuOfItsOwnIsNoGuest) {
  if (!corespec::futex::waits_for_either()) GTEST_SKIP() << "the kernel has no futex_waitv()";
  if (corespec::HostCpus::allowed().size() < 2) GTEST_SKIP() << "needs two CPUs";
  EXPECT_EQ(wait_for(in_child([] {
              LiveRig rig(1);
              rig.wire.has_word = true;
              Flag flag(rig.domain);
              Thread& thread =
                  rig.start([&] { corespec::this_thread().wait_interrupt(flag, Time::max()); },
                            ThreadRole::progress);
              until([&] { return flag.looks >= 1 && rig.wire.armed(); });
              EXPECT_EQ(rig.wire.guest().thread, 0);
              flag.set();
              rig.node.raise_interrupt();
              rig.node.join(thread);
            })),
            0);
}

TEST(LiveThreadTest, TheLibrarysThreadsTakeShortTurns) {
  struct {
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
  } attributes{};
  const auto slice = [&](ThreadRole role, LiveRig& rig) {
    rig.node.join(rig.start(
        [&] { EXPECT_EQ(syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0), 0); },
        role));
    return attributes.runtime;
  };
  LiveRig rig;
  const std::uint64_t usual = slice(ThreadRole::application, rig);
  if (usual == 0) GTEST_SKIP() << "the kernel knows no slices of threads";
  EXPECT_EQ(slice(ThreadRole::progress, rig), std::min<std::uint64_t>(usual, 100'000));
  EXPECT_EQ(slice(ThreadRole::helper, rig), std::min<std::uint64_t>(usual, 100'000));
  EXPECT_EQ(slice(ThreadRole::application, rig), usual);
}

}  // namespace
}  // namespace castor_test
