// An end of each wait in start-up.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace launch {

/// While it exists, the process starts, and waits for one thing after the other. When it has waited
/// too long for one of them, it says so and ends. A thread of its own sees to that: the waits are
/// other libraries' functions.
class StartWatch {
 public:
  /// Says `why`, a line without its end. The process ends when it returns.
  using Tell = std::function<void(const std::string& why)>;
  /// `patience_s` is of the parameter CASTOR_START_TIMEOUT; 0: for ever. Throws std::runtime_error
  /// with one line if the system gives no thread.
  StartWatch(std::int64_t patience_s, Tell tell);
  ~StartWatch();
  StartWatch(const StartWatch&) = delete;
  StartWatch& operator=(const StartWatch&) = delete;

  /// From now on the process waits for `what`: a phrase behind "has waited so long for".
  void waits_for(std::string what);
  /// Asks something that has to answer, from another thread; calls `answered`, perhaps at once.
  using Ask = std::function<void(std::function<void()> answered)>;
  /// The same, but however long it takes, as long as answers to `ask` come: programs may call
  /// MPI_Init as late as they like.
  void waits_for(std::string what, Ask ask);

 private:
  class Body;
  std::shared_ptr<Body> body_;  ///< an answer may come after the end
};

}  // namespace launch
