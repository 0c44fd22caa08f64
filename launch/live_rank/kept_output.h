// What a rank of a live job has printed leaves its process, however that ends.
#pragma once

namespace launch {

/// From its making on, libc's stdout hands on each line as it ends, unless it is a terminal (which
/// has libc do that) or buffers nothing: a killed process keeps no line back. What is left of an
/// unfinished line a thread of this process writes out, which serves requests: a signal handler may
/// not do it itself, as it may have stopped the thread that is printing. One at a time.
class KeptOutput {
 public:
  KeptOutput();
  ~KeptOutput();
  KeptOutput(const KeptOutput&) = delete;
  KeptOutput& operator=(const KeptOutput&) = delete;

  /// What stdout holds back goes out, unless another thread is in the middle of printing and stays
  /// there.
  static void flush();
  /// flush() for signal handlers: the serving thread does it; the handler waits for a moment at
  /// most.
  static void request();

  /// The serving thread's side: a descriptor that is readable (POLLIN) when there is a request.
  int descriptor() const { return requests_; }
  void serve() const;

 private:
  int requests_;
  int answers_;
};

}  // namespace launch
