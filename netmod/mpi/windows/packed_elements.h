// A rank's own elements as packed bytes, for accumulates.
#pragma once

#include <cstddef>
#include <memory>

#include "corespec/threads/rank_memory.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/windows/operation.h"

namespace netmod {

/// In their place, or copied.
class PackedElements {
 public:
  PackedElements(RankState& rank, const LocalData& data) : data_(data.data) {
    if (data.type.contiguous()) return;
    copy_ = corespec::rank_bytes(data.bytes());
    pack(data.type, data.data, data.count, copy_.get());
    rank.charge_copy(data.bytes());
    data_ = copy_.get();
  }
  const std::byte* data() const { return data_; }

 private:
  const std::byte* data_;
  std::unique_ptr<std::byte[]> copy_;
};

}  // namespace netmod
