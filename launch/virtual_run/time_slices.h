// Gives other ranks their turn while a measured program's own code runs.
#pragma once

#include "corespec/threads/thread.h"
#include "corespec/time/time.h"

namespace launch {

/// While it exists: a rank whose program has run for a slice of the host's time without a library
/// call is charged the CPU time that it has used, and what is due before that moment happens, as if
/// it had called a library. So a rank may wait until its memory changes. Only where the program's
/// own code is interrupted (own_code.h); anywhere else the next slice's end is waited for. For
/// programs whose computing is measured: a modelled one takes no time between its calls. One at a
/// time.
class TimeSlices {
 public:
  /// Is told by a signal handler, where any function may be called.
  class Client {
   public:
    /// The thread's slice has ended, and what is due before its time has happened.
    virtual void slice_ended(corespec::Thread& thread) = 0;
    /// A rank waits in the kernel for something from outside.
    virtual void waits_outside() = 0;

   protected:
    ~Client() = default;
  };

  /// `client`: null if there is none.
  TimeSlices(corespec::Time slice, Client* client);
  ~TimeSlices();
  TimeSlices(const TimeSlices&) = delete;
  TimeSlices& operator=(const TimeSlices&) = delete;
};

}  // namespace launch
