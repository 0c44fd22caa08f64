// The least of a machine that a program's ranks need: threads with a clock, one after another.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "corespec/threads/node.h"
#include "corespec/threads/process.h"
#include "corespec/threads/thread.h"
#include "launch/libc/launcher_end.h"
#include "tests/support/plain_job.h"

namespace launch_test {

/// A node without anything: programs that call no library do not use it.
class FakeNode final : public corespec::Node {
 public:
  int nid() const override { return 0; }
  corespec::EventDomain& domain() override { unused(); }
  corespec::EventSource& source() override { unused(); }
  const corespec::Parameters& parameters() const override { unused(); }
  corespec::NodeMemory& memory() override { unused(); }
  corespec::Thread& start_thread(corespec::ThreadRole, corespec::Process*,
                                 std::function<void()>) override {
    unused();
  }
  void join(corespec::Thread&) override { unused(); }
  std::unique_ptr<corespec::Mutex> make_mutex() override { unused(); }
  void raise_interrupt() override { unused(); }
  void wake_waiter(const corespec::InterruptWaiter&) override { unused(); }
  corespec::NodeStatistics statistics() const override { return {}; }
  int interrupt_cpu() const override { return 0; }
  std::string placement_text() const override { return {}; }

 private:
  [[noreturn]] static void unused() { launch::abort_launcher(); }
};

/// abort() prints its line and ends the launcher.
class FakeJob final : public castor_test::PlainJob {
 public:
  using PlainJob::PlainJob;
  [[noreturn]] void abort(corespec::Process& caller, int code, std::string_view why) override {
    report(caller, why);
    launch::exit_launcher_early(code);
  }
  void report(corespec::Process& caller, std::string_view line) override {
    std::fprintf(stderr, "rank %d: %.*s\n", caller.rank(), static_cast<int>(line.size()),
                 line.data());
  }
};

/// A thread whose clock moves only when it sleeps or works; `pause` lets others run.
class FakeThread final : public corespec::Thread {
 public:
  FakeThread(corespec::Node& node, corespec::Process& process, std::function<void()> pause)
      : Thread(node, &process, corespec::ThreadRole::application), pause_(std::move(pause)) {}
  void sync() override { now_ += take_pending(); }
  corespec::Time now() override {
    sync();
    return now_;
  }
  void spin(const corespec::Signal&, std::uint64_t, corespec::Time, corespec::Mutex*,
            bool) override {}
  bool wait_interrupt(const corespec::InterruptWaiter&, corespec::Time) override { return false; }
  void sleep_until(corespec::Time wake_up) override {
    now_ = wake_up;
    pause_();
  }
  void yield() override { pause_(); }
  bool use_service_cpus() override { return false; }
  corespec::Time own_time() const override { return now_ + pending(); }
  std::uint32_t number() const override { return 0; }
  corespec::Time cpu_time() const override { return work_; }
  corespec::Time stolen_time() const override { return {}; }
  int cpu() const override { return 0; }
  void work(corespec::Time duration) {
    charge(duration);
    work_ += duration;
  }

 private:
  std::function<void()> pause_;
  corespec::Time now_;
  corespec::Time work_;
};

}  // namespace launch_test
