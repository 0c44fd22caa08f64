// The shapes of transfers.
#include "armci/core/patch.h"

#include <cstring>

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

RunWalker::RunWalker(const Strides& strides, std::int64_t first)
    : strides_(&strides), offset_(strides.offset(first)) {
  for (std::size_t level = 1; level <= static_cast<std::size_t>(strides.levels); ++level) {
    index_[level] = first % strides.count[level];
    first /= strides.count[level];
  }
}

void RunWalker::next() {
  for (std::size_t level = 1; level <= static_cast<std::size_t>(strides_->levels); ++level) {
    offset_ += strides_->stride[level - 1];
    if (++index_[level] < strides_->count[level]) return;
    offset_ -= strides_->stride[level - 1] * strides_->count[level];
    index_[level] = 0;
  }
}

void pack(const Patch& from, std::int64_t first, std::int64_t count, std::byte* to) {
  const auto bytes = static_cast<std::size_t>(from.run_bytes());
  from.for_each_run(first, count, [&](const std::byte* run) {
    std::memcpy(to, run, bytes);
    to += bytes;
  });
}

void unpack(const Patch& to, std::int64_t first, std::int64_t count, const std::byte* from) {
  const auto bytes = static_cast<std::size_t>(to.run_bytes());
  to.for_each_run(first, count, [&](std::byte* run) {
    std::memcpy(run, from, bytes);
    from += bytes;
  });
}

}  // namespace armci
