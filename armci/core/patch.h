// The shapes of transfers: runs of bytes, strided or listed, and how they are packed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace armci {

constexpr int most_levels = 8;

/// A strided patch, relative to its base: runs of count[0] bytes, count[i] of them at level i,
/// stride[i-1] bytes apart.
struct Strides {
  int levels = 0;
  std::array<std::int64_t, most_levels + 1> count{};
  std::array<std::int64_t, most_levels> stride{};

  std::int64_t runs() const;
  std::int64_t bytes() const { return runs() * count[0]; }
  /// Where run `number` begins; numbers count the lowest level first.
  std::int64_t offset(std::int64_t number) const;
  bool contiguous() const { return runs() == 1; }
  /// The same patch with levels that lie without gaps merged into the runs, here and in `other`,
  /// which has the same counts.
  static void merge(Strides& one, Strides& other);
};

/// Walks over the runs of a patch from a given one on.
class RunWalker {
 public:
  RunWalker(const Strides& strides, std::int64_t first);
  std::int64_t offset() const { return offset_; }
  void next();

 private:
  const Strides* strides_;
  std::array<std::int64_t, most_levels + 1> index_{};
  std::int64_t offset_ = 0;
};

/// One side of a transfer: a strided patch, or a list of runs of the same length.
struct Patch {
  std::byte* base = nullptr;
  Strides strides;
  std::vector<std::int64_t> list;  ///< offsets from base; used if `listed`
  bool listed = false;

  std::int64_t run_bytes() const { return strides.count[0]; }
  std::int64_t runs() const {
    return listed ? static_cast<std::int64_t>(list.size()) : strides.runs();
  }
  std::int64_t bytes() const { return runs() * run_bytes(); }
  bool contiguous() const { return runs() == 1; }
  /// Where the first run of a listed patch, or that of a patch of one run, begins.
  std::byte* begin() const { return base + (listed ? list[0] : 0); }

  /// Calls use(address) for each run of [first, first + count).
  template <typename Use>
  void for_each_run(std::int64_t first, std::int64_t count, Use use) const {
    if (listed) {
      for (std::int64_t i = first; i < first + count; ++i) {
        use(base + list[static_cast<std::size_t>(i)]);
      }
      return;
    }
    RunWalker walker(strides, first);
    for (std::int64_t i = 0; i < count; ++i, walker.next()) use(base + walker.offset());
  }
};

/// Copies runs [first, first + count) to or from contiguous memory. The caller charges for it.
void pack(const Patch& from, std::int64_t first, std::int64_t count, std::byte* to);
void unpack(const Patch& to, std::int64_t first, std::int64_t count, const std::byte* from);

}  // namespace armci
