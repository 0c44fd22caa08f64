// Threads, interrupts and placement of a live node.
#include "corespec/live/live_node.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "corespec/events/observer.h"
#include "corespec/live/live_mutex.h"

namespace corespec {
namespace {

constexpr int looks_with_own_cpu = 300;
constexpr int looks_with_shared_cpu = 10;

const char* name_of(ThreadRole role) {
  switch (role) {
    case ThreadRole::application:
      return "castor-rank";
    case ThreadRole::progress:
      return "castor-progress";
    case ThreadRole::helper:
      return "castor-helper";
    case ThreadRole::daemon:
      break;
  }
  return "castor-daemon";
}

}  // namespace

LiveNode::LiveNode(Identity identity, const Parameters& parameters, LiveDomain& domain,
                   std::unique_ptr<NodeMemory> memory, HostPlacement placement)
    : identity_(identity),
      parameters_(parameters),
      domain_(domain),
      memory_(std::move(memory)),
      placement_(std::move(placement)),
      source_(make_source()),
      line_(reinterpret_cast<InterruptLine*>(
          memory_->segment("node.interrupt", sizeof(InterruptLine)))),
      shares_cpus_(placement_.shares_cpus) {
  take_turns(domain_.lock());
  if (pthread_key_create(&adopted_, &LiveNode::thread_ends) != 0) {
    throw std::runtime_error("the process has too many thread-specific keys");
  }
}

LiveNode::~LiveNode() {
  stop_service();
  // Devices refer to the node's threads and memory: they go first.
  set_device(nullptr);
  if (process_ != nullptr) exchange_thread_adopter(&no_more_threads());
  pthread_key_delete(adopted_);
  Thread* const caller = exchange_current_thread(nullptr);
  if (caller != nullptr && &caller->node() != this) exchange_current_thread(caller);
}

int LiveNode::looks_before_rest() const {
  return shares_cpus_ ? looks_with_shared_cpu : looks_with_own_cpu;
}

// ---- threads

const std::vector<int>& LiveNode::cpus_for(ThreadRole role) const {
  switch (role) {
    case ThreadRole::application:
      return placement_.rank_cpus[static_cast<std::size_t>(identity_.local_rank)];
    case ThreadRole::progress:
    case ThreadRole::helper:
      return placement_.progress_cpus;
    case ThreadRole::daemon:
      break;
  }
  return placement_.service_cpus.empty() ? placement_.application_cpus : placement_.service_cpus;
}

bool LiveNode::is_guest(ThreadRole role) const {
  const bool serves = role == ThreadRole::progress || role == ThreadRole::helper;
  return serves && parameters_.lend_cpus && placement_.progress_is_guest;
}

Thread& LiveNode::start_thread(ThreadRole role, Process* process, std::function<void()> body) {
  OsThread::Options options;
  options.name = name_of(role);
  options.cpus = cpus_for(role);
  options.takes_signals = role == ThreadRole::application;
  options.short_turns = role != ThreadRole::application;
  const std::lock_guard<std::mutex> guard(threads_mutex_);
  threads_.push_back(std::make_unique<LiveThread>(*this, process, role, options, std::move(body)));
  return *threads_.back();
}

void LiveNode::join(Thread& thread) {
  auto& target = static_cast<LiveThread&>(thread);
  target.join();
  forget(target);
}

void LiveNode::forget(LiveThread& thread) {
  const std::lock_guard<std::mutex> guard(threads_mutex_);
  std::erase_if(threads_, [&](const auto& owned) { return owned.get() == &thread; });
}

Thread& LiveNode::adopt_main_thread(Process& process) {
  process_ = &process;
  if (placement_.bound)
    binding_refused_ = !OsThread::bind_caller(cpus_for(ThreadRole::application));
  auto thread = std::make_unique<LiveThread>(*this, process_, ThreadRole::application);
  LiveThread& main = *thread;
  {
    const std::lock_guard<std::mutex> guard(threads_mutex_);
    threads_.push_back(std::move(thread));
  }
  exchange_current_thread(&main);
  exchange_thread_adopter(this);
  return main;
}

Thread* LiveNode::adopt() {
  // The service is the node's own: what it runs are events, outside every thread.
  if (pthread_getspecific(adopted_) != nullptr) return nullptr;
  auto thread = std::make_unique<LiveThread>(*this, process_, ThreadRole::application);
  LiveThread* const adopted = thread.get();
  if (pthread_setspecific(adopted_, adopted) != 0) return nullptr;
  const std::lock_guard<std::mutex> guard(threads_mutex_);
  threads_.push_back(std::move(thread));
  return adopted;
}

void LiveNode::thread_ends(void* value) {
  auto* const thread = static_cast<LiveThread*>(value);
  exchange_current_thread(nullptr);
  thread->live_node().forget(*thread);
}

// ---- for people

std::vector<Situation> LiveNode::situations(int patience_ms, const ContextOf& context_of) {
  struct Asked {
    const LiveThread* thread;
    Situation situation;
    bool awaited;
  };
  std::vector<Asked> asked;
  desk_.ask();
  for (int waited_ms = 0;; ++waited_ms) {
    // A thread may end meanwhile: it is looked for anew each time.
    bool open = false;
    {
      const std::lock_guard<std::mutex> guard(threads_mutex_);
      for (const auto& thread : threads_) {
        if (thread->role() != ThreadRole::application) continue;
        auto known = std::find_if(asked.begin(), asked.end(),
                                  [&](const Asked& each) { return each.thread == thread.get(); });
        if (known == asked.end()) known = asked.insert(known, {thread.get(), {}, true});
        if (known->awaited && desk_.take(*thread, known->situation)) known->awaited = false;
        if (!known->awaited) continue;
        const char* const call = thread->call_now();
        known->situation = Situation();
        known->situation.facts_known = false;
        if (call != nullptr) known->situation.call = call;
        if (call == nullptr) known->situation.details = "computes, or waits outside the libraries";
        if (call != nullptr && thread->asleep()) {
          known->situation.details = " (asleep until an event comes)";
        }
        open |= call != nullptr && !thread->asleep();
      }
    }
    if (!open || waited_ms >= patience_ms) break;
    OsThread::rest(1'000'000);
  }
  {
    const std::lock_guard<std::mutex> guard(threads_mutex_);
    for (Asked& each : asked) {
      const bool there = std::any_of(threads_.begin(), threads_.end(),
                                     [&](const auto& one) { return one.get() == each.thread; });
      if (!there || !each.awaited) continue;
      each.situation.context = context_of(each.thread->id_, each.thread->asleep());
    }
  }
  std::vector<Situation> situations;
  situations.reserve(asked.size());
  for (Asked& each : asked) situations.push_back(std::move(each.situation));
  return situations;
}

std::vector<std::pair<const char*, std::uint64_t>> LiveNode::activity() {
  std::vector<std::pair<const char*, std::uint64_t>> activity;
  const std::lock_guard<std::mutex> guard(threads_mutex_);
  for (const auto& thread : threads_) {
    if (thread->role() != ThreadRole::application) continue;
    activity.emplace_back(thread->call_now(), thread->arrivals());
  }
  return activity;
}

// ---- the service

void LiveNode::start_service() {
  if (service_ != nullptr) return;
  OsThread::Options options;
  options.name = "castor-nic";
  options.cpus = placement_.nic_cpus;
  options.exact_deadlines = true;
  options.short_turns = true;
  service_ = std::make_unique<OsThread>(options, [this] {
    pthread_setspecific(adopted_, this);
    domain_.serve();
    pthread_setspecific(adopted_, nullptr);
  });
}

void LiveNode::stop_service() {
  if (service_ == nullptr) return;
  const unsigned held = domain_.give_up();
  domain_.stop();
  service_.reset();
  domain_.take_back(held);
}

// ---- locks and interrupts

std::unique_ptr<Mutex> LiveNode::make_mutex() { return std::make_unique<LiveMutex>(domain_); }

void LiveNode::raise_interrupt() {
  if (!line_->raise()) return;
  const EventDomain::Hold hold(domain_);
  for (LiveThread* thread : asleep_) thread->go_home();
  observe(domain_, [&] {
    Occurrence made{Occurrence::Kind::interrupt_raised};
    made.place = static_cast<std::uint32_t>(nid());
    made.begin = made.end = domain_.now();
    return made;
  });
  domain_.wake_when_left(line_->raised);
}

void LiveNode::wake_waiter(const InterruptWaiter& waiter) {
  const EventDomain::Hold hold(domain_);
  bool any = false;
  for (LiveThread* thread : asleep_) {
    if (thread->waiter_ != &waiter) continue;
    thread->waiter_woken_ = true;
    any = true;
  }
  if (any && line_->call()) domain_.wake_when_left(line_->raised);
}

NodeStatistics LiveNode::statistics() const {
  NodeStatistics statistics;
  statistics.interrupts = line_->interrupts.load(std::memory_order_relaxed);
  statistics.coalesced = line_->coalesced.load(std::memory_order_relaxed);
  statistics.threads_woken = line_->threads_woken.load(std::memory_order_relaxed);
  statistics.empty_wakeups = line_->empty_wakeups.load(std::memory_order_relaxed);
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    statistics.context_switches = static_cast<std::uint64_t>(usage.ru_nvcsw + usage.ru_nivcsw);
    statistics.preemptions = static_cast<std::uint64_t>(usage.ru_nivcsw);
  }
  return statistics;
}

// ---- placement

int LiveNode::interrupt_cpu() const {
  return placement_.nic_cpus.empty() ? 0 : placement_.nic_cpus.front();
}

std::string LiveNode::placement_text() const {
  return fmt::format("node {}: {}{}", identity_.nid, placement_.text(),
                     binding_refused_ ? " (the system refused to bind)" : "");
}

}  // namespace corespec
