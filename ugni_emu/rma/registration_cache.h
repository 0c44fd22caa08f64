// The registration cache (Cray's udreg): registering memory is dear, so it is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>

#include "corespec/config/parameters.h"
#include "corespec/time/time.h"
#include "ugni_emu/include/gni_pub.h"

namespace rma {

/// A registered range; in use by `users` transfers, else kept for the next.
struct CachedRegistration {
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  gni_mem_handle_t handle{};
  std::uint32_t users = 0;
  bool read_only = false;
  std::list<CachedRegistration*>::iterator position;  ///< in the list of unused ones
};

/// Registrations by address; a range that lies within a kept one is a hit. Ranges are kept to the
/// byte and paid for by length, not by the pages they happen to straddle on the host. Unused ones
/// go, oldest first, when there are more than the limit.
class RegistrationCache {
 public:
  struct Limits {
    corespec::Time look_up;  ///< charged for each
    std::size_t unused = 0;  ///< kept at most
    std::int64_t tries = 0;  ///< more of them, where the NIC has no room and nothing can go
    /// Those of MPICH_GNI_NDREG_ENTRIES, or none without MPICH_GNI_NDREG_LAZYMEM;
    /// CASTOR_POST_TRIES.
    static Limits of(const corespec::Parameters& parameters);
  };

  /// Remote events of its regions go into `queue` (null = none).
  RegistrationCache(gni_nic_handle_t nic, const Limits& limits, gni_cq_handle_t queue = nullptr)
      : nic_(nic), queue_(queue), limits_(limits) {}
  ~RegistrationCache();
  RegistrationCache(const RegistrationCache&) = delete;
  RegistrationCache& operator=(const RegistrationCache&) = delete;

  /// A registration that covers [data, data + length), of pages that must not be written a
  /// read-only one; null if the NIC has no room even after every unused one is gone and after as
  /// many tries more as the limits say, or if there is no such memory.
  CachedRegistration* acquire(const void* data, std::uint64_t length);
  /// Why the last acquire() that gave null did so.
  gni_return_t failure() const { return failure_; }
  void release(CachedRegistration* registration);
  /// Gives the NIC one back that is not in use; false if there is none.
  bool drop_oldest();

 private:
  void drop(CachedRegistration* registration);

  gni_nic_handle_t nic_;
  gni_cq_handle_t queue_;
  Limits limits_;
  gni_return_t failure_ = GNI_RC_SUCCESS;
  struct Kept {
    std::multimap<std::uint64_t, CachedRegistration> entries;  ///< by address
    std::list<CachedRegistration*> unused;                     ///< oldest first
    std::uint64_t longest = 0;
  };
  std::unique_ptr<Kept> kept_;  ///< made with the first registration: many ranks have none
};

}  // namespace rma
