// A caller's buffer as contiguous bytes, for collectives.
#pragma once

#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/datatypes/datatype.h"

namespace netmod {

/// Elements to read: the buffer itself, or (datatype with gaps) a packed copy.
class PackedInput {
 public:
  PackedInput(const CollectiveCall& call, const TypeView& type, const void* buffer,
              std::int64_t count)
      : data_(static_cast<const std::byte*>(buffer)) {
    if (type.contiguous()) return;
    const std::int64_t bytes = type.packed_bytes(count);
    copy_ = call.memory(bytes);
    pack(type, buffer, count, copy_.get());
    call.rank.charge_copy(bytes);
    data_ = copy_.get();
  }
  const std::byte* data() const { return data_; }

 private:
  const std::byte* data_;
  Scratch copy_;
};

/// Elements to write; store() puts them where they belong. `load`: they start with what the
/// buffer holds.
class PackedOutput {
 public:
  PackedOutput(const CollectiveCall& call, const TypeView& type, void* buffer, std::int64_t count,
               bool load = false)
      : call_(&call), type_(type), buffer_(buffer), bytes_(type.packed_bytes(count)) {
    if (type.contiguous()) return;
    copy_ = call.memory(bytes_);
    if (!load) return;
    pack(type, buffer, count, copy_.get());
    call.rank.charge_copy(bytes_);
  }
  std::byte* data() const {
    return copy_.get() != nullptr ? copy_.get() : static_cast<std::byte*>(buffer_);
  }
  void store() const {
    if (copy_.get() == nullptr) return;
    call_->unpack(type_, copy_.get(), bytes_, buffer_);
    call_->charge_copy(bytes_);
  }

 private:
  const CollectiveCall* call_;
  TypeView type_;
  void* buffer_;
  std::int64_t bytes_;
  Scratch copy_;
};

}  // namespace netmod
