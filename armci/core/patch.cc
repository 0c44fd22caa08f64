// The shapes of transfers.
#include "armci/core/patch.h"

#include <cstring>

#include "ugni_emu/rma/by_length.h"

namespace armci {

std::int64_t Strides::runs() const {
  std::int64_t runs = 1;
  for (int level = 1; level <= levels; ++level) runs *= count[static_cast<std::size_t>(level)];
  return runs;
}

std::int64_t Strides::offset(std::int64_t number) const {
  std::int64_t at = 0;
  for (std::size_t level = 1; level <= static_cast<std::size_t>(levels); ++level) {
    at += number % count[level] * stride[level - 1];
    number /= count[level];
  }
  return at;
}

void Strides::merge(Strides& one, Strides& other) {
  const auto drop_first = [](Strides& strides) {
    strides.count[0] *= strides.count[1];
    for (std::size_t level = 1; level < static_cast<std::size_t>(strides.levels); ++level) {
      strides.count[level] = strides.count[level + 1];
      strides.stride[level - 1] = strides.stride[level];
    }
    --strides.levels;
  };
  while (one.levels > 0 && (one.count[1] == 1 ||
                            (one.stride[0] == one.count[0] && other.stride[0] == other.count[0]))) {
    drop_first(one);
    drop_first(other);
  }
}

Extent extent_of(const Patch& patch) {
  Extent extent;
  if (patch.listed) {
    if (patch.list.empty()) return extent;
    const auto [low, high] = std::minmax_element(patch.list.begin(), patch.list.end());
    return {*low, *high + patch.run_bytes()};
  }
  for (std::size_t level = 1; level <= static_cast<std::size_t>(patch.strides.levels); ++level) {
    const std::int64_t reach = patch.strides.stride[level - 1] * (patch.strides.count[level] - 1);
    (reach < 0 ? extent.begin : extent.end) += reach;
  }
  extent.end += patch.run_bytes();
  return extent;
}

RunWalker::RunWalker(const Patch& patch, std::int64_t first) : patch_(&patch) {
  if (patch.listed) {
    index_[0] = first;
    if (first < patch.runs()) offset_ = patch.list[static_cast<std::size_t>(first)];
    return;
  }
  offset_ = patch.strides.offset(first);
  if (patch.strides.levels == 0) return;
  for (std::size_t level = 1; level <= static_cast<std::size_t>(patch.strides.levels); ++level) {
    index_[level] = first % patch.strides.count[level];
    first /= patch.strides.count[level];
  }
  distance_ = patch.strides.stride[0];
  row_ = patch.strides.count[1] - index_[1];
}

void RunWalker::next_row() {
  row_ = 1;
  if (patch_->listed) {
    if (++index_[0] < patch_->runs()) offset_ = patch_->list[static_cast<std::size_t>(index_[0])];
    return;
  }
  const Strides& strides = patch_->strides;
  if (strides.levels == 0) return;
  row_ = strides.count[1];
  offset_ -= distance_ * row_;
  for (std::size_t level = 2; level <= static_cast<std::size_t>(strides.levels); ++level) {
    offset_ += strides.stride[level - 1];
    if (++index_[level] < strides.count[level]) return;
    offset_ -= strides.stride[level - 1] * strides.count[level];
    index_[level] = 0;
  }
}

void pack(const Patch& from, std::int64_t first, std::int64_t count, std::byte* to) {
  rma::by_length(from.run_bytes(), [&](auto bytes) {
    for_each_run(from, first, count, [&to, bytes](const std::byte* run) {
      std::memcpy(to, run, bytes);
      to += bytes;
    });
  });
}

void unpack(const Patch& to, std::int64_t first, std::int64_t count, const std::byte* from) {
  rma::by_length(to.run_bytes(), [&](auto bytes) {
    for_each_run(to, first, count, [&from, bytes](std::byte* run) {
      std::memcpy(run, from, bytes);
      from += bytes;
    });
  });
}

}  // namespace armci
