// Signals that end a rank of a live job from outside.
#pragma once

namespace launch {

/// While it exists: before SIGTERM and its like end this process, what the program has printed goes
/// out (KeptOutput). What a terminal sends to all processes of a job at once (Ctrl-C, its end) is
/// the launcher's business, if it is ours: it asks what the ranks are doing, and ends them. A
/// signal that the program handles or ignores stays as it is.
class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
};

}  // namespace launch
