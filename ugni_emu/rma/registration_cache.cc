// The registration cache.
#include "ugni_emu/rma/registration_cache.h"

#include <algorithm>

#include "corespec/threads/thread.h"

namespace rma {

RegistrationCache::Limits RegistrationCache::Limits::of(const corespec::Parameters& parameters) {
  return {
      .look_up = parameters.ndreg_hit,
      .unused = parameters.ndreg_lazymem ? static_cast<std::size_t>(parameters.ndreg_entries) : 0};
}

RegistrationCache::~RegistrationCache() {
  for (auto& [address, registration] : entries_) GNI_MemDeregister(nic_, &registration.handle);
}

CachedRegistration* RegistrationCache::acquire(const void* data, std::uint64_t length) {
  const auto begin = reinterpret_cast<std::uint64_t>(data);
  const std::uint64_t end = begin + length;
  corespec::charge(limits_.look_up);
  const auto lowest = begin > longest_ ? begin - longest_ : 0;
  for (auto it = entries_.upper_bound(begin); it != entries_.begin();) {
    --it;
    CachedRegistration& entry = it->second;
    if (entry.address < lowest) break;
    if (entry.address + entry.length < end) continue;
    if (entry.users++ == 0) unused_.erase(entry.position);
    ++hits_;
    return &entry;
  }
  ++misses_;
  CachedRegistration fresh;
  fresh.address = begin;
  fresh.length = end - begin;
  while (GNI_MemRegister(nic_, begin, fresh.length, queue_, GNI_MEM_READWRITE,
                         static_cast<std::uint32_t>(-1), &fresh.handle) != GNI_RC_SUCCESS) {
    if (!drop_oldest()) return nullptr;
  }
  fresh.users = 1;
  longest_ = std::max(longest_, fresh.length);
  return &entries_.emplace(begin, fresh)->second;
}

void RegistrationCache::release(CachedRegistration* registration) {
  if (registration == nullptr || --registration->users != 0) return;
  registration->position = unused_.insert(unused_.end(), registration);
  while (unused_.size() > limits_.unused) drop_oldest();
}

bool RegistrationCache::drop_oldest() {
  if (unused_.empty()) return false;
  drop(unused_.front());
  return true;
}

void RegistrationCache::drop(CachedRegistration* registration) {
  unused_.erase(registration->position);
  GNI_MemDeregister(nic_, &registration->handle);
  const auto [first, last] = entries_.equal_range(registration->address);
  for (auto it = first; it != last; ++it) {
    if (&it->second != registration) continue;
    entries_.erase(it);
    return;
  }
}

}  // namespace rma
