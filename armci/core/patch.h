// The shapes of transfers: runs of bytes, strided or listed, and how they are packed.
#pragma once

#include <algorithm>
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
};

/// From the first to behind the last byte of a patch, relative to its base.
struct Extent {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
Extent extent_of(const Patch& patch);

/// Walks over the runs of a patch from a given one on, row by row: a row's runs lie at one
/// distance.
class RunWalker {
 public:
  RunWalker(const Patch& patch, std::int64_t first);
  std::byte* run() const { return patch_->base + offset_; }
  std::int64_t distance() const { return distance_; }
  /// Runs of this row from here on.
  std::int64_t row() const { return row_; }
  /// Goes on by `runs`, at most to the next row.
  void skip(std::int64_t runs) {
    offset_ += runs * distance_;
    row_ -= runs;
    if (row_ == 0) next_row();
  }

 private:
  void next_row();

  const Patch* patch_;
  std::array<std::int64_t, most_levels + 1> index_{};  ///< by level; of a list: the first
  std::int64_t offset_ = 0;
  std::int64_t distance_ = 0;
  std::int64_t row_ = 1;
};

/// Calls use(address) for each run of [first, first + count).
template <typename Use>
void for_each_run(const Patch& patch, std::int64_t first, std::int64_t count, Use use) {
  if (patch.listed) {
    for (std::int64_t i = first; i < first + count; ++i) {
      use(patch.base + patch.list[static_cast<std::size_t>(i)]);
    }
    return;
  }
  for (RunWalker walker(patch, first); count > 0;) {
    const std::int64_t row = std::min(count, walker.row());
    const std::int64_t distance = walker.distance();
    std::byte* run = walker.run();
    for (std::int64_t i = 0; i < row; ++i, run += distance) use(run);
    walker.skip(row);
    count -= row;
  }
}

/// Calls use(address in one, address in the other) for each run of two patches of as many runs.
template <typename Use>
void for_each_pair(const Patch& one, const Patch& other, Use use) {
  RunWalker first(one, 0);
  RunWalker second(other, 0);
  for (std::int64_t left = one.runs(); left > 0;) {
    const std::int64_t row = std::min({left, first.row(), second.row()});
    std::byte* run = first.run();
    std::byte* counterpart = second.run();
    for (std::int64_t i = 0; i < row; ++i) {
      use(run, counterpart);
      run += first.distance();
      counterpart += second.distance();
    }
    first.skip(row);
    second.skip(row);
    left -= row;
  }
}

/// Copies runs [first, first + count) to or from contiguous memory. The caller charges for it.
void pack(const Patch& from, std::int64_t first, std::int64_t count, std::byte* to);
void unpack(const Patch& to, std::int64_t first, std::int64_t count, const std::byte* from);

}  // namespace armci
