// What a signal handler must not change.
#pragma once

#include <cerrno>

namespace launch {

/// errno is afterwards what it was: the code that a signal has interrupted may look at it next.
class KeptErrno {
 public:
  KeptErrno() : value_(errno) {}
  ~KeptErrno() { errno = value_; }
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;

 private:
  int value_;
};

}  // namespace launch
