// What the host asks of a run in virtual time while it goes on.
#pragma once

#include <cstdint>

#include "corespec/virtual/machine.h"

namespace launch {

class VirtualRun;

/// Is told what is asked, at one of the places of RunControl: any function may be called, and
/// nothing of the machine is under way. One call at a time, also where it takes long.
class RunControlClient {
 public:
  /// Between two events only, after RunControl::ask() or any other interruption.
  virtual void interrupted() = 0;
  /// SIGQUIT: says what every rank is doing. The run goes on.
  virtual void show_state() = 0;
  /// A rank has waited in the kernel for something from outside for about a second. Called in a
  /// signal handler: libc may hold the lock of the file that it reads from, and no other.
  virtual void rank_waits_outside() = 0;
  /// Once in a second where a rank's own code runs, and with it nothing else.
  virtual void rank_computes() {}
  /// So much of the host's time has passed: once in a second, if it has been asked for.
  virtual void show_progress(double elapsed_s) = 0;
  /// SIGINT, SIGTERM or SIGHUP from outside is about to end the process: says so. False: the run is
  /// ending anyway, and the process ends with an exit code, not by the signal.
  virtual bool say_end_by_signal(int number) = 0;
  /// The run has taken longer than it may, and is about to be ended: says so.
  virtual void say_end_by_limit() = 0;

  /// In a copy of the process, before one of the above: the last or, if the run goes on,
  /// show_state(). What this process alone knows, the original does not hear of.
  virtual void is_copy(bool run_goes_on) = 0;
  /// In the original after a show_state() of a copy, in a signal handler, where no function may be
  /// called but the kernel's.
  virtual void copy_has_ended() {}

 protected:
  ~RunControlClient() = default;
};

/// Serves signals from outside and the host's clock. A signal may interrupt its thread anywhere:
/// inside malloc(), inside libfabric, inside the courier between hosts. So a handler notes what is
/// asked and interrupts the engine, and what is asked is served at one of these places, whichever
/// comes first:
/// - between two turns of the engine: soon, as long as events happen;
/// - where this process waits for other workers (serve_asked()): within 0.1 s;
/// - in the handler itself, where it has interrupted a rank's own code (own_code.h), which may call
///   nothing ever again, and holds no lock of a library's: at once, or in 0.02 s, when the handler
///   looks again;
/// - in a copy of the process (process_copy.h), if none of these comes: a rank has been blocked in
///   the kernel for 0.2 s, or in a library for 2 s, or the launcher itself has not come to any
///   place for 10 s. If the copy has not served it in 30 s, as the interrupted code holds what it
///   would need, one line says so, and the run is ended, or goes on, without.
/// So a limit or a signal ends each run, 40 s later at most (a limit is looked at once in a
/// second), and a second signal does so at once. One at a time.
class RunControl {
 public:
  struct Settings {
    double limit_s = 0;  ///< of the host's time; 0: none
    bool shows_progress = false;
    bool ends_by_signals = true;            ///< false: SIGINT and its like are for another process
    std::int64_t copy_ns = 30'000'000'000;  ///< how long a copy may take
  };
  /// Of a run that has come to its limit, as timeout(1) has it.
  static constexpr int limit_exit = 124;

  /// Make it after what handles signals that ranks send themselves: those go on to that.
  RunControl(VirtualRun& run, RunControlClient& client, Settings settings);
  ~RunControl();
  RunControl(const RunControl&) = delete;
  RunControl& operator=(const RunControl&) = delete;

  /// Runs the machine to its end.
  corespec::VirtualMachine::Result run();

  /// Has RunControlClient::interrupted() called. A signal handler may ask.
  static void ask();
  /// Serves what has been asked. For loops that wait for other processes: at a place where any
  /// function may be called, those of the loop's own objects among them.
  static void serve_asked();
  /// The client is being told something.
  static bool is_serving();
  /// While the client is told something, no rank is the calling one. In this scope it is the one
  /// that a signal has interrupted, if there is one, to look where that is: functions of libc are
  /// the rank's then, and may not be called.
  class AsInterrupted {
   public:
    AsInterrupted();
    ~AsInterrupted();
    AsInterrupted(const AsInterrupted&) = delete;
    AsInterrupted& operator=(const AsInterrupted&) = delete;
  };

 private:
  VirtualRun& run_;
};

}  // namespace launch
