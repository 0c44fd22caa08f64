// A path as the process must give it to the kernel for the calling rank.
#pragma once

#include <fcntl.h>

#include <string>

#include "launch/libc/real.h"

namespace launch {

class SeenPath {
 public:
  explicit SeenPath(const char* path) : path_(path) {
    const RankProgram* program = running_program_or_null();
    if (program == nullptr || !program->moved() || path == nullptr || path[0] == '/') return;
    resolved_ = program->resolve(path);
    path_ = resolved_.c_str();
  }
  /// As openat() and its like take them: what is relative to an open directory is no rank's.
  SeenPath(int directory, const char* path) : path_(path) {
    if (directory != AT_FDCWD) return;
    SeenPath seen(path);
    if (seen.path_ == path) return;
    resolved_ = std::move(seen.resolved_);
    path_ = resolved_.c_str();
  }
  SeenPath(const SeenPath&) = delete;
  SeenPath& operator=(const SeenPath&) = delete;

  const char* get() const { return path_; }

 private:
  const char* path_;
  std::string resolved_;
};

}  // namespace launch
