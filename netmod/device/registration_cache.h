// The registration cache (Cray's udreg): registering memory is dear, so it is kept.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>

#include "netmod/device/settings.h"
#include "ugni_emu/include/gni_pub.h"

namespace netmod {

/// A registered range; in use by `users` transfers, else kept for the next.
struct CachedRegistration {
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  gni_mem_handle_t handle{};
  std::uint32_t users = 0;
  std::list<CachedRegistration*>::iterator position;  ///< in the list of unused ones
};

/// Registrations by address; a range that lies within a kept one is a hit. Ranges are kept to the
/// byte and paid for by length, not by the pages they happen to straddle on the host. Unused ones
/// go, oldest first, when there are more than MPICH_GNI_NDREG_ENTRIES, or at once without
/// MPICH_GNI_NDREG_LAZYMEM.
class RegistrationCache {
 public:
  RegistrationCache(gni_nic_handle_t nic, const Settings& settings)
      : nic_(nic), settings_(&settings) {}
  ~RegistrationCache();
  RegistrationCache(const RegistrationCache&) = delete;
  RegistrationCache& operator=(const RegistrationCache&) = delete;

  /// A registration that covers [data, data + length); null if the NIC has no room even after
  /// every unused one is gone.
  CachedRegistration* acquire(const void* data, std::uint64_t length);
  void release(CachedRegistration* registration);

 private:
  void drop(CachedRegistration* registration);
  bool drop_oldest();

  gni_nic_handle_t nic_;
  const Settings* settings_;
  struct Kept {
    std::multimap<std::uint64_t, CachedRegistration> entries;  ///< by address
    std::list<CachedRegistration*> unused;                     ///< oldest first
    std::uint64_t longest = 0;
  };
  std::unique_ptr<Kept> kept_;  ///< made with the first registration: many ranks have none
};

}  // namespace netmod
