// Files that a node of the machine has and the host has not.
#pragma once

#include <string>
#include <string_view>

#include "corespec/threads/process.h"

namespace launch {

/// For all ranks of a run.
class NodeFiles {
 public:
  /// They are below this folder.
  static constexpr std::string_view folder = "/proc/cray_xt/";

  /// What `rank` reads in the file `path`; empty: there is none.
  virtual std::string text(const corespec::Process& rank, std::string_view path) const = 0;

 protected:
  ~NodeFiles() = default;
};

}  // namespace launch
