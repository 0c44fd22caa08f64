// A caller's buffer as contiguous bytes, for collectives.
#pragma once

#include <memory>

#include "netmod/mpi/rank_state.h"

namespace netmod {

/// Elements to read: the buffer itself, or (datatype with gaps) a packed copy.
class PackedInput {
 public:
  PackedInput(const RankState& rank, const TypeView& type, const void* buffer, std::int64_t count)
      : data_(static_cast<const std::byte*>(buffer)) {
    if (type.contiguous()) return;
    const std::int64_t bytes = type.packed_bytes(count);
    copy_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
    pack(type, buffer, count, copy_.get());
    rank.charge_copy(bytes);
    data_ = copy_.get();
  }
  const std::byte* data() const { return data_; }

 private:
  const std::byte* data_;
  std::unique_ptr<std::byte[]> copy_;
};

/// Elements to write; store() puts them where they belong. `load`: they start with what the
/// buffer holds.
class PackedOutput {
 public:
  PackedOutput(const RankState& rank, const TypeView& type, void* buffer, std::int64_t count,
               bool load = false)
      : rank_(&rank), type_(type), buffer_(buffer), bytes_(type.packed_bytes(count)) {
    if (type.contiguous()) return;
    copy_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes_));
    if (!load) return;
    pack(type, buffer, count, copy_.get());
    rank.charge_copy(bytes_);
  }
  std::byte* data() const {
    return copy_ != nullptr ? copy_.get() : static_cast<std::byte*>(buffer_);
  }
  void store() const {
    if (copy_ == nullptr) return;
    unpack(type_, copy_.get(), bytes_, buffer_);
    rank_->charge_copy(bytes_);
  }

 private:
  const RankState* rank_;
  TypeView type_;
  void* buffer_;
  std::int64_t bytes_;
  std::unique_ptr<std::byte[]> copy_;
};

}  // namespace netmod
