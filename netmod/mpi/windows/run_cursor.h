// The runs of bytes of elements in memory, one after another, in the order of their packed bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "netmod/mpi/datatypes/datatype.h"

namespace netmod {

/// Goes through the contiguous runs of some elements without listing them: what is regular takes
/// no more memory than its type map is deep. Offsets are bytes from the first element's address.
class RunCursor {
 public:
  /// The type outlives it.
  RunCursor(const TypeView& type, std::int64_t count);
  /// One run from offset 0.
  explicit RunCursor(std::int64_t bytes) : bytes_(bytes) {}

  /// Nothing is left if this is 0; else the rest of the present run, and where it begins.
  std::int64_t bytes() const { return bytes_; }
  std::int64_t offset() const { return offset_; }
  /// Goes on by 1 to bytes() bytes.
  void advance(std::int64_t by) {
    offset_ += by;
    bytes_ -= by;
    if (bytes_ == 0) find_next();
  }

 private:
  /// Where it is in a map: the unit of the loop that comes next.
  struct Level {
    const TypeMap* map;
    std::size_t loop;
    std::int64_t unit;
    std::int64_t base;
  };

  void find_next();

  const TypeMap* map_ = nullptr;  ///< null: the present run is the only one
  std::int64_t extent_ = 0;
  std::int64_t elements_ = 0;  ///< that have not been begun
  std::int64_t element_ = 0;   ///< the next one's offset
  std::int64_t offset_ = 0;
  std::int64_t bytes_ = 0;
  std::vector<Level> levels_;
};

}  // namespace netmod
