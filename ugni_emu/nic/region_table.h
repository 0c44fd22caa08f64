// The memory registered under one protection domain of a NIC, and the handles that name it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "corespec/containers/flat_map.h"
#include "corespec/host/without_data.h"
#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/wire/memory_handle.h"
#include "ugni_emu/wire/wire.h"

namespace nic {

class CompletionQueue;
class Domain;
class MemorySegments;

namespace memory_handle {
using namespace ugni::memory_handle;  // NOLINT(google-build-using-namespace): the same subject

/// The handle of the region with this number.
gni_mem_handle_t make(std::uint64_t address, std::uint64_t length, std::uint16_t number,
                      std::uint8_t flags, std::uint32_t owner);
/// The same handle with another virtual MDH.
gni_mem_handle_t with_vmdh(const gni_mem_handle_t& handle, std::uint32_t vmdh);
constexpr std::uint64_t name_of(const gni_mem_handle_t& handle) {
  return ugni::memory_handle::name_of(handle.qword1, handle.qword2);
}
constexpr std::uint8_t flags_of(const gni_mem_handle_t& handle) {
  return static_cast<std::uint8_t>(handle.qword2 >> flags_shift);
}
/// False for handles that no registration ever issued (all zero, another layout).
bool plausible(const gni_mem_handle_t& handle);
}  // namespace memory_handle

struct Region {
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  Domain* domain = nullptr;                  ///< the one that registered it
  CompletionQueue* queue = nullptr;          ///< where remote events go, or null
  std::uint64_t exposed = 0;                 ///< what Wire::expose() gave
  const MemorySegments* segments = nullptr;  ///< or null: all of it lies at `address`
  std::uint32_t flags = 0;                   ///< GNI_MEM_*
  std::uint16_t number = 0;
  bool keeps_payloads = false;  ///< see doors.h
  bool reserved = false;        ///< without memory, for now

  /// False: memory without data (corespec/host/without_data.h).
  bool has_data() const {
    return !corespec::without_data::holds(reinterpret_cast<const void*>(address));
  }
  // What is at an address that was checked.
  void read(std::uint64_t at, std::span<std::byte> into) const;
  void write(std::uint64_t at, std::span<const std::byte> from) const;
  /// A word, which lies in one piece.
  std::byte* word_at(std::uint64_t at) const;
};

/// The registered memory of one protection domain (tag and cookie) of a NIC: that of all its
/// communication domains, and in virtual time of all the node's ranks. Regions are found by MDH;
/// the handle's address must agree, its other bits may differ (clients rebuild handles from
/// compressed keys). An MDH is used again only after all 4,096 have had their turn, so that a stale
/// handle meets an unused MDH or an address that does not fit.
class RegionTable {
 public:
  static constexpr std::uint32_t any_number = ~0U;

  RegionTable(ugni::Wire& wire, ugni::NicAddress nic, ugni::ProtectionName name)
      : wire_(&wire), nic_(nic), name_(name) {}

  const ugni::ProtectionName& name() const { return name_; }

  /// A communication domain of this protection domain was attached, or goes with all its regions.
  void add_domain() { ++domains_; }
  void drop_domain(const Domain& domain) {
    remove_all_of(domain);
    --domains_;
  }
  bool has_domains() const { return domains_ != 0; }

  /// What is to be registered.
  struct Request {
    std::uint64_t address = 0;  ///< of segments: 0
    std::uint64_t length = 0;
    CompletionQueue* queue = nullptr;
    std::uint32_t flags = 0;  ///< GNI_MEM_*
    std::uint32_t vmdh = any_number;
    const MemorySegments* segments = nullptr;  ///< becomes the region's
  };
  /// The new region of `domain`; null if all MDHs of the node are in use, or the virtual one is.
  const Region* add(Domain& domain, const Request& request, gni_mem_handle_t& handle);
  static gni_mem_handle_t handle_of(const Region& region);
  /// Gives the reserved region its memory.
  void fill(Region& region, const Request& request, gni_mem_handle_t& handle);
  /// Takes the region, which is in the table, out of it.
  void remove(const Region& region);

  /// The region that a handle names (memory_handle::name_of), or null.
  Region* find(std::uint64_t name) {
    Region* region = regions_.find(memory_handle::number_of(name));
    const bool fits =
        region != nullptr && memory_handle::name_at(region->address, region->number) == name;
    return fits ? region : nullptr;
  }
  /// The region with the virtual MDH of `name`, whatever the address there; or null.
  Region* find_vmdh(std::uint64_t name) { return regions_.find(memory_handle::number_of(name)); }
  /// The same as find() if a domain of `domain`'s process registered it; a process cannot get at
  /// the memory of another one of its node but by the NIC.
  Region* find_local(const Domain& domain, std::uint64_t name);
  /// The domain's region with the least number above `number` (or any_number: of all); or null.
  Region* next_of(const Domain& domain, std::uint32_t number);

  enum class Access : std::uint8_t { read, write };

  /// May `length` bytes at `address` be read or written under this handle? `region` is set if ok.
  ugni::ResponseStatus check(std::uint64_t name, std::uint64_t address, std::uint64_t length,
                             Access access, Region*& region) {
    return check(find(name), address, length, access, region);
  }
  /// The same for the local end of a transaction of `domain`'s.
  ugni::ResponseStatus check_local(const Domain& domain, std::uint64_t name, std::uint64_t address,
                                   std::uint64_t length, Access access, Region*& region) {
    return check(find_local(domain, name), address, length, access, region);
  }

  /// The region's memory is told to the wire, which may move data there by itself; or no longer.
  void expose(Region& region);
  void conceal(Region& region);

  /// No region sends events to `queue` any more.
  void forget(const CompletionQueue& queue);

  /// True if a region of `domain`'s has the address in it. A signal handler may call it.
  bool holds(const Domain& domain, std::uint64_t address);

  /// How many MDHs of the node are in use.
  std::uint32_t in_use() const { return own_mdhs_ + wire_->regions_of_others(nic_, name_); }

  /// How many virtual MDHs there are.
  std::uint32_t vmdhs() const { return vmdhs_; }
  void set_vmdhs(std::uint32_t count) { vmdhs_ = count; }

 private:
  friend struct Prefetch;
  static ugni::ResponseStatus check(Region* found, std::uint64_t address, std::uint64_t length,
                                    Access access, Region*& region);
  bool claim_mdh(std::uint32_t least, std::uint32_t& number);
  void remove_all_of(const Domain& domain);

  ugni::Wire* wire_;
  ugni::NicAddress nic_;
  ugni::ProtectionName name_;
  std::uint16_t next_mdh_ = 1;
  std::uint32_t domains_ = 0;
  std::uint32_t own_mdhs_ = 0;
  std::uint32_t vmdhs_ = 0;
  corespec::FlatMap<Region> regions_;
};

}  // namespace nic
