// UDREG functions: a rank's caches by name.
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "corespec/job/adopt_process.h"
#include "corespec/threads/node.h"
#include "corespec/threads/thread.h"
#include "ugni_emu/udreg/cache.h"

namespace {

/// What UDREG keeps for a rank.
class Caches final : public corespec::ProcessState {
 public:
  std::map<std::string, udreg::Cache, std::less<>> by_name;
  udreg::Cache* find(udreg_cache_handle_t handle) {
    for (auto& [name, cache] : by_name) {
      if (reinterpret_cast<udreg_cache_handle_t>(&cache) == handle) return &cache;
    }
    return nullptr;
  }
};

/// Null where there is no rank.
Caches* caches_of_caller() {
  using Slot = corespec::Process::Slot;
  corespec::Process* const process = corespec::adopt_process();
  if (process == nullptr) return nullptr;
  const corespec::DomainHold hold(corespec::this_thread_or_null());
  if (process->state(Slot::udreg) == nullptr) {
    process->set_state(Slot::udreg, std::make_unique<Caches>());
  }
  return static_cast<Caches*>(process->state(Slot::udreg));
}

/// Calls `body(Caches&)` for the calling rank.
template <typename Body>
udreg_return_t with_caches(const Body& body) {
  Caches* const caches = caches_of_caller();
  return caches == nullptr ? UDREG_RC_ERROR_NO_DEVICE : body(*caches);
}

/// Calls `body(Cache&)` for a cache of the calling rank.
template <typename Body>
udreg_return_t with_cache(udreg_cache_handle_t handle, const Body& body) {
  return with_caches([&](Caches& caches) {
    udreg::Cache* const cache = caches.find(handle);
    return cache == nullptr ? UDREG_RC_INVALID_PARAM : body(*cache);
  });
}

bool is_name(const char* text) {
  const std::size_t length = text == nullptr ? 0 : strnlen(text, UDREG_MAX_CACHENAME_LEN + 1);
  return length > 0 && length <= UDREG_MAX_CACHENAME_LEN;
}

bool is_right(const udreg_cache_attr_t* attributes) {
  return attributes != nullptr && is_name(attributes->cache_name) && attributes->max_entries > 0 &&
         attributes->device_reg_func != nullptr && attributes->device_dereg_func != nullptr;
}

}  // namespace

extern "C" {

udreg_return_t UDREG_CacheCreate(udreg_cache_attr_t* attributes) {
  return with_caches([&](Caches& caches) {
    if (!is_right(attributes)) return UDREG_RC_INVALID_PARAM;
    const bool is_new = caches.by_name.try_emplace(attributes->cache_name, *attributes).second;
    return is_new ? UDREG_RC_SUCCESS : UDREG_RC_INVALID_PARAM;
  });
}

udreg_return_t UDREG_CacheAccess(char* cache_name, udreg_cache_handle_t* cache) {
  return with_caches([&](Caches& caches) {
    if (!is_name(cache_name) || cache == nullptr) return UDREG_RC_INVALID_PARAM;
    const auto at = caches.by_name.find(std::string_view(cache_name));
    if (at == caches.by_name.end()) return UDREG_RC_NO_MATCH;
    at->second.access();
    *cache = reinterpret_cast<udreg_cache_handle_t>(&at->second);
    return UDREG_RC_SUCCESS;
  });
}

udreg_return_t UDREG_CacheRelease(udreg_cache_handle_t cache) {
  return with_cache(cache, [](udreg::Cache& found) {
    return found.release() ? UDREG_RC_SUCCESS : UDREG_RC_INVALID_PARAM;
  });
}

udreg_return_t UDREG_CacheDestroy(udreg_cache_handle_t cache) {
  return with_caches([&](Caches& caches) {
    udreg::Cache* const found = caches.find(cache);
    if (found == nullptr || found->accessed()) return UDREG_RC_INVALID_PARAM;
    found->destroy();
    std::erase_if(caches.by_name, [found](const auto& each) { return &each.second == found; });
    return UDREG_RC_SUCCESS;
  });
}

udreg_return_t UDREG_Register(udreg_cache_handle_t cache, void* address, uint64_t length,
                              udreg_entry_t** entry) {
  return with_cache(cache, [&](udreg::Cache& found) {
    if (address == nullptr || entry == nullptr) return UDREG_RC_INVALID_PARAM;
    return found.add_use(reinterpret_cast<std::uint64_t>(address), length, *entry);
  });
}

udreg_return_t UDREG_Unregister(udreg_cache_handle_t cache, udreg_entry_t* entry) {
  return with_cache(cache, [&](udreg::Cache& found) { return found.end_use(entry); });
}

udreg_return_t UDREG_DecrRefcount(udreg_cache_handle_t cache, udreg_entry_t* entry) {
  return UDREG_Unregister(cache, entry);
}

udreg_return_t UDREG_Evict(udreg_cache_handle_t cache) {
  return with_cache(cache, [](udreg::Cache& found) { return found.evict(); });
}

udreg_return_t UDREG_GetStat(udreg_cache_handle_t cache, udreg_cache_stat_t which,
                             uint64_t* value) {
  const auto number = static_cast<std::uint32_t>(which);
  return with_cache(cache, [&](udreg::Cache& found) {
    const std::uint64_t* const figure = found.statistic(number);
    if (value == nullptr || figure == nullptr) return UDREG_RC_INVALID_PARAM;
    *value = *figure;
    return UDREG_RC_SUCCESS;
  });
}

udreg_return_t UDREG_ResetStat(udreg_cache_handle_t cache, udreg_cache_stat_t which) {
  const auto number = static_cast<std::uint32_t>(which);
  return with_cache(cache, [number](udreg::Cache& found) {
    std::uint64_t* const figure = found.statistic(number);
    if (figure == nullptr) return UDREG_RC_INVALID_PARAM;
    *figure = 0;
    return UDREG_RC_SUCCESS;
  });
}

}  // extern "C"
