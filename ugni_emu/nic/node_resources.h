// What a NIC has a limited number of, and how much of it the node's ranks have taken.
#pragma once

#include <cstdint>

#include "corespec/threads/node.h"

namespace nic {

/// Counts in node memory: live, each of the node's processes takes from the same. (Registrations
/// are counted by their numbers: see RegionTable.)
class NodeResources {
 public:
  enum class Kind : std::uint8_t { queues, fma_windows, engines, count };

  explicit NodeResources(corespec::Node& node);

  std::uint32_t total(Kind kind) const;
  /// What the job may have of it: all, until GNI_SetJobResInfo() says less.
  std::uint32_t limit(Kind kind) const;
  void set_limit(Kind kind, std::uint32_t limit);
  std::uint32_t used(Kind kind) const;

  /// Takes one; false if the limit is reached.
  bool take(Kind kind);
  void give_back(Kind kind);

 private:
  struct Shared;
  Shared& shared() const;

  corespec::Node* node_;
  mutable Shared* shared_ = nullptr;
};

}  // namespace nic
