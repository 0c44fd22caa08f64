// A cache of registrations: which ranges are registered, how often they are used, which have to go.
#include "ugni_emu/udreg/cache.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace udreg {
namespace {

constexpr std::uint64_t page = 4096;

std::uint64_t end_of(const udreg_entry_t& entry) { return entry.address + entry.length; }

}  // namespace

bool Cache::release() {
  if (accesses_ == 0) return false;
  --accesses_;
  return true;
}

udreg_return_t Cache::add_use(std::uint64_t address, std::uint64_t length, udreg_entry_t*& entry) {
  constexpr std::uint64_t most = ~std::uint64_t{0} - page;
  if (length == 0 || address > most || length > most - address) return UDREG_RC_INVALID_PARAM;
  const std::uint64_t begin = address / page * page;
  const std::uint64_t end = (address + length + page - 1) / page * page;
  Record* record = covering(begin, end);
  ++(record != nullptr ? hits_ : misses_);
  if (record == nullptr) {
    const udreg_return_t result = register_range(begin, end, record);
    if (result != UDREG_RC_SUCCESS) return result;
  } else if (record->entry.ref_count == 0) {
    unused_.erase(record->place);
  }
  ++record->entry.ref_count;
  entry = &record->entry;
  return UDREG_RC_SUCCESS;
}

udreg_return_t Cache::end_use(const udreg_entry_t* entry) {
  const auto at = find(entry);
  if (at == records_.end() || at->second->entry.ref_count == 0) return UDREG_RC_INVALID_PARAM;
  Record& record = *at->second;
  if (--record.entry.ref_count > 0) return UDREG_RC_SUCCESS;
  if (!has_mode(UDREG_CC_MODE_USE_LAZY_DEREG)) {
    drop(at);
    return UDREG_RC_SUCCESS;
  }
  record.place = unused_.insert(unused_.end(), &record);
  if (has_mode(UDREG_CC_MODE_USE_EVICT_W_UNREG) && records_.size() >= attributes_.max_entries) {
    evict();
  }
  return UDREG_RC_SUCCESS;
}

udreg_return_t Cache::evict() {
  if (unused_.empty()) return UDREG_RC_NO_MATCH;
  const auto at = find(&unused_.front()->entry);
  unused_.pop_front();
  drop(at);
  ++evicted_;
  return UDREG_RC_SUCCESS;
}

std::uint64_t* Cache::statistic(std::uint32_t which) {
  switch (which) {
    case UDREG_STAT_CACHE_HIT:
      return &hits_;
    case UDREG_STAT_CACHE_MISS:
      return &misses_;
    case UDREG_STAT_CACHE_EVICTED:
      return &evicted_;
  }
  return nullptr;
}

void Cache::destroy() {
  unused_.clear();
  while (!records_.empty()) drop(records_.begin());
  if (attributes_.destructor_callback != nullptr) {
    attributes_.destructor_callback(attributes_.destructor_context);
  }
}

Cache::ByAddress::iterator Cache::find(const udreg_entry_t* entry) {
  return std::find_if(records_.begin(), records_.end(),
                      [entry](const auto& each) { return &each.second->entry == entry; });
}

Cache::Record* Cache::covering(std::uint64_t begin, std::uint64_t end) const {
  for (auto at = records_.upper_bound(begin); at != records_.begin();) {
    --at;
    if (begin - at->first > longest_) return nullptr;
    if (end_of(at->second->entry) >= end) return at->second.get();
  }
  return nullptr;
}

udreg_return_t Cache::register_range(std::uint64_t begin, std::uint64_t end, Record*& record) {
  if (records_.size() >= attributes_.max_entries && evict() != UDREG_RC_SUCCESS) {
    return UDREG_RC_NO_SPACE;
  }
  void* const data = register_memory(begin, end);
  if (data == nullptr) return UDREG_RC_NO_SPACE;
  if (data == UDREG_DEVICE_REG_FAILED) return UDREG_RC_INVALID_PARAM;
  auto made = std::make_unique<Record>();
  made->entry = {data, begin, end - begin, 0, 0};
  longest_ = std::max(longest_, end - begin);
  record = records_.emplace(begin, std::move(made))->second.get();
  return UDREG_RC_SUCCESS;
}

/// What is unused goes as long as the device has no room.
void* Cache::register_memory(std::uint64_t begin, std::uint64_t end) {
  void* data = nullptr;
  do {
    data = attributes_.device_reg_func(reinterpret_cast<void*>(begin), end - begin,
                                       attributes_.reg_context);
  } while (data == nullptr && evict() == UDREG_RC_SUCCESS);
  return data;
}

void Cache::drop(ByAddress::iterator at) {
  const std::unique_ptr<Record> record = std::move(at->second);
  records_.erase(at);
  attributes_.device_dereg_func(record->entry.device_data, attributes_.dreg_context);
}

}  // namespace udreg
