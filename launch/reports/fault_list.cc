// Faults of all parts, as text.
#include "launch/reports/fault_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "corespec/containers/packed_records.h"

namespace launch {

void FaultList::add(const faults::Fault& fault) {
  ++count_;
  faults_.push_back(fault);
}

std::string FaultList::pack() const {
  corespec::PackedRecords packed;
  packed.add(count_);
  packed.add_all(faults_);
  return packed.take();
}

void FaultList::add(std::string_view packed) {
  corespec::RecordReader reader(packed);
  count_ += reader.take<std::uint64_t>();
  reader.take_all(faults_);
  sort();
}

void FaultList::sort() {
  std::stable_sort(
      faults_.begin(), faults_.end(), [](const faults::Fault& left, const faults::Fault& right) {
        return std::tuple(left.at, left.name.node) < std::tuple(right.at, right.name.node);
      });
}

std::string FaultList::csv() const {
  std::string text = "fault,kind,time_us,node,peer\n";
  for (const faults::Fault& each : faults_) {
    fmt::format_to(std::back_inserter(text), "{}.{}.{},{},{:.6f},{},{}\n", each.name.rule,
                   each.name.node, each.name.occasion, faults::name_of(each.kind), each.at.us(),
                   each.name.node, each.peer);
  }
  return text;
}

std::string FaultList::summary() const {
  if (count_ == 0) return "none";
  std::map<faults::FaultKind, std::uint64_t> by_kind;
  for (const faults::Fault& each : faults_) ++by_kind[each.kind];
  std::string text = fmt::format("{}:", count_);
  for (const auto& [kind, count] : by_kind) {
    fmt::format_to(std::back_inserter(text), " {} {},", faults::name_of(kind), count);
  }
  text.pop_back();
  if (faults_.size() < count_) text += fmt::format(" (of the first {})", faults_.size());
  return text;
}

}  // namespace launch
