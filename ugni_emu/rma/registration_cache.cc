// The registration cache.
#include "ugni_emu/rma/registration_cache.h"

#include <algorithm>

#include "corespec/threads/thread.h"

namespace rma {

RegistrationCache::Limits RegistrationCache::Limits::of(const corespec::Parameters& parameters) {
  return {
      .look_up = parameters.ndreg_hit,
      .unused = parameters.ndreg_lazymem ? static_cast<std::size_t>(parameters.ndreg_entries) : 0,
      .tries = parameters.post_tries};
}

RegistrationCache::~RegistrationCache() {
  if (!kept_) return;
  for (auto& [address, registration] : kept_->entries)
    GNI_MemDeregister(nic_, &registration.handle);
}

CachedRegistration* RegistrationCache::acquire(const void* data, std::uint64_t length) {
  if (!kept_) kept_ = std::make_unique<Kept>();
  const auto begin = reinterpret_cast<std::uint64_t>(data);
  const std::uint64_t end = begin + length;
  corespec::charge(limits_.look_up);
  const auto lowest = begin > kept_->longest ? begin - kept_->longest : 0;
  for (auto it = kept_->entries.upper_bound(begin); it != kept_->entries.begin();) {
    --it;
    CachedRegistration& entry = it->second;
    if (entry.address < lowest) break;
    if (entry.address + entry.length < end) continue;
    if (entry.users++ == 0) kept_->unused.erase(entry.position);
    return &entry;
  }
  CachedRegistration fresh;
  fresh.address = begin;
  fresh.length = end - begin;
  for (std::int64_t tries = limits_.tries;;) {
    const gni_return_t code = GNI_MemRegister(
        nic_, begin, fresh.length, queue_, fresh.read_only ? GNI_MEM_READ_ONLY : GNI_MEM_READWRITE,
        static_cast<std::uint32_t>(-1), &fresh.handle);
    if (code == GNI_RC_SUCCESS) break;
    if (code == GNI_RC_PERMISSION_ERROR && !fresh.read_only) {
      fresh.read_only = true;  // constants are sent, too
    } else if (code != GNI_RC_ERROR_RESOURCE || !(drop_oldest() || tries-- > 0)) {
      failure_ = code;
      return nullptr;
    }
  }
  fresh.users = 1;
  kept_->longest = std::max(kept_->longest, fresh.length);
  return &kept_->entries.emplace(begin, fresh)->second;
}

void RegistrationCache::release(CachedRegistration* registration) {
  if (registration == nullptr || --registration->users != 0) return;
  registration->position = kept_->unused.insert(kept_->unused.end(), registration);
  if (registration->read_only) return drop(registration);  // its pages may become writable
  while (kept_->unused.size() > limits_.unused) drop_oldest();
}

bool RegistrationCache::drop_oldest() {
  if (!kept_ || kept_->unused.empty()) return false;
  drop(kept_->unused.front());
  return true;
}

void RegistrationCache::drop(CachedRegistration* registration) {
  kept_->unused.erase(registration->position);
  GNI_MemDeregister(nic_, &registration->handle);
  const auto [first, last] = kept_->entries.equal_range(registration->address);
  for (auto it = first; it != last; ++it) {
    if (&it->second != registration) continue;
    kept_->entries.erase(it);
    return;
  }
}

}  // namespace rma
