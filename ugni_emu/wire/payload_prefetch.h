// The bytes of a payload, prefetched.
#pragma once

#include <algorithm>
#include <cstddef>

#include "corespec/events/prefetch_lines.h"
#include "corespec/events/prefetch_numbers.h"
#include "ugni_emu/wire/payload.h"

namespace ugni {

struct PayloadPrefetch {
  /// Where the bytes begin.
  static void first(const Payload& payload, corespec::LineRequests& lines) {
    lines.add(payload.block_, corespec::prefetch_numbers::first_lines);
  }

  /// And, once that is there, what is lent.
  static void lent(const Payload& payload, corespec::LineRequests& lines) {
    const PayloadBlock* const block = payload.block_;
    if (block != nullptr && block->has_tail) bytes(*block, lines);
  }

  /// The bytes, once the block itself is there.
  static void bytes(const PayloadBlock& block, corespec::LineRequests& lines) {
    if (!block.has_tail) {
      lines.add(&block, lines_of(block.size));
      return;
    }
    lines.add(block.tail()->data, lines_of(block.tail()->size));
    lines.add(block.tail()->loan);
  }

 private:
  static std::size_t lines_of(std::size_t bytes) {
    return std::min(bytes, corespec::prefetch_numbers::payload_bytes) / corespec::line_bytes + 1;
  }
};

}  // namespace ugni
