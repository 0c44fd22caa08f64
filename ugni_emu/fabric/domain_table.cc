// A table that processes fill and read without a lock.
#include "ugni_emu/fabric/domain_table.h"

#include <atomic>

namespace ugni::fabric {
namespace {

constexpr std::uint32_t capacity = 8192;

enum State : std::uint32_t { never_used = 0, changing, used, left };

}  // namespace

struct DomainTable::Shared {
  struct Entry {
    std::atomic<std::uint32_t> state;
    std::atomic<std::uint32_t> instance;
    std::atomic<std::uint32_t> cookie;
    std::atomic<std::uint32_t> ptag;
    std::atomic<std::int32_t> rank;

    bool is(const DomainName& name) const {
      return instance == name.instance && cookie == name.cookie && ptag == name.ptag;
    }
  };
  Entry entries[capacity];
};

// Zeroed memory is an empty table; what is never touched costs nothing.
DomainTable::DomainTable(corespec::NodeMemory& memory)
    : shared_(reinterpret_cast<Shared*>(memory.segment("wire.domains", sizeof(Shared)))) {
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
}

bool DomainTable::add(const DomainName& name, int rank) {
  for (Shared::Entry& entry : shared_->entries) {
    std::uint32_t state = entry.state.load(std::memory_order_acquire);
    if (state != never_used && state != left) continue;
    if (!entry.state.compare_exchange_strong(state, changing, std::memory_order_acq_rel)) continue;
    entry.instance = name.instance;
    entry.cookie = name.cookie;
    entry.ptag = name.ptag;
    entry.rank = rank;
    entry.state.store(used, std::memory_order_release);
    return true;
  }
  return false;
}

void DomainTable::remove(const DomainName& name, int rank) {
  for (Shared::Entry& entry : shared_->entries) {
    const std::uint32_t state = entry.state.load(std::memory_order_acquire);
    if (state == never_used) return;
    // Only its owner takes an entry away, so it does not change meanwhile.
    if (state != used || entry.rank != rank || !entry.is(name)) continue;
    entry.state.store(left, std::memory_order_release);
    return;
  }
}

int DomainTable::find(const DomainName& name) const {
  for (const Shared::Entry& entry : shared_->entries) {
    const std::uint32_t state = entry.state.load(std::memory_order_acquire);
    if (state == never_used) return -1;
    if (state != used || !entry.is(name)) continue;
    const int rank = entry.rank;
    if (entry.state.load() == used) return rank;  // it was not given away meanwhile
  }
  return -1;
}

bool DomainTable::has(const ProtectionName& protection) const {
  for (const Shared::Entry& entry : shared_->entries) {
    const std::uint32_t state = entry.state.load(std::memory_order_acquire);
    if (state == never_used) return false;
    if (state == used && entry.cookie == protection.cookie && entry.ptag == protection.ptag) {
      return true;
    }
  }
  return false;
}

}  // namespace ugni::fabric
