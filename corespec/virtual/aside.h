// What a thread in virtual time is called aside for.
#pragma once

namespace corespec {

/// Something that a thread has to do as soon as it comes to itself, whatever it was about to do:
/// run a signal's handler (VirtualThread::call_aside()).
class Aside {
 public:
  /// On the thread, which may do there whatever it may do in a program.
  virtual void run() = 0;

 protected:
  ~Aside() = default;
};

}  // namespace corespec
