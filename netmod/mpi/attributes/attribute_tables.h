// What a rank keeps of attribute keys, of info objects and of memory without data.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "netmod/include/mpi.h"
#include "netmod/mpi/attributes/address_blocks.h"
#include "netmod/mpi/calls/handles.h"
#include "netmod/mpi/calls/language.h"

namespace netmod {

/// What an attribute key is for.
enum class AttributeOwner : std::uint8_t { communicator, datatype, window };

/// An attribute key; lives as long as its handle or an attribute uses it. (Handles are integers:
/// the functions have the same type for all owners.)
struct KeyValue {
  MPI_Comm_copy_attr_function* copy = nullptr;
  MPI_Comm_delete_attr_function* erase = nullptr;
  void* extra_state = nullptr;
  int uses = 0;
  bool freed = false;  ///< its handle has been given up, though attributes may have it
  AttributeOwner owner = AttributeOwner::communicator;
  const KeyProxies* proxies = nullptr;  ///< null: the functions are C's
};

struct InfoObject {
  std::vector<std::pair<std::string, std::string>> pairs;  ///< in order of setting
};

struct AttributeTables {
  HandleTable<KeyValue> keys{HandleKind::key_value, 1};
  HandleTable<InfoObject> infos{HandleKind::info, 2};
  std::unique_ptr<AddressBlocks> without_data;  ///< of MPI_Alloc_mem; made at the first use
};

}  // namespace netmod
