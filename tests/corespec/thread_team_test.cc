// A rank's team of threads, at exact virtual times.
#include "corespec/threads/thread_team.h"

#include "tests/corespec/threads_rig.h"

namespace corespec {
namespace {

/// Body of a region: thread i works (i + 1) x 10 us.
struct Region {
  int runs[4] = {};
  int cpus[4] = {-1, -1, -1, -1};
  static void body(void* self, int thread) {
    auto& region = *static_cast<Region*>(self);
    ++region.runs[thread];
    charge(us(10 * (thread + 1)));
    this_thread().sync();
    region.cpus[thread] = this_thread().cpu();
  }
};

class ThreadTeamTest : public ThreadsTest {
 protected:
  void build_team(int service, const Parameters& parameters = Parameters()) {
    PlacementRequest request;
    request.ranks_per_node = 1;
    request.depth = 4 - service;
    request.binding = PlacementRequest::Binding::depth;
    request.service_cpus = service;
    build(request, parameters);
  }
};

TEST_F(ThreadTeamTest, RegionsRunOnAllThreadsAndEndWithTheLast) {
  build_team(0);
  Region region;
  Time first;
  Time second;
  start(0, [&] {
    ThreadTeam team(4);
    team.run(&Region::body, &region);
    first = this_thread().now();
    team.run(&Region::body, &region);
    second = this_thread().now();
  });
  EXPECT_FALSE(machine->run().deadlock);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(region.runs[i], 2);
    EXPECT_EQ(region.cpus[i], i);
  }
  // A cache line (100 ns) to the others, 40 us, the caller's next poll (50 ns), a line back; in the
  // second region the others, too, come from a poll.
  EXPECT_EQ(first, ns(100 + 40000 + 50 + 100));
  EXPECT_EQ(second, first + ns(50 + 100 + 40000 + 50 + 100));
}

TEST_F(ThreadTeamTest, EachTeamHasTheCpusOfTheOneBefore) {
  build_team(0);
  Time took[4];
  start(0, [&] {
    for (Time& time : took) {
      Region region;
      ThreadTeam team(2);
      const Time begin = this_thread().now();
      team.run(&Region::body, &region);
      time = this_thread().now() - begin;
      EXPECT_EQ(region.cpus[0], 0);
      EXPECT_EQ(region.cpus[1], 1);
    }
  });
  EXPECT_FALSE(machine->run().deadlock);
  for (const Time& time : took) EXPECT_EQ(time, took[0]);
}

TEST_F(ThreadTeamTest, ATeamOfOneIsTheCallerAndCostsNothing) {
  build_team(0);
  Region region;
  Time done;
  start(0, [&] {
    ThreadTeam team(1);
    team.run(&Region::body, &region);
    done = this_thread().now();
  });
  EXPECT_FALSE(machine->run().deadlock);
  EXPECT_EQ(region.runs[0], 1);
  EXPECT_EQ(done, us(10));
}

TEST_F(ThreadTeamTest, AnInterruptedThreadHoldsUpItsTeam) {
  for (const int service : {0, 1}) {
    ranks.clear();
    build_team(service);
    const int threads = 4 - service;
    Queue queue;
    Time done;
    start(0, [&] {
      ThreadTeam team(threads);
      this_thread().sleep_until(us(50));
      team.run([](void*, int) { charge(us(40)); }, nullptr);
      done = this_thread().now();
    });
    start_progress(0, [&] {
      this_thread().wait_interrupt(queue, Time::max());
      charge(us(2));
    });
    Device device(*node, us(60), &queue);
    EXPECT_FALSE(machine->run().deadlock);
    const Time alone = us(50 + 1.5 + 40 + 0.1);
    if (service == 1) {
      EXPECT_LT(done, alone + us(0.5));
    } else {  // handler, wake-up, work, switch, cache: on one of the team's CPUs
      EXPECT_GT(done, alone + us(8));
    }
  }
}

}  // namespace
}  // namespace corespec
