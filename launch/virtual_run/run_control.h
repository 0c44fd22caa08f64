// What the host asks of a run in virtual time while it goes on.
#pragma once

#include <cstdint>

#include "corespec/virtual/machine.h"

namespace launch {

class VirtualRun;

/// Is told what is asked. Called between two events, or where a rank runs its own code: any
/// function may be called, and nothing of the machine is under way.
class RunControlClient {
 public:
  /// Between two events only, after RunControl::ask() or any other interruption.
  virtual void interrupted() = 0;
  /// SIGQUIT: says what every rank is doing. The run goes on.
  virtual void show_state() = 0;
  /// A rank has waited in the kernel for something from outside for about a second. Called in a
  /// signal handler, where any function may be called.
  virtual void rank_waits_outside() = 0;
  /// So much of the host's time has passed: once in a second, if it has been asked for.
  virtual void show_progress(double elapsed_s) = 0;
  /// SIGINT, SIGTERM or SIGHUP from outside: ends the process.
  [[noreturn]] virtual void end_by_signal(int number) = 0;
  /// The run has taken longer than it may: ends the process.
  [[noreturn]] virtual void end_by_limit() = 0;

 protected:
  ~RunControlClient() = default;
};

/// Serves signals from outside and the host's clock. A signal handler only notes what is asked and
/// interrupts the engine. If a rank's own code runs, which may never call a library again, the
/// handler serves it itself; where a lock may be held it tries again a little later. One at a time.
class RunControl {
 public:
  struct Settings {
    double limit_s = 0;  ///< of the host's time; 0: none
    bool shows_progress = false;
    bool ends_by_signals = true;  ///< false: SIGINT and its like are for another process
  };

  /// Make it after what handles signals that ranks send themselves: those go on to that.
  RunControl(VirtualRun& run, RunControlClient& client, Settings settings);
  ~RunControl();
  RunControl(const RunControl&) = delete;
  RunControl& operator=(const RunControl&) = delete;

  /// Runs the machine to its end.
  corespec::VirtualMachine::Result run();

  /// Has RunControlClient::interrupted() called. A signal handler may ask.
  static void ask();

 private:
  VirtualRun& run_;
};

}  // namespace launch
