// A cache of registrations: which ranges are registered, how often they are used, which have to go.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>

#include "ugni_emu/include/udreg_pub.h"

namespace udreg {

class Cache {
 public:
  explicit Cache(const udreg_cache_attr_t& attributes) : attributes_(attributes) {}

  void access() { ++accesses_; }
  /// False if there is no access to end.
  bool release();
  bool accessed() const { return accesses_ > 0; }

  udreg_return_t add_use(std::uint64_t address, std::uint64_t length, udreg_entry_t*& entry);
  udreg_return_t end_use(const udreg_entry_t* entry);
  udreg_return_t evict();
  /// `which` of udreg_cache_stat_t; null for any other number, which a caller may give as well.
  std::uint64_t* statistic(std::uint32_t which);
  /// Deregisters what is left and calls the caller's destructor. Before a rank's end only: the
  /// functions are the program's.
  void destroy();

 private:
  struct Record {
    udreg_entry_t entry;
    std::list<Record*>::iterator place;  ///< in unused_, if it is
  };
  using ByAddress = std::multimap<std::uint64_t, std::unique_ptr<Record>>;

  bool has_mode(std::uint32_t mode) const { return (attributes_.modes & mode) != 0; }
  ByAddress::iterator find(const udreg_entry_t* entry);
  Record* covering(std::uint64_t begin, std::uint64_t end) const;
  udreg_return_t register_range(std::uint64_t begin, std::uint64_t end, Record*& record);
  void* register_memory(std::uint64_t begin, std::uint64_t end);
  void drop(ByAddress::iterator at);

  udreg_cache_attr_t attributes_;
  ByAddress records_;
  std::list<Record*> unused_;  ///< the longest unused first
  std::uint64_t accesses_ = 0;
  std::uint64_t longest_ = 0;  ///< of the ranges that have been registered
  std::uint64_t hits_ = 0, misses_ = 0, evicted_ = 0;
};

}  // namespace udreg
