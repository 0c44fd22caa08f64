// Tables that processes fill and read without a lock.
#include "ugni_emu/fabric/region_owners.h"

#include <atomic>
#include <string>

#include "ugni_emu/wire/memory_handle.h"

namespace ugni::fabric {

/// Zeroed memory is an empty table.
struct RegionOwners::Table {
  std::atomic<std::int32_t>
      owner[memory_handle::number_count];  ///< one more than the rank; 0: none
  static_assert(std::atomic<std::int32_t>::is_always_lock_free);
};

RegionOwners::Table& RegionOwners::table(const ProtectionName& protection) {
  for (const auto& [name, table] : tables_) {
    if (name == protection) return *table;
  }
  const std::string name =
      "wire.regions." + std::to_string(protection.cookie) + '.' + std::to_string(protection.ptag);
  auto* const table = reinterpret_cast<Table*>(memory_->segment(name, sizeof(Table)));
  tables_.emplace_back(protection, table);
  return *table;
}

bool RegionOwners::claim(const ProtectionName& protection, std::uint16_t number, int rank) {
  std::int32_t none = 0;
  return table(protection)
      .owner[number]
      .compare_exchange_strong(none, rank + 1, std::memory_order_acq_rel);
}

void RegionOwners::release(const ProtectionName& protection, std::uint16_t number) {
  table(protection).owner[number].store(0, std::memory_order_release);
}

int RegionOwners::find(const ProtectionName& protection, std::uint16_t number) {
  return table(protection).owner[number].load(std::memory_order_acquire) - 1;
}

std::uint32_t RegionOwners::count_of_others(const ProtectionName& protection, int rank) {
  std::uint32_t count = 0;
  Table& shared = table(protection);
  for (std::uint32_t mdh = 0; mdh < memory_handle::mdh_count; ++mdh) {
    const std::int32_t has = shared.owner[mdh].load(std::memory_order_relaxed);
    if (has != 0 && has != rank + 1) ++count;
  }
  return count;
}

}  // namespace ugni::fabric
