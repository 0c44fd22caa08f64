// Type maps and signatures: building them, and keeping them small.
#include "netmod/mpi/datatypes/type_map.h"

#include <algorithm>

#include "netmod/mpi/datatypes/checked.h"

namespace netmod {
namespace {

/// A rule is worth a loop from this many units on.
constexpr std::size_t shortest_rule = 4;

bool single(const Loop& loop) { return loop.count == 1 && loop.list == nullptr; }

/// Offsets of two loops with one unit each, of the same kind.
bool same_unit(const Loop& one, const Loop& other) {
  return one.unit == other.unit && one.child == other.child;
}

/// Length of the sequence of equal units at equal distances that begins at `first`.
std::size_t regular_length(const std::vector<Loop>& loops, std::size_t first) {
  std::size_t end = first + 1;
  while (end < loops.size() && single(loops[end]) && same_unit(loops[first], loops[end]) &&
         minus(loops[end].offset, loops[end - 1].offset) ==
             minus(loops[first + 1].offset, loops[first].offset)) {
    ++end;
  }
  return end - first;
}

/// The same for units at any distances; of runs: of any lengths.
std::size_t irregular_length(const std::vector<Loop>& loops, std::size_t first) {
  std::size_t end = first;
  while (end < loops.size() && single(loops[end]) && loops[end].child == loops[first].child &&
         (loops[end].child == nullptr || loops[end].unit == loops[first].unit)) {
    if (regular_length(loops, end) >= 4 * shortest_rule) break;
    ++end;
  }
  return end - first;
}

Loop listed(const std::vector<Loop>& loops, std::size_t first, std::size_t length) {
  auto list = std::make_shared<OffsetList>();
  list->offsets.reserve(length);
  bool equal = true;
  for (std::size_t i = first; i < first + length; ++i) {
    list->offsets.push_back(loops[i].offset);
    equal = equal && loops[i].unit == loops[first].unit;
  }
  Loop made = loops[first];
  made.offset = 0;
  made.count = static_cast<std::int64_t>(length);
  if (!equal) {
    made.unit = 0;
    list->starts.reserve(length + 1);
    std::int64_t start = 0;
    for (std::size_t i = first; i < first + length; ++i) {
      list->starts.push_back(start);
      start = plus(start, loops[i].unit);
    }
    list->starts.push_back(start);
  }
  made.list = std::move(list);
  return made;
}

/// Lowest and highest byte of a loop's units, if they began at offset 0.
std::pair<std::int64_t, std::int64_t> unit_bounds(const Loop& loop) {
  if (loop.child != nullptr) return {loop.child->low(), loop.child->high()};
  return {0, loop.unit};
}

std::pair<std::int64_t, std::int64_t> bounds_of(const Loop& loop) {
  const auto [low, high] = unit_bounds(loop);
  if (loop.list == nullptr) {
    const std::int64_t last = times(loop.count - 1, loop.stride);
    return {plus(plus(loop.offset, std::min<std::int64_t>(0, last)), low),
            plus(plus(loop.offset, std::max<std::int64_t>(0, last)), high)};
  }
  const OffsetList& list = *loop.list;
  std::int64_t lowest = INT64_MAX, highest = INT64_MIN;
  for (std::size_t i = 0; i < list.offsets.size(); ++i) {
    const std::int64_t end = list.starts.empty() ? high : list.starts[i + 1] - list.starts[i];
    lowest = std::min(lowest, plus(list.offsets[i], low));
    highest = std::max(highest, plus(list.offsets[i], end));
  }
  return {plus(loop.offset, lowest), plus(loop.offset, highest)};
}

/// Another such loop at `stride` goes on where it ends.
bool continues(const Loop& loop, std::int64_t stride) {
  std::int64_t behind = 0;
  return !__builtin_mul_overflow(loop.count, loop.stride, &behind) && stride == behind;
}

}  // namespace

TypeMap TypeMap::of_run(std::int64_t bytes) {
  TypeMap map;
  if (bytes > 0) {
    Loop loop;
    loop.unit = bytes;
    map.push(std::move(loop));
  }
  map.measure();
  return map;
}

/// Adds a loop; a run that begins where the last one ends makes it longer.
void TypeMap::push(Loop loop) {
  if (!loops_.empty() && loop.run() && loops_.back().run() &&
      loops_.back().offset + loops_.back().unit == loop.offset) {
    loops_.back().unit = plus(loops_.back().unit, loop.unit);
  } else {
    loops_.push_back(std::move(loop));
  }
}

void TypeMap::measure() {
  bytes_ = 0;
  low_ = loops_.empty() ? 0 : INT64_MAX;
  high_ = loops_.empty() ? 0 : INT64_MIN;
  for (Loop& loop : loops_) {
    loop.start = bytes_;
    bytes_ = plus(bytes_, loop.list == nullptr ? times(loop.count, loop.unit) : loop.bytes());
    const auto [low, high] = bounds_of(loop);
    low_ = std::min(low_, low);
    high_ = std::max(high_, high);
  }
}

TypeMap TypeMap::repeated(std::int64_t count, std::int64_t stride) const {
  TypeMap map;
  if (count <= 0 || bytes_ == 0) return map;
  if (count == 1) return *this;
  Loop loop;
  if (loops_.size() == 1 && loops_[0].list == nullptr &&
      (loops_[0].count == 1 || continues(loops_[0], stride))) {
    loop = loops_[0];
    if (loop.count == 1) loop.stride = stride;
    loop.count = times(loop.count, count);
    if (loop.child == nullptr && loop.stride == loop.unit) {
      loop.unit = times(loop.unit, loop.count);
      loop.count = 1;
    }
  } else {
    loop.count = count;
    loop.stride = stride;
    loop.unit = bytes_;
    loop.child = std::make_shared<TypeMap>(*this);
  }
  map.push(std::move(loop));
  map.measure();
  return map;
}

TypeMap TypeMap::moved(std::int64_t distance) const {
  TypeMap map = *this;
  for (Loop& loop : map.loops_) loop.offset = plus(loop.offset, distance);
  map.measure();
  return map;
}

void TypeMap::append(const TypeMap& next) {
  for (const Loop& loop : next.loops_) push(loop);
}

void TypeMap::compress() {
  std::vector<Loop> small;
  for (std::size_t i = 0; i < loops_.size();) {
    if (!single(loops_[i])) {
      small.push_back(std::move(loops_[i++]));
      continue;
    }
    const std::size_t regular = regular_length(loops_, i);
    const std::size_t irregular = irregular_length(loops_, i);
    if (regular >= shortest_rule && (regular >= irregular || regular >= 4 * shortest_rule)) {
      Loop loop = loops_[i];
      loop.count = static_cast<std::int64_t>(regular);
      loop.stride = minus(loops_[i + 1].offset, loop.offset);
      small.push_back(std::move(loop));
      i += regular;
    } else if (irregular >= shortest_rule) {
      small.push_back(listed(loops_, i, irregular));
      i += irregular;
    } else {
      small.push_back(std::move(loops_[i++]));
    }
  }
  loops_ = std::move(small);
  loops_.shrink_to_fit();
  measure();
}

std::int64_t TypeMap::footprint() const {
  std::int64_t sum = 0;
  for (const Loop& loop : loops_) {
    sum += 1 + (loop.child == nullptr ? 0 : loop.child->footprint());
    if (loop.list != nullptr) sum += static_cast<std::int64_t>(loop.list->offsets.size());
  }
  return sum;
}

void Signature::append(std::int64_t count, const BasicType& basic) {
  if (count <= 0 || basic.size == 0) return;
  bytes_ = plus(bytes_, times(count, basic.size));
  elements_ += count;  // no more than there are bytes
  if (!items_.empty() && items_.back().basic == &basic) {
    items_.back().count += count;
  } else {
    items_.push_back({count, &basic, nullptr});
  }
}

void Signature::append(std::int64_t count, const Signature& next) {
  if (count <= 0 || next.items_.empty()) return;
  if (next.items_.size() == 1 && next.items_[0].basic != nullptr) {
    append(times(count, next.items_[0].count), *next.items_[0].basic);
    return;
  }
  bytes_ = plus(bytes_, times(count, next.bytes_));
  elements_ += count * next.elements_;
  if (next.items_.size() == 1) {
    items_.push_back({count * next.items_[0].count, nullptr, next.items_[0].child});
  } else if (count == 1) {
    items_.insert(items_.end(), next.items_.begin(), next.items_.end());
  } else {
    items_.push_back({count, nullptr, std::make_shared<Signature>(next)});
  }
}

std::int64_t Signature::count_elements(std::int64_t bytes) const {
  if (bytes_ == 0) return 0;
  std::int64_t elements = bytes / bytes_ * elements_;
  std::int64_t rest = bytes % bytes_;
  for (const Item& item : items_) {
    const std::int64_t each = item.basic != nullptr ? item.basic->size : item.child->bytes();
    const std::int64_t now = std::min(rest, item.count * each);
    const std::int64_t found = item.basic == nullptr ? item.child->count_elements(now)
                               : now % each == 0     ? now / each
                                                     : -1;
    if (found < 0) return -1;
    elements += found;
    rest -= now;
    if (rest == 0) break;
  }
  return elements;
}

std::int64_t Signature::bytes_of(std::int64_t elements) const {
  if (elements_ == 0) return 0;
  std::int64_t bytes = elements / elements_ * bytes_;
  std::int64_t rest = elements % elements_;
  for (const Item& item : items_) {
    const std::int64_t each = item.basic != nullptr ? 1 : item.child->elements();
    const std::int64_t now = std::min(rest, item.count * each);
    bytes += item.basic != nullptr ? now * item.basic->size : item.child->bytes_of(now);
    rest -= now;
    if (rest == 0) break;
  }
  return bytes;
}

}  // namespace netmod
