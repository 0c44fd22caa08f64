// MPI functions: memory.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "corespec/host/without_data.h"
#include "corespec/threads/node.h"
#include "corespec/threads/rank_memory.h"
#include "netmod/mpi/attributes/attribute_tables.h"
#include "netmod/mpi/attributes/info.h"
#include "netmod/mpi/calls/call_scope.h"

namespace netmod {
namespace {

/// True if the program says that it will not look at the memory.
bool asks_for_no_data(RankState& rank, MPI_Info info) {
  if (info == MPI_INFO_NULL) return false;
  const auto& pairs = readable_info(rank, info).pairs;
  const auto found = std::find_if(pairs.begin(), pairs.end(),
                                  [](const auto& pair) { return pair.first == "castor_data"; });
  if (found == pairs.end()) return false;
  if (found->second == "none") return true;
  fail(MPI_ERR_INFO_VALUE,
       fmt::format("the info key castor_data is '{}' (allowed: none)", found->second));
}

/// Null: the clock's programs have their data.
void* addresses_without_data(RankState& rank, std::size_t bytes) {
  try {
    if (!rank.process().node().memory().offers_memory_without_data()) return nullptr;
  } catch (const std::runtime_error& error) {
    fail(MPI_ERR_NO_MEM, error.what());
  }
  std::unique_ptr<AddressBlocks>& blocks = rank.attributes().without_data;
  if (blocks == nullptr) {
    blocks = std::make_unique<AddressBlocks>(corespec::without_data::first_address,
                                             corespec::without_data::range_bytes);
  }
  const std::uintptr_t address = blocks->take(bytes);
  if (address == 0) {
    fail(MPI_ERR_NO_MEM,
         fmt::format("there are no addresses for {} more bytes without data (a rank has {} GiB)",
                     bytes, corespec::without_data::range_bytes >> 30));
  }
  return reinterpret_cast<void*>(address);
}

void free_memory(RankState& rank, void* base) {
  if (!corespec::without_data::holds(base)) {
    std::free(base);
    return;
  }
  AddressBlocks* const blocks = rank.attributes().without_data.get();
  if (blocks == nullptr || !blocks->give_back(reinterpret_cast<std::uintptr_t>(base))) {
    fail(MPI_ERR_BASE, fmt::format("MPI_Alloc_mem has not given the memory at {}", base));
  }
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::check_pointer;
using netmod::RankState;

extern "C" {

int PMPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr) {
  return call("MPI_Alloc_mem", [&](RankState& rank) {
    if (size < 0) {
      netmod::fail(MPI_ERR_ARG, fmt::format("size is {} (allowed: 0 and above)", size));
    }
    check_pointer(baseptr, "baseptr");
    const auto bytes = static_cast<std::size_t>(size == 0 ? 1 : size);
    void* memory = nullptr;
    if (netmod::asks_for_no_data(rank, info)) memory = netmod::addresses_without_data(rank, bytes);
    if (memory == nullptr) {
      const corespec::RankMemory own;
      memory = std::malloc(bytes);
    }
    if (memory == nullptr) {
      netmod::fail(MPI_ERR_NO_MEM, fmt::format("there is no memory for {} bytes", size));
    }
    *static_cast<void**>(baseptr) = memory;
  });
}
NETMOD_PUBLISH(Alloc_mem);

int PMPI_Free_mem(void* base) {
  return call("MPI_Free_mem", [&](RankState& rank) { netmod::free_memory(rank, base); });
}
NETMOD_PUBLISH(Free_mem);

}  // extern "C"
