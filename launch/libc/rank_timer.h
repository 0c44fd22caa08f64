// A timer of a rank's: alarm(), setitimer(), timer_create(), in virtual time.
#pragma once

#include <signal.h>
#include <time.h>

#include <cstdint>

#include "corespec/events/event_domain.h"
#include "corespec/time/time.h"
#include "launch/libc/rank_signals.h"

namespace launch {

/// Sends its rank a signal when a time has passed on its clock: virtual time, or the CPU time that
/// the rank's main thread has used.
class RankTimer final : public corespec::Event {
 public:
  RankTimer(RankSignals& rank, clockid_t clock, int signal, sigval value, int id)
      : rank_(rank),
        clock_(clock),
        cpu_time_(clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID),
        signal_(signal),
        value_(value),
        id_(id) {}
  ~RankTimer();
  RankTimer(const RankTimer&) = delete;
  RankTimer& operator=(const RankTimer&) = delete;

  /// From the calling rank. A zero time stops it; a zero interval: once.
  void set(corespec::Time first, corespec::Time interval);
  /// Until it next goes off; zero if it stands still.
  corespec::Time left() const;
  corespec::Time interval() const { return interval_; }
  clockid_t clock() const { return clock_; }
  void stop();

  void fire(std::uint64_t) override;

 private:
  /// The present time of its clock.
  corespec::Time now() const;
  void expect(corespec::Time from_now);

  RankSignals& rank_;
  clockid_t clock_;
  bool cpu_time_;
  int signal_;  ///< 0: none
  sigval value_;
  int id_;  ///< timer_create()'s; -1: setitimer()'s
  bool running_ = false;
  corespec::Time due_;  ///< on its clock
  corespec::Time interval_;
};

}  // namespace launch
