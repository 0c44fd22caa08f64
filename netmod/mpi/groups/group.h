// Groups: ordered sets of the job's ranks, without a table where an arithmetic rule will do.
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace netmod {

/// Member i is job rank first + i * stride, or table[i]. The world and everything regular (every
/// other rank, a block) need no table, so they cost the same at any size.
class Group {
 public:
  Group() = default;
  /// Ranks first, first + stride, ...
  Group(int first, int stride, int size) : first_(first), stride_(stride), size_(size) {}
  /// Any members (distinct job ranks), in this order.
  explicit Group(std::vector<int> members);

  /// The first `size` members.
  Group head(int size) const;

  int size() const { return size_; }
  /// Job rank of a member.
  int job_rank(int member) const {
    return table_ == nullptr ? first_ + member * stride_
                             : (*table_)[static_cast<std::size_t>(member)];
  }
  /// Member number of a job rank, or -1. O(1) without a table, else O(size).
  int member(int job_rank) const;
  /// Member numbers of many job ranks.
  std::vector<int> members_of(std::span<const int> job_ranks) const;
  std::vector<int> job_ranks() const;
  /// Job ranks between a member and the next, where there is no table.
  int stride() const { return stride_; }
  bool has_table() const { return table_ != nullptr; }

  /// MPI_IDENT (same members in the same order), MPI_SIMILAR (same members) or MPI_UNEQUAL.
  int compare(const Group& other) const;

 private:
  int first_ = 0;
  int stride_ = 1;
  int size_ = 0;
  std::shared_ptr<const std::vector<int>> table_;
};

}  // namespace netmod
