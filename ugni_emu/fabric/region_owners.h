// Which of a node's processes has registered the region of which number.
#pragma once

#include <cstdint>
#include <vector>

#include "corespec/threads/node.h"
#include "ugni_emu/wire/wire.h"

namespace ugni::fabric {

/// In node memory, one table a protection domain, so that processes of a node never take the same
/// number and every one can answer for all of them. A look at a table makes it: protection domains
/// that no process of the node has (DomainTable::has) are not to be asked for.
class RegionOwners {
 public:
  explicit RegionOwners(corespec::NodeMemory& memory) : memory_(&memory) {}

  /// False if a process has the number.
  bool claim(const ProtectionName& protection, std::uint16_t number, int rank);
  void release(const ProtectionName& protection, std::uint16_t number);
  /// The rank that has the number; -1 if none has.
  int find(const ProtectionName& protection, std::uint16_t number);
  /// How many numbers ranks other than `rank` have.
  std::uint32_t count_of_others(const ProtectionName& protection, int rank);

 private:
  struct Table;
  Table& table(const ProtectionName& protection);

  corespec::NodeMemory* memory_;
  std::vector<std::pair<ProtectionName, Table*>> tables_;  // those that were used here
};

}  // namespace ugni::fabric
