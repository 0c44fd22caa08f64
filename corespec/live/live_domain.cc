// Which thread advances the domain, and how its own thread sleeps.
#include "corespec/live/live_domain.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "corespec/events/event_queue.h"
#include "corespec/host/os_thread.h"
#include "corespec/live/hand_over_lock.h"

namespace corespec {
namespace {

/// advance() returns after so many, however much keeps coming: its caller has other things to do.
constexpr int rounds_at_most = 64;
constexpr Time longest_sleep = Time::microseconds(1'000'000);
constexpr int all_rounds = std::numeric_limits<int>::max();

}  // namespace

/// The domain's lock: a thread may hold it several times.
class LiveDomain::Turns final : public EventDomain::Lock {
 public:
  void set_domain(LiveDomain& domain) { domain_ = &domain; }

  using Lock::held;
  bool wanted() const { return lock_.wanted(); }

  void leave() override {
    domain_->settle();
    unlock_and_wake();
  }

  void take(unsigned depth) override {
    lock_.lock();
    owner_.store(pthread_self(), std::memory_order_relaxed);
    depth_ = depth;
  }
  unsigned give_up() {
    if (!held()) return 0;
    domain_->settle();
    return unlock_and_wake();
  }
  void let_others() {
    domain_->settle();
    futex::Word* const owed = std::exchange(domain_->owed_, nullptr);
    const unsigned depth = release();
    lock_.hand_over();
    if (owed != nullptr) futex::wake_all(*owed, futex::Scope::shared);
    take(depth);
  }

 private:
  unsigned unlock_and_wake() {
    futex::Word* const owed = std::exchange(domain_->owed_, nullptr);
    const unsigned depth = release();
    lock_.unlock();
    if (owed != nullptr) futex::wake_all(*owed, futex::Scope::shared);
    return depth;
  }
  unsigned release() {
    owner_.store(pthread_t{}, std::memory_order_relaxed);
    return std::exchange(depth_, 0);
  }

  LiveDomain* domain_ = nullptr;
  HandOverLock lock_;
};

LiveDomain::LiveDomain(const LiveClock& clock) : LiveDomain(clock, std::make_unique<Turns>()) {}

LiveDomain::LiveDomain(const LiveClock& clock, std::unique_ptr<Turns> turns)
    : EventDomain(turns.get()), clock_(clock), turns_(std::move(turns)) {
  turns_->set_domain(*this);
  wake_up_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_up_ < 0) {
    throw std::runtime_error(std::string("cannot make an event descriptor: ") +
                             std::strerror(errno));
  }
}

LiveDomain::~LiveDomain() { close(wake_up_); }

// ---- timers

bool LiveDomain::later(const Timer& a, const Timer& b) {
  return b.at < a.at || (b.at == a.at && b.key < a.key);
}

Time LiveDomain::next_time() const { return timers_.empty() ? Time::max() : timers_.front().at; }

void LiveDomain::schedule(Time at, EventSource& source, Event& event, std::uint64_t arg) {
  const bool timed = at > Time() && at > clock_.now();
  timers_.push_back({at, EventQueue::make_key(source), &event, arg, timed});
  std::push_heap(timers_.begin(), timers_.end(), later);
  if (!timed) due_ = true;
}

void LiveDomain::schedule_from(EventDomain&, Time at, EventSource& source, Event& event,
                               std::uint64_t arg) {
  schedule(at, source, event, arg);
}

/// Runs what is due by the clock as it is now; what that schedules for now is the next round's.
bool LiveDomain::run_due() {
  due_ = false;
  if (timers_.empty()) return false;
  const Time now = clock_.now();
  bool any = false;
  while (!timers_.empty() && timers_.front().at <= now) {
    const Timer timer = timers_.front();
    std::pop_heap(timers_.begin(), timers_.end(), later);
    timers_.pop_back();
    if (timer.timed) {
      const Time late = clock_.now() - timer.at;
      ++lateness_.timed;
      if (late > late_after) ++lateness_.late;
      lateness_.most = std::max(lateness_.most, late);
      lateness_.total += late;
    }
    timer.event->fire(timer.arg);
    any = true;
  }
  return any;
}

// ---- advancing

void LiveDomain::set_arrivals(ArrivalSource* arrivals) {
  turns_->lock();
  if (arrivals_ != nullptr) arrivals_->disarm();
  arrivals_ = arrivals;
  if (arrivals_ != nullptr && polling_ == 0) arm();
  wake_service();  // to watch other descriptors
  turns_->unlock();
}

bool LiveDomain::take_in(int rounds) {
  if (advancing_) return false;
  advancing_ = true;
  bool any = false;
  for (; rounds > 0; --rounds) {
    const bool arrived = arrivals_ != nullptr && arrivals_->poll();
    const bool ran = run_due();
    if (!arrived && !ran) break;
    any = true;
  }
  advancing_ = false;
  return any;
}

bool LiveDomain::advance() {
  turns_->lock();
  const bool any = take_in(rounds_at_most);
  turns_->unlock();
  return any;
}

bool LiveDomain::look() {
  const bool any = take_in(1);
  flush();
  return any;
}

void LiveDomain::flush() {
  if (arrivals_ != nullptr) arrivals_->flush();
}

/// What a thread owes the domain before it lets go of it: events that it scheduled for now, what
/// waits to be sent, and that a thread is awake when the next event's time comes.
void LiveDomain::settle() {
  if (advancing_) return;
  if (due_) {
    advancing_ = true;
    while (due_) run_due();
    advancing_ = false;
  }
  flush();
  if (polling_ != 0 || !asleep_) return;
  const Time next = next_time();
  if (next < sleeps_until_ && !(leader_asleep_ && leader_until_ <= next)) wake_service();
}

