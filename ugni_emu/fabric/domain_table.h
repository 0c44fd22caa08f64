// Which of a node's processes has attached which communication domain.
#pragma once

#include <cstdint>

#include "corespec/threads/node.h"
#include "ugni_emu/wire/wire.h"

namespace ugni::fabric {

/// In node memory, so that every process of a node can answer for all of them.
class DomainTable {
 public:
  explicit DomainTable(corespec::NodeMemory& memory);

  /// False if the node has 8,192 already.
  bool add(const DomainName& name, int rank);
  void remove(const DomainName& name, int rank);
  /// The rank that has attached `name`; -1 if none has.
  int find(const DomainName& name) const;
  /// True if a process of the node has attached a domain of this protection domain.
  bool has(const ProtectionName& protection) const;

 private:
  struct Shared;
  Shared* shared_;
};

}  // namespace ugni::fabric
