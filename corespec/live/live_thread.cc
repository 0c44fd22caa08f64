// Polling, sleeping and waiting of a live thread.
#include "corespec/live/live_thread.h"

#include <fmt/format.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "corespec/live/live_mutex.h"
#include "corespec/live/live_node.h"
#include "corespec/threads/current_thread.h"
#include "corespec/threads/observed_thread.h"

namespace corespec {
namespace {

// A polling thread's rest, at most: not all that it waits for wakes it. The longer it has waited,
// the longer it rests.
constexpr Time first_rest = Time::picoseconds(50'000'000);
constexpr int longest_rest = 20;  // in units of the first
constexpr int rests_before_longer = 8;

/// A domain that the calling thread does not hold meanwhile.
class WithoutDomain {
 public:
  explicit WithoutDomain(LiveDomain& domain) : domain_(domain), held_(domain.give_up()) {}
  ~WithoutDomain() { domain_.take_back(held_); }
  WithoutDomain(const WithoutDomain&) = delete;
  WithoutDomain& operator=(const WithoutDomain&) = delete;

 private:
  LiveDomain& domain_;
  unsigned held_;
};

bool has_moved(LiveDomain& domain, const Signal& signal, std::uint64_t seen) {
  const EventDomain::Hold hold(domain);
  return signal.epoch() != seen;
}

Time time_of(clockid_t clock) {
  timespec used{};
  if (clock_gettime(clock, &used) != 0) return Time();
  return Time::picoseconds((std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec) * 1000);
}

/// What the kernel says a thread of this process has waited for a CPU.
Time time_in_queue(int id) {
  std::FILE* file = std::fopen(fmt::format("/proc/self/task/{}/schedstat", id).c_str(), "re");
  if (file == nullptr) return Time();
  unsigned long long on_cpu = 0;
  unsigned long long waiting = 0;
  const int got = std::fscanf(file, "%llu %llu", &on_cpu, &waiting);
  std::fclose(file);
  return got == 2 ? Time::picoseconds(static_cast<std::int64_t>(waiting) * 1000) : Time();
}

}  // namespace

LiveThread::LiveThread(LiveNode& node, Process* process, ThreadRole role)
    : Thread(node, process, role),
      handle_(pthread_self()),
      id_(OsThread::caller_id()),
      cpu_(sched_getcpu()) {
  hear_of_calls();
}

LiveThread::LiveThread(LiveNode& node, Process* process, ThreadRole role,
                       const OsThread::Options& options, std::function<void()> body)
    : Thread(node, process, role), body_(std::move(body)) {
  hear_of_calls();
  if (!options.cpus.empty()) cpu_ = options.cpus.front();
  if (node.is_guest(role)) home_ = options.cpus.front();
  os_thread_ = std::make_unique<OsThread>(options, [this] {
    body_begins();
    body_();
    body_ends();
  });
}

LiveThread::~LiveThread() = default;

void LiveThread::body_begins() {
  exchange_current_thread(this);
  handle_ = pthread_self();
  id_.store(OsThread::caller_id(), std::memory_order_release);
  cpu_.store(sched_getcpu(), std::memory_order_relaxed);
}

void LiveThread::body_ends() {
  cpu_time_ps_.store(time_of(CLOCK_THREAD_CPUTIME_ID).ps(), std::memory_order_relaxed);
  stolen_ps_.store(time_in_queue(id_).ps(), std::memory_order_relaxed);
  ended_.store(true, std::memory_order_release);
  exchange_current_thread(nullptr);
}

void LiveThread::join() {
  const WithoutDomain without(live_node().live_domain());
  if (os_thread_ != nullptr) os_thread_->join();
}

LiveNode& LiveThread::live_node() const { return static_cast<LiveNode&>(node()); }

void LiveThread::observe_call(Occurrence::Kind kind, const LibraryCall* call) const {
  const LiveDomain& domain = live_node().live_domain();
  observe(domain, [&] { return observed(kind, *this, domain.now(), call); });
}

void LiveThread::sync() {
  take_pending();
  live_node().live_domain().advance();
}

Time LiveThread::now() { return live_node().live_domain().now(); }

Time LiveThread::own_time() const { return live_node().live_domain().now(); }

// ---- polling

void LiveThread::begin_polling() {
  if (!polls()) live_node().live_domain().begin_polling();
  set_polls(true);
}

void LiveThread::end_polling() {
  if (polls()) live_node().live_domain().end_polling();
  set_polls(false);
}

void LiveThread::spin(const Signal& signal, std::uint64_t seen, Time, Mutex* yielding, bool) {
  LiveDomain& domain = live_node().live_domain();
  auto* const mutex = static_cast<LiveMutex*>(yielding);
  answer(mutex);
  const WithoutDomain without(domain);
  // Progress threads poll as they are asked to, and the program's never wait for them to be woken.
  const bool one_of_many = mutex != nullptr && role() == ThreadRole::application;
  if (!one_of_many) {
    if (poll_until(domain, signal, seen, mutex)) mutex->yield();
  } else if (!mutex->polled()) {
    mutex->begin_polled();
    if (poll_until(domain, signal, seen, mutex)) mutex->yield();
    mutex->end_polled(has_moved(domain, signal, seen));
  } else if (!has_moved(domain, signal, seen)) {
    end_polling();
    mutex->sleep_beside();
  }
  if (signal.epoch() != seen) count_arrival();
  if (library_depth() == 0) end_polling();  // the library's own threads, between two waits
  cpu_.store(sched_getcpu(), std::memory_order_relaxed);
}

void LiveThread::answer(const LiveMutex* mutex) {
  SituationDesk& desk = live_node().desk();
  if (desk.question() == answered_) [[likely]]
    return;
  answered_ = desk.question();
  if (role() == ThreadRole::application) desk.answer(*this, own_situation(*this, mutex));
}

/// Returns when the signal has moved on, or true as soon as another thread wants `mutex`.
bool LiveThread::poll_until(LiveDomain& domain, const Signal& signal, std::uint64_t seen,
                            LiveMutex* mutex) {
  const int looks_before_rest = live_node().looks_before_rest();
  const EventDomain::Hold hold(domain);
  begin_polling();
  for (int empty = 0, rests = 0; signal.epoch() == seen;) {
    const bool any = domain.look();
    if (signal.epoch() != seen) break;
    answer(mutex);
    if (mutex != nullptr && mutex->wanted()) return true;
    if (domain.wanted()) {
      domain.let_others();
    } else if (domain.owes_wake_up()) {
      const WithoutDomain without(domain);
    }
    if (any) {
      empty = rests = 0;
    } else if (++empty < looks_before_rest) {
      futex::pause();
    } else if (live_node().shares_cpus()) {
      const int units = 1 + rests++ / rests_before_longer;
      if (mutex != nullptr) mutex->unlock();
      rest(domain, signal, seen, first_rest * std::min(units, longest_rest));
      if (mutex != nullptr) mutex->lock();
    } else {
      // Its progress thread may want this CPU.
      const WithoutDomain without(domain);
      sched_yield();
    }
  }
  return false;
}

/// Where others run on this CPU, a thread that lets them run is as good as asleep: it sleeps until
/// something arrives or moves the signal on, or for a while.
void LiveThread::rest(LiveDomain& domain, const Signal& signal, std::uint64_t seen, Time longest) {
  end_polling();
  const bool leads = domain.lead();
  const futex::Expected rung{&signal.rung(), signal.rung().load(std::memory_order_seq_cst)};
  bool sleeps = signal.begin_sleep(seen);
  futex::Expected arrivals;
  if (leads && sleeps) {
    arrivals = domain.prepare_to_sleep();
    domain.look();  // once peers know
    sleeps = signal.epoch() == seen;
  }
  if (sleeps) {
    const Time moment = domain.now() + longest;
    const Time until = leads ? domain.leader_sleeps_until(moment) : moment;
    const std::int64_t deadline = domain.clock().host_nanoseconds_at(until);
    const WithoutDomain without(domain);
    if (leads) {
      futex::wait_for_either(rung, arrivals, deadline);
    } else {
      futex::wait(*rung.word, rung.value, futex::Scope::shared, deadline);
    }
  }
  signal.end_sleep();
  if (!leads) return;
  domain.leader_awake();
  domain.stop_leading();
}

// ---- asleep in the kernel

/// While a thread waits for the node's interrupt; it may be ended meanwhile (pthread_cancel()).
class LiveThread::Waiting {
 public:
  Waiting(LiveThread& thread, const InterruptWaiter& waiter)
      : thread_(thread), domain_(thread.live_node().live_domain()), leads_(domain_.lead()) {
    thread_.waiter_ = &waiter;
    thread_.waiter_woken_ = false;
    thread_.asleep_.store(true, std::memory_order_relaxed);
    thread_.live_node().asleep(thread_);
  }
  ~Waiting() {
    if (leads_) domain_.stop_leading();
    thread_.live_node().awake(thread_);
    thread_.waiter_ = nullptr;
    thread_.asleep_.store(false, std::memory_order_relaxed);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  bool leads() const { return leads_; }

 private:
  LiveThread& thread_;
  LiveDomain& domain_;
  bool leads_;
};

bool LiveThread::wait_interrupt(const InterruptWaiter& waiter, Time deadline) {
  const WithoutCancellation without_cancellation;
  LiveDomain& domain = live_node().live_domain();
  InterruptLine& line = live_node().line();
  end_polling();
  const EventDomain::Hold hold(domain);
  const Waiting waiting(*this, waiter);
  const bool leads = waiting.leads();
  bool result = false;
  for (bool interrupted = false, looked = false;;) {
    // A thread that changes what ready() looks at holds the domain, and then raises the interrupt.
    const std::uint32_t raised = line.raised.load(std::memory_order_seq_cst);
    const std::uint64_t interrupts = line.count();
    futex::Expected arrivals;
    if (!looked) {  // once peers know that it sleeps
      if (leads) arrivals = domain.prepare_to_sleep(guest());
      domain.advance();
    }
    const bool ready = waiter.ready();
    if (interrupted) {
      (ready ? line.threads_woken : line.empty_wakeups).fetch_add(1, std::memory_order_relaxed);
    }
    result = ready || waiter_woken_;
    if (result) count_arrival();
    if (result || deadline <= domain.now()) break;
    const Time until = leads ? domain.leader_sleeps_until(deadline) : deadline;
    {
      const WithoutDomain without(domain);
      line.sleep(raised, arrivals, domain.clock().host_nanoseconds_at(until),
                 without_cancellation.before());
    }
    if (leads) {
      domain.leader_awake();
      domain.advance();
      looked = waiter.ready();
    }
    interrupted = line.count() != interrupts;
  }
  cpu_.store(sched_getcpu(), std::memory_order_relaxed);
  return result;
}

void LiveThread::sleep_until(Time wake_up) {
  constexpr std::int64_t ns_per_s = 1'000'000'000;
  LiveDomain& domain = live_node().live_domain();
  end_polling();
  const WithoutCancellation without_cancellation;
  const WithoutDomain without(domain);
  while (domain.now() < wake_up) {
    const std::int64_t at = domain.clock().host_nanoseconds_at(wake_up);
    const timespec until{at / ns_per_s, at % ns_per_s};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  }
}

void LiveThread::yield() {
  end_polling();
  const WithoutDomain without(live_node().live_domain());
  if (live_node().shares_cpus()) {
    OsThread::rest();
  } else {
    sched_yield();
  }
}

// ---- where it runs, and for how long

Guest LiveThread::guest() const {
  if (home_ < 0) return {};
  return {id_.load(std::memory_order_relaxed), static_cast<std::int16_t>(cpu()),
          static_cast<std::int16_t>(home_)};
}

void LiveThread::go_home() {
  if (home_ < 0 || cpu_.load(std::memory_order_relaxed) == home_) return;
  if (OsThread::bind(id_.load(std::memory_order_acquire), home_)) {
    cpu_.store(home_, std::memory_order_relaxed);
  }
}

bool LiveThread::use_service_cpus() {
  const auto& service = live_node().placement().service_cpus;
  return !service.empty() && OsThread::bind_caller(service);
}

Time LiveThread::cpu_time() const {
  const auto at_the_end = [this] {
    return Time::picoseconds(cpu_time_ps_.load(std::memory_order_relaxed));
  };
  if (this_thread_or_null() == this) return time_of(CLOCK_THREAD_CPUTIME_ID);
  if (ended_.load(std::memory_order_acquire)) return at_the_end();
  if (id_.load(std::memory_order_acquire) == 0) return Time();
  clockid_t clock{};
  if (pthread_getcpuclockid(handle_, &clock) != 0) return at_the_end();
  const Time used = time_of(clock);
  return used != Time() ? used : at_the_end();
}

Time LiveThread::stolen_time() const {
  if (ended_.load(std::memory_order_acquire)) {
    return Time::picoseconds(stolen_ps_.load(std::memory_order_relaxed));
  }
  const int id = id_.load(std::memory_order_acquire);
  return id == 0 ? Time() : time_in_queue(id);
}

int LiveThread::cpu() const {
  if (this_thread_or_null() == this) cpu_.store(sched_getcpu(), std::memory_order_relaxed);
  return cpu_.load(std::memory_order_relaxed);
}

}  // namespace corespec