/// The thread that sleeps is told what comes.
void LiveDomain::arm() {
  arrivals_->arm(leader_asleep_ ? ArrivalSource::Sleeper::waiter : ArrivalSource::Sleeper::service);
}

void LiveDomain::begin_polling() {
  turns_->lock();
  if (polling_++ == 0 && arrivals_ != nullptr) arrivals_->disarm();
  turns_->unlock();
}

void LiveDomain::end_polling() {
  turns_->lock();
  if (--polling_ == 0) {
    if (arrivals_ != nullptr) {
      arm();
      take_in(all_rounds);
    }
    if (asleep_ && !watching_) wake_service();
  }
  turns_->unlock();
}

unsigned LiveDomain::give_up() { return turns_->give_up(); }

void LiveDomain::take_back(unsigned times) {
  if (times != 0) turns_->take(times);
}

bool LiveDomain::wanted() const { return turns_->wanted(); }

void LiveDomain::let_others() { turns_->let_others(); }

void LiveDomain::wake_when_left(futex::Word& word) {
  if (!turns_->held()) {
    futex::wake_all(word, futex::Scope::shared);
    return;
  }
  futex::Word* const before = std::exchange(owed_, &word);
  if (before != nullptr && before != &word) futex::wake_all(*before, futex::Scope::shared);
}

LiveDomain::Lateness LiveDomain::lateness() const {
  turns_->lock();
  const Lateness lateness = lateness_;
  turns_->unlock();
  return lateness;
}

// ---- a thread that sleeps in its place

bool LiveDomain::lead() {
  static const bool possible = futex::waits_for_either();
  if (led_ || !possible || arrivals_ == nullptr || arrivals_->word() == nullptr) return false;
  led_ = true;
  return true;
}

futex::Expected LiveDomain::prepare_to_sleep(const Guest& guest) {
  leader_asleep_ = true;
  leader_until_ = Time::max();
  futex::Word* const word = arrivals_->word();
  const std::uint32_t value = word->load(std::memory_order_seq_cst);
  arrivals_->set_waiter(guest);
  if (polling_ == 0) arm();
  return {word, value};
}

Time LiveDomain::leader_sleeps_until(Time deadline) {
  return leader_until_ = std::min(deadline, polling_ == 0 ? next_time() : Time::max());
}

void LiveDomain::stop_leading() {
  led_ = leader_asleep_ = false;
  if (arrivals_ == nullptr || polling_ != 0) return;
  arm();
  take_in(all_rounds);
}

// ---- the domain's own thread

void LiveDomain::wake_service() {
  if (!asleep_ || woken_) return;
  woken_ = true;
  const WithoutCancellation without_cancellation;
  const std::uint64_t one = 1;
  // Cannot fail but by overflow, and then it is readable.
  [[maybe_unused]] const ssize_t written = write(wake_up_, &one, sizeof one);
}

void LiveDomain::drain_wake_up() const {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(wake_up_, &count, sizeof count);
}

std::vector<pollfd> LiveDomain::what_to_watch() const {
  std::vector<pollfd> watched = {{wake_up_, POLLIN, 0}};
  if (watching_ && arrivals_ != nullptr) {
    for (const int descriptor : arrivals_->wait_descriptors()) {
      watched.push_back({descriptor, POLLIN, 0});
    }
  }
  return watched;
}

void LiveDomain::serve() {
  constexpr std::int64_t ns_per_s = 1'000'000'000;
  turns_->lock();
  watching_ = true;
  while (!stopping_) {
    if (polling_ == 0) {
      watching_ = true;
      if (arrivals_ != nullptr) arm();
      if (take_in(rounds_at_most)) {
        // Others first: a thread that computes and posts has more to do than this one.
        if (turns_->wanted()) {
          turns_->let_others();
        } else if (owes_wake_up()) {
          turns_->take(turns_->give_up());
        } else {
          flush();
        }
        continue;
      }
    }
    const Time next = next_time();
    const bool covered = polling_ != 0 || (leader_asleep_ && leader_until_ <= next);
    // Peers and timers wake this thread. It looks now and then all the same: a call that is lost,
    // for whatever reason, must hold no rank up for ever.
    sleeps_until_ = std::min(covered ? Time::max() : next, now() + longest_sleep);
    std::vector<pollfd> watched = what_to_watch();
    asleep_ = true;
    turns_->unlock();

    timespec left{};
    const std::int64_t ns = std::max<std::int64_t>(
        0, clock_.host_nanoseconds_at(sleeps_until_) - LiveClock::host_nanoseconds());
    left.tv_sec = ns / ns_per_s;
    left.tv_nsec = ns % ns_per_s;
    int ready = ppoll(watched.data(), watched.size(), &left, nullptr);

    turns_->lock();
    asleep_ = false;
    woken_ = false;
    if (ready > 0 && watched.front().revents != 0) {
      drain_wake_up();
      --ready;
    }
    // Arrivals that wake this thread while another polls are none of its business: if need be it
    // stops watching until end_polling() tells it.
    if (ready > 0 && polling_ != 0 && arrivals_ != nullptr) watching_ = arrivals_->quieten();
  }
  stopping_ = false;
  turns_->unlock();
}

void LiveDomain::stop() {
  turns_->lock();
  stopping_ = true;
  wake_service();
  turns_->unlock();
}

}  // namespace corespec
