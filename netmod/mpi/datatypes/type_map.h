// Where a datatype's bytes are: runs and loops over them, and which basic elements they hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace netmod {

struct BasicType;
class TypeMap;

/// Offsets that follow no rule.
struct OffsetList {
  std::vector<std::int64_t> offsets;
  /// Runs of unequal lengths: packed bytes before each, and before the end; empty: equal lengths.
  std::vector<std::int64_t> starts;
};

/// A unit (a run of bytes, or a whole type map) at regular distances, or at listed offsets.
struct Loop {
  std::int64_t start = 0;   ///< packed bytes of the loops before
  std::int64_t offset = 0;  ///< of the first unit
  std::int64_t count = 1;
  std::int64_t stride = 0;               ///< between two units
  std::int64_t unit = 0;                 ///< packed bytes of one; 0: unequal ones, see list
  std::shared_ptr<const TypeMap> child;  ///< what a unit is; null: a run
  std::shared_ptr<const OffsetList> list;

  std::int64_t bytes() const {
    return list != nullptr && !list->starts.empty() ? list->starts.back() : count * unit;
  }
  bool run() const { return child == nullptr && list == nullptr && count == 1; }
};

/// The bytes of a datatype in type map order. What is regular stays as small as its description,
/// however many elements it has: a vector is one loop, a vector of vectors of structs three. Making
/// a map or a signature throws MPI_ERR_ARG if a number of its does not fit into 64 bits; with those
/// of one that is made can be computed.
class TypeMap {
 public:
  static TypeMap of_run(std::int64_t bytes);

  /// This map `count` times at a distance of `stride` bytes; moved; with another one behind it.
  TypeMap repeated(std::int64_t count, std::int64_t stride) const;
  TypeMap moved(std::int64_t distance) const;
  void append(const TypeMap& next);
  /// Ends a sequence of append(): finds what follows a rule, lists the rest.
  void compress();

  const std::vector<Loop>& loops() const { return loops_; }
  std::int64_t bytes() const { return bytes_; }  ///< packed
  /// Lowest offset and highest end of its bytes; both 0 if there are none.
  std::int64_t low() const { return low_; }
  std::int64_t high() const { return high_; }
  /// A single run of bytes from offset 0.
  bool one_run() const { return loops_.size() == 1 && loops_[0].run() && loops_[0].offset == 0; }
  /// Pieces in memory, those of the maps below (counted once per use) included.
  std::int64_t footprint() const;

 private:
  void push(Loop loop);
  void measure();

  std::vector<Loop> loops_;
  std::int64_t bytes_ = 0;
  std::int64_t low_ = 0, high_ = 0;
};

/// Copies the packed bytes [first, first + bytes) of `map` out of the elements at `data`, or back.
/// Both ends may be within a basic element.
void pack_map(const TypeMap& map, const std::byte* data, std::int64_t first, std::int64_t bytes,
              std::byte* packed);
void unpack_map(const TypeMap& map, std::byte* data, std::int64_t first, std::int64_t bytes,
                const std::byte* packed);

/// The basic elements of a datatype in type map order: counts of them, and loops.
class Signature {
 public:
  struct Item {
    std::int64_t count = 0;
    const BasicType* basic = nullptr;        ///< or
    std::shared_ptr<const Signature> child;  ///< all of it, `count` times
  };

  void append(std::int64_t count, const BasicType& basic);
  void append(std::int64_t count, const Signature& next);

  const std::vector<Item>& items() const { return items_; }
  std::int64_t elements() const { return elements_; }
  std::int64_t bytes() const { return bytes_; }
  /// Elements in the first `bytes` packed bytes; -1 if the last one is incomplete.
  std::int64_t count_elements(std::int64_t bytes) const;
  /// Packed bytes of the first `elements` of them.
  std::int64_t bytes_of(std::int64_t elements) const;

 private:
  std::vector<Item> items_;
  std::int64_t elements_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace netmod
