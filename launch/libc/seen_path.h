// A path as the process must give it to the kernel for the calling rank.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

#include "corespec/threads/process.h"
#include "launch/libc/node_files.h"
#include "launch/libc/real.h"
#include "launch/loader/memory_file.h"

namespace launch {

class SeenPath {
 public:
  explicit SeenPath(const char* path) : path_(path) {
    const RankProgram* program = running_program_or_null();
    if (program == nullptr || path == nullptr) return;
    if (path[0] == '/') {
      look_on_node(*program, path);
    } else if (program->moved()) {
      resolved_ = program->resolve(path);
      path_ = resolved_.c_str();
    }
  }
  ~SeenPath() {
    if (file_ >= 0) close(file_);
  }
  /// As openat() and its like take them: what is relative to an open directory is no rank's.
  SeenPath(int directory, const char* path) : path_(path) {
    if (directory != AT_FDCWD) return;
    SeenPath seen(path);
    if (seen.path_ == path) return;
    resolved_ = std::move(seen.resolved_);
    file_ = std::exchange(seen.file_, -1);
    path_ = resolved_.c_str();
  }
  SeenPath(const SeenPath&) = delete;
  SeenPath& operator=(const SeenPath&) = delete;

  const char* get() const { return path_; }

 private:
  /// A file of the node's is one in memory meanwhile: what opens the path has it open by itself.
  void look_on_node(const RankProgram& program, std::string_view path) {
    if (program.node_files == nullptr || !path.starts_with(NodeFiles::folder)) return;
    const corespec::Process* const rank = corespec::this_process_or_null();
    if (rank == nullptr) return;
    const std::string text = program.node_files->text(*rank, path);
    if (text.empty()) return;
    file_ = memfd_create("castor", MFD_CLOEXEC);
    if (file_ < 0) return;
    [[maybe_unused]] const long written = syscall(SYS_write, file_, text.data(), text.size());
    resolved_ = open_path(file_);
    path_ = resolved_.c_str();
  }

  int file_ = -1;
  const char* path_;
  std::string resolved_;
};

}  // namespace launch
