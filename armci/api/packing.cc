// ARMCI functions: packing of strided patches.
#include "armci/api/armci_call.h"

namespace {

armci::Patch patch_of(void* base, int levels, const int* stride, const int* count) {
  if (levels < 0 || levels > armci::most_levels) {
    armci::fail("armci_write_strided", "levels: allowed is 0 to 8");
  }
  armci::Patch patch;
  patch.base = static_cast<std::byte*>(base);
  patch.strides.levels = levels;
  for (std::size_t level = 0; level <= static_cast<std::size_t>(levels); ++level) {
    patch.strides.count[level] = count[level];
    if (level > 0) patch.strides.stride[level - 1] = stride[level - 1];
  }
  return patch;
}

}  // namespace

extern "C" {

void armci_write_strided(void* src, int levels, int* stride, int* count, char* packed) {
  const armci::Patch patch = patch_of(src, levels, stride, count);
  armci::pack(patch, 0, patch.runs(), reinterpret_cast<std::byte*>(packed));
}

void armci_read_strided(void* dst, int levels, int* stride, int* count, char* packed) {
  const armci::Patch patch = patch_of(dst, levels, stride, count);
  armci::unpack(patch, 0, patch.runs(), reinterpret_cast<const std::byte*>(packed));
}

}  // extern "C"
