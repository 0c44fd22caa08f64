// Groups: regular ones by rule, others by table.
#include "netmod/mpi/groups/group.h"

#include <algorithm>
#include <utility>

#include "netmod/include/mpi.h"

namespace netmod {
namespace {

bool regular(const std::vector<int>& members) {
  for (std::size_t i = 2; i < members.size(); ++i) {
    if (members[i] - members[i - 1] != members[1] - members[0]) return false;
  }
  return true;
}

}  // namespace

Group::Group(std::vector<int> members) : size_(static_cast<int>(members.size())) {
  if (members.empty()) return;
  if (!regular(members)) {
    table_ = std::make_shared<const std::vector<int>>(std::move(members));
    return;
  }
  first_ = members[0];
  stride_ = members.size() > 1 ? members[1] - members[0] : 1;
}

Group Group::head(int size) const {
  if (size == size_) return *this;
  if (table_ == nullptr) return Group(first_, stride_, size);
  return Group(std::vector<int>(table_->begin(), table_->begin() + size));
}

int Group::member(int job_rank) const {
  if (table_ != nullptr) {
    const auto found = std::find(table_->begin(), table_->end(), job_rank);
    return found == table_->end() ? -1 : static_cast<int>(found - table_->begin());
  }
  const int distance = job_rank - first_;
  if (size_ == 0 || distance % stride_ != 0) return -1;
  const int index = distance / stride_;
  return index >= 0 && index < size_ ? index : -1;
}

std::vector<int> Group::members_of(std::span<const int> job_ranks) const {
  std::vector<int> result;
  result.reserve(job_ranks.size());
  if (table_ == nullptr) {
    for (const int rank : job_ranks) result.push_back(member(rank));
    return result;
  }
  std::vector<std::pair<int, int>> sorted;  // job rank, member
  sorted.reserve(table_->size());
  for (int i = 0; i < size_; ++i) sorted.emplace_back(job_rank(i), i);
  std::sort(sorted.begin(), sorted.end());
  for (const int rank : job_ranks) {
    const auto found = std::lower_bound(sorted.begin(), sorted.end(), std::pair(rank, 0));
    result.push_back(found != sorted.end() && found->first == rank ? found->second : -1);
  }
  return result;
}

std::vector<int> Group::job_ranks() const {
  std::vector<int> ranks;
  ranks.reserve(static_cast<std::size_t>(size_));
  for (int i = 0; i < size_; ++i) ranks.push_back(job_rank(i));
  return ranks;
}

int Group::compare(const Group& other) const {
  if (size_ != other.size_) return MPI_UNEQUAL;
  bool same_order = true;
  for (int i = 0; i < size_ && same_order; ++i) same_order = job_rank(i) == other.job_rank(i);
  if (same_order) return MPI_IDENT;
  std::vector<int> mine = job_ranks();
  std::vector<int> theirs = other.job_ranks();
  std::sort(mine.begin(), mine.end());
  std::sort(theirs.begin(), theirs.end());
  return mine == theirs ? MPI_SIMILAR : MPI_UNEQUAL;
}

}  // namespace netmod
