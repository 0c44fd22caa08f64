// Numbers of handles, and those of MPI's own.
#include "apps/traces/record/handles.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace dumpi_record {
namespace {

constexpr int null_type = 1;
constexpr int first_own_type = 28;

struct Named {
  int handle;
  int number;
};

/// In the format's order.
constexpr Named types[] = {{MPI_CHAR, 2},
                           {MPI_SIGNED_CHAR, 3},
                           {MPI_UNSIGNED_CHAR, 4},
                           {MPI_BYTE, 5},
                           {MPI_WCHAR, 6},
                           {MPI_SHORT, 7},
                           {MPI_UNSIGNED_SHORT, 8},
                           {MPI_INT, 9},
                           {MPI_UNSIGNED, 10},
                           {MPI_LONG, 11},
                           {MPI_UNSIGNED_LONG, 12},
                           {MPI_FLOAT, 13},
                           {MPI_DOUBLE, 14},
                           {MPI_LONG_DOUBLE, 15},
                           {MPI_LONG_LONG_INT, 16},
                           {MPI_UNSIGNED_LONG_LONG, 17},
                           {MPI_PACKED, 19},
                           {MPI_LB, 20},
                           {MPI_UB, 21},
                           {MPI_FLOAT_INT, 22},
                           {MPI_DOUBLE_INT, 23},
                           {MPI_LONG_INT, 24},
                           {MPI_SHORT_INT, 25},
                           {MPI_2INT, 26},
                           {MPI_LONG_DOUBLE_INT, 27}};

/// Those that are another name of one above.
constexpr Named same_types[] = {{MPI_INT8_T, 3},    {MPI_UINT8_T, 4},   {MPI_INT16_T, 7},
                                {MPI_UINT16_T, 8},  {MPI_INT32_T, 9},   {MPI_UINT32_T, 10},
                                {MPI_INT64_T, 11},  {MPI_UINT64_T, 12}, {MPI_AINT, 11},
                                {MPI_COUNT, 11},    {MPI_OFFSET, 11},   {MPI_C_BOOL, 4},
                                {MPI_CXX_BOOL, 4},  {MPI_CHARACTER, 2}, {MPI_INTEGER, 9},
                                {MPI_LOGICAL, 9},   {MPI_REAL, 13},     {MPI_DOUBLE_PRECISION, 14},
                                {MPI_INTEGER1, 3},  {MPI_INTEGER2, 7},  {MPI_INTEGER4, 9},
                                {MPI_INTEGER8, 11}, {MPI_REAL4, 13},    {MPI_REAL8, 14},
                                {MPI_2INTEGER, 26}};

std::uint32_t size_of(MPI_Datatype type) {
  MPI_Count bytes = 0;
  PMPI_Type_size_x(type, &bytes);
  constexpr MPI_Count most = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp<MPI_Count>(bytes, 0, most));
}

}  // namespace

void Numbers::set(int handle, int number) {
  const std::lock_guard lock(mutex_);
  numbers_.emplace(handle, number);
}

int Numbers::add_locked(int handle) {
  int number = next_;
  if (free_.empty()) {
    ++next_;
  } else {
    number = *free_.begin();
    free_.erase(free_.begin());
  }
  numbers_.emplace(handle, number);
  return number;
}

int Numbers::add(int handle) {
  const std::lock_guard lock(mutex_);
  return add_locked(handle);
}

const int* Numbers::find_locked(int handle) const {
  const auto [first, last] = numbers_.equal_range(handle);
  return first == last ? nullptr : &std::prev(last)->second;
}

int Numbers::find(int handle, int unknown) const {
  const std::lock_guard lock(mutex_);
  const int* const found = find_locked(handle);
  return found == nullptr ? unknown : *found;
}

int Numbers::find_or_add(int handle) {
  const std::lock_guard lock(mutex_);
  const int* const found = find_locked(handle);
  return found == nullptr ? add_locked(handle) : *found;
}

void Numbers::remove(int handle, int number) {
  const std::lock_guard lock(mutex_);
  const auto [first, last] = numbers_.equal_range(handle);
  const auto found =
      std::find_if(first, last, [number](const auto& each) { return each.second == number; });
  if (found == last) return;
  numbers_.erase(found);
  if (reuse_ == Reuse::yes) free_.insert(number);
}

void Numbers::remove(int handle) { remove(handle, find(handle, 0)); }

void TypeNumbers::begin() {
  const std::lock_guard lock(mutex_);
  sizes_.resize(first_own_type);
  numbers_[MPI_DATATYPE_NULL] = null_type;
  for (const Named& each : types) {
    numbers_[each.handle] = each.number;
    sizes_[static_cast<std::size_t>(each.number)] = size_of(each.handle);
  }
  constexpr std::size_t long_long = 18;  // MPI_LONG_LONG is another name of number 16
  sizes_[long_long] = size_of(MPI_LONG_LONG_INT);
  for (const Named& each : same_types) numbers_[each.handle] = each.number;
}

int TypeNumbers::of(MPI_Datatype type) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = numbers_.find(type);
    if (found != numbers_.end()) return found->second;
  }
  return add(type);
}

int TypeNumbers::of_unused(MPI_Datatype type) const {
  const std::lock_guard lock(mutex_);
  const auto found = numbers_.find(type);
  return found == numbers_.end() ? null_type : found->second;
}

int TypeNumbers::add(MPI_Datatype type) {
  const std::uint32_t size = size_of(type);
  const std::lock_guard lock(mutex_);
  int number = static_cast<int>(sizes_.size());
  if (const auto free = free_.find(size); free != free_.end()) {
    number = free->second;
    free_.erase(free);
  } else {
    sizes_.push_back(size);
  }
  numbers_[type] = number;
  return number;
}

void TypeNumbers::remove(MPI_Datatype type) {
  const std::lock_guard lock(mutex_);
  const auto found = numbers_.find(type);
  if (found == numbers_.end() || found->second < first_own_type) return;
  free_.emplace(sizes_[static_cast<std::size_t>(found->second)], found->second);
  numbers_.erase(found);
}

Handles::Handles() {
  comms.set(MPI_COMM_NULL, 1);
  comms.set(MPI_COMM_WORLD, 2);
  comms.set(MPI_COMM_SELF, 3);
  requests.set(MPI_REQUEST_NULL, 1);
  groups.set(MPI_GROUP_NULL, 1);
  groups.set(MPI_GROUP_EMPTY, 2);
  infos.set(MPI_INFO_NULL, 0);
  wins.set(MPI_WIN_NULL, 0);
  constexpr MPI_Op all[] = {MPI_MAX,    MPI_MIN,    MPI_SUM,    MPI_PROD, MPI_LAND,
                            MPI_BAND,   MPI_LOR,    MPI_BOR,    MPI_LXOR, MPI_BXOR,
                            MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE};
  int number = 0;
  for (const MPI_Op each : all) ops.set(each, ++number);
  // The format's MPI_OP_NULL; MPI_NO_OP is younger than it.
  ops.set(MPI_OP_NULL, ++number);
  ops.set(MPI_NO_OP, number);
}

}  // namespace dumpi_record
