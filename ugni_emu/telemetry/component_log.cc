// The drainer, worked out when a record comes.
#include "ugni_emu/telemetry/component_log.h"

#include <algorithm>

namespace telemetry {

bool ComponentLog::note(const Drain& drain, corespec::Time now, const Record& record) {
  const std::int64_t turns = now / drain.period;
  const auto passed = static_cast<std::uint64_t>(turns - turns_);
  turns_ = turns;
  if (passed != 0) {
    // More turns than the buffer has bytes empty it whatever they take.
    const std::uint64_t enough = std::min<std::uint64_t>(passed, held_);
    held_ -= std::min(held_, enough * drain.bytes_per_period);
  }
  if (held_ + sizeof record > drain.buffer_bytes) {
    ++lost_;
    return false;
  }
  held_ += sizeof record;
  records_.push_back(record);
  records_.back().arrived_ps += clock_offset.ps();
  return true;
}

std::uint32_t ComponentLog::number_of(const Flow& flow) {
  const auto [found, fresh] =
      numbers_.try_emplace(flow, static_cast<std::uint32_t>(flows_.size() + 1));
  if (fresh) flows_.push_back(flow);
  return found->second;
}

void ComponentLog::pack(corespec::PackedRecords& into) const {
  into.add(lost_);
  into.add_all(records_);
  into.add_all(flows_);
}

void ComponentLog::unpack(corespec::RecordReader& from) {
  lost_ = from.take<std::uint64_t>();
  from.take_all(records_);
  from.take_all(flows_);
}

}  // namespace telemetry
