// The records of one component: a small buffer, and a drainer that empties it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "corespec/containers/packed_records.h"
#include "corespec/time/time.h"
#include "ugni_emu/telemetry/record.h"

namespace telemetry {

/// What a component's management software takes away: every `period`, at most so many bytes.
struct Drain {
  std::uint32_t buffer_bytes = 0;
  corespec::Time period;
  std::uint64_t bytes_per_period = 0;
};

/// A component writes a record into its buffer, where it stays until the drainer has taken it. A
/// record that finds no room is lost. Records come in the order of the component's own events, so
/// the log does not depend on what else the host does.
///
/// The drainer needs no events: what it has taken until a record comes is worked out then.
class ComponentLog {
 public:
  /// A record of now; true if there was room for it.
  bool note(const Drain& drain, corespec::Time now, const Record& record);
  /// The number of a flow in this component's table, from 1.
  std::uint32_t number_of(const Flow& flow);

  const std::vector<Record>& records() const { return records_; }
  const Flow& flow(std::uint32_t number) const { return flows_[number - 1]; }
  std::uint64_t lost() const { return lost_; }
  bool is_empty() const { return records_.empty() && lost_ == 0; }

  /// After the run: as bytes, for the same component in another process, which has noted nothing.
  void pack(corespec::PackedRecords& into) const;
  void unpack(corespec::RecordReader& from);

  corespec::Time clock_offset;  ///< of the component's clock: ahead of the true time

 private:
  std::vector<Record> records_;  ///< those that have been drained, and those that will be
  std::vector<Flow> flows_;
  std::map<Flow, std::uint32_t> numbers_;
  std::int64_t turns_ = 0;  ///< of the drainer so far
  std::uint64_t held_ = 0;  ///< bytes in the buffer
  std::uint64_t lost_ = 0;
};

}  // namespace telemetry
