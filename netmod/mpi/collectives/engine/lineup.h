// The ranks that take part in a step of a collective: all of a communicator, or some of them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace netmod {

/// Ranks of a communicator, numbered from 0: by rule, or by a table that its maker keeps.
class Lineup {
 public:
  Lineup() = default;
  /// Ranks first, first + 1, ...
  static Lineup range(int first, int size, int self) { return Lineup(size, self, 1, first, 1); }
  /// Rank floor((number * step + offset) / stride), not below 0.
  static Lineup rule(int size, int self, int step, int offset, int stride) {
    return Lineup(size, self, step, offset, stride);
  }
  static Lineup table(const int* ranks, int size, int self) {
    Lineup made(size, self, 1, 0, 1);
    made.table_ = ranks;
    return made;
  }

  int size() const { return size_; }
  /// The caller's number.
  int self() const { return self_; }
  /// Rank in the communicator.
  int at(int number) const {
    if (number == stood_in_for_) return stand_in_;
    if (table_ != nullptr) return table_[number];
    if (stride_ == 1 && step_ == 1) return offset_ + number;
    const std::int64_t rank = (std::int64_t{number} * step_ + offset_) / stride_;
    return std::max(0, static_cast<int>(rank));
  }
  /// The same with `rank` in the place of a number's.
  Lineup with(int number, int rank) const {
    Lineup made = *this;
    made.stood_in_for_ = number;
    made.stand_in_ = rank;
    return made;
  }

 private:
  Lineup(int size, int self, int step, int offset, int stride)
      : size_(size), self_(self), step_(step), offset_(offset), stride_(stride) {}

  int size_ = 0;
  int self_ = 0;
  int step_ = 1;
  int offset_ = 0;
  int stride_ = 1;
  int stood_in_for_ = -1;
  int stand_in_ = -1;
  const int* table_ = nullptr;
};

}  // namespace netmod
