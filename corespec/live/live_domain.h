// An event domain on the live clock: one process's part of its node.
#pragma once

#include <poll.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/host/futex.h"
#include "corespec/live/guest.h"
#include "corespec/live/live_clock.h"

namespace corespec {

/// Brings into a domain what comes from outside its process. All calls hold the domain.
class ArrivalSource {
 public:
  virtual ~ArrivalSource() = default;
  /// Takes in what has come; never blocks. True if anything.
  virtual bool poll() = 0;
  /// Sends what has been put together since; before the domain is left, and between looks.
  virtual void flush() {}
  /// From now on whatever comes makes one of wait_descriptors() readable (Sleeper::service), or
  /// changes word() and wakes its sleeper, if it can (Sleeper::waiter). May be called when it
  /// is so already. poll() once more after it: what came before does not.
  enum class Sleeper : std::uint8_t { service, waiter };
  virtual void arm(Sleeper sleeper) = 0;
  /// The thread that sleeps as a waiter, from the next arm(waiter) on.
  virtual void set_waiter(const Guest&) {}
  /// A thread polls: peers need not wake one.
  virtual void disarm() = 0;
  /// While a thread polls one of wait_descriptors() has become readable all the same: takes away
  /// what only wakes. False if one may be so until that thread has taken in what came.
  virtual bool quieten() = 0;
  /// What a thread may sleep on after arm(waiter), with futex::Scope::shared; null: nothing. What
  /// comes otherwise still makes descriptors readable.
  virtual futex::Word* word() { return nullptr; }
  /// What a thread that is to be woken by arrivals waits for in the kernel (POLLIN).
  virtual std::vector<int> wait_descriptors() const = 0;
};

/// Runs its events when the host's clock has reached their time and a thread looks: one of
/// the library that polls or posts (advance()), or else the domain's own thread (serve()), which
/// is asleep in the kernel otherwise.
class LiveDomain final : public EventDomain {
 public:
  explicit LiveDomain(const LiveClock& clock);
  ~LiveDomain() override;
  LiveDomain(const LiveDomain&) = delete;
  LiveDomain& operator=(const LiveDomain&) = delete;

  // EventDomain. There is one domain to a process, so schedule_from() is schedule(); an `at` that
  // has passed is due at once.
  Time now() const override { return clock_.now(); }
  void schedule(Time at, EventSource& source, Event& event, std::uint64_t arg) override;
  void schedule_from(EventDomain& caller, Time at, EventSource& source, Event& event,
                     std::uint64_t arg) override;
  void record(std::uint64_t, std::uint64_t) override {}

  const LiveClock& clock() const { return clock_; }

  /// Null: none (any more).
  void set_arrivals(ArrivalSource* arrivals);

  /// Takes in what has come and runs what is due, in order of time, as long as there is any.
  /// Takes the domain itself. True if anything happened. Called from within an event: false, and
  /// nothing happens.
  bool advance();
  /// One look at what has come and what is due, by a thread that holds the domain and looks again.
  bool look();

  /// The calling thread polls from now on: it calls advance() again and again, so the domain's own
  /// thread need not wake up. Counted, for several threads.
  void begin_polling();
  /// It does not any more; ends with one advance() if no other thread polls.
  void end_polling();

  /// The calling thread is about to sleep until arrivals or an interrupt, again and again, until
  /// stop_leading(): of several the first leads. What arrives wakes it instead of the domain's own
  /// thread, and it takes it in. Holding the domain, as all three.
  bool lead();
  /// Before each sleep of the leader, which looks once more afterwards: what it sleeps on. Peers
  /// that wait may wake a guest on their CPUs.
  futex::Expected prepare_to_sleep(const Guest& guest = {});
  /// When the leader has to wake up for the sake of the domain's timers; to be slept until.
  Time leader_sleeps_until(Time deadline);
  void leader_awake() { leader_asleep_ = false; }
  void stop_leading();

  /// The domain's own thread: returns after stop().
  void serve();
  void stop();

  /// Before a wait: the calling thread gives the domain up, however often it holds it, and says
  /// how often that was (0: it did not); after the wait it takes it back as often.
  unsigned give_up();
  void take_back(unsigned times);
  /// True if threads wait for the domain. A thread that polls holding it calls let_others(), which
  /// gives it up to one of them and takes it back.
  bool wanted() const;
  void let_others();

  /// Wakes the threads asleep on `word` (futex::Scope::shared) as soon as the domain is free, which
  /// they want first thing: woken at once, on the same CPU, they would only go to sleep again.
  /// There is one such word to a node; with several nodes on a domain only the last one waits.
  void wake_when_left(futex::Word& word);
  /// True if a thread is still to be woken: a thread that goes on holding the domain lets go of it.
  bool owes_wake_up() const { return owed_ != nullptr; }

  /// How late events ran, by the clock: for a report. Events that had no time of their own
  /// (scheduled for now or earlier) do not count.
  struct Lateness {
    std::uint64_t timed = 0;  ///< events that had to wait for their time
    std::uint64_t late = 0;   ///< of these, later than `late_after`
    Time most;
    Time total;
  };
  static constexpr Time late_after = Time::picoseconds(1'000'000);
  Lateness lateness() const;

 private:
  class Turns;
  struct Timer {
    Time at;
    std::uint64_t key;  ///< source, and its count
    Event* event;
    std::uint64_t arg;
    bool timed;  ///< lay ahead when it was scheduled
  };

  LiveDomain(const LiveClock& clock, std::unique_ptr<Turns> turns);
  static bool later(const Timer& a, const Timer& b);
  Time next_time() const;
  bool take_in(int rounds);
  bool run_due();
  void arm();
  void settle();
  void flush();
  void wake_service();
  void drain_wake_up() const;
  std::vector<pollfd> what_to_watch() const;

  const LiveClock& clock_;
  std::unique_ptr<Turns> turns_;
  int wake_up_;  ///< event descriptor of the domain's own thread

  // All of it belongs to the thread that holds the domain.
  ArrivalSource* arrivals_ = nullptr;
  std::vector<Timer> timers_;  ///< a heap
  bool advancing_ = false;
  futex::Word* owed_ = nullptr;  ///< its sleepers are woken when the domain is left
  bool due_ = false;             ///< something was scheduled for now by code that does not advance
  unsigned polling_ = 0;
  Lateness lateness_;

  // The domain's own thread.
  bool stopping_ = false;
  bool asleep_ = false;    ///< or about to be
  bool woken_ = false;     ///< and was told to wake up
  bool watching_ = false;  ///< arrivals wake it, too
  Time sleeps_until_;

  // A thread that sleeps in its place.
  bool led_ = false;
  bool leader_asleep_ = false;  ///< or about to be
  Time leader_until_;
};

}  // namespace corespec
