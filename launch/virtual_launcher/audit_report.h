// What is left when a run has ended well (--audit).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/virtual_run/virtual_run.h"

namespace launch {

/// Of all parts of a run.
class AuditReport {
 public:
  /// Of this process's part.
  explicit AuditReport(VirtualRun& run);

  std::string pack() const;
  void add(std::string_view packed);

  bool finds_nothing() const { return machine_.empty() && ranks_.empty(); }
  /// On standard error.
  void print() const;

 private:
  std::vector<std::string> ranks_;    ///< a line each: what its program or a library holds
  std::vector<std::string> machine_;  ///< what cannot be if NICs and network are right
};

}  // namespace launch
