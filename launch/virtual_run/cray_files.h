// The files by which a Cray's node says which one it is.
#pragma once

#include "launch/libc/node_files.h"

namespace launch {

/// /proc/cray_xt/cname ("c0-0c0s1n2") and /proc/cray_xt/nid ("6"), a line each.
class CrayFiles final : public NodeFiles {
 public:
  std::string text(const corespec::Process& rank, std::string_view path) const override;
};

}  // namespace launch
