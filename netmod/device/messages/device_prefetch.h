// What a device's next look at its queues needs, prefetched.
#pragma once

#include "corespec/events/prefetch_lines.h"

namespace netmod {

class Connections;
class DeviceImpl;
class MatchingQueues;
class SharedMemory;

/// All at once, where nothing was prefetched ahead of time: one after another would be missed so.
void prefetch_look_now(const DeviceImpl& device);

struct DevicePrefetch {
  using Lines = corespec::LineRequests;

  /// The connections that were used last, and those that are used next if peers follow each other
  /// as they did before; in step 1 their endpoints.
  static void connections(const Connections& connections, unsigned step, Lines& lines);

  /// What a look at messages within the node begins with.
  static void queue(const SharedMemory& shared, Lines& lines);
  /// The first cell in the queue, and then its data. As Prefetchable::prefetch().
  static bool first_cell(const SharedMemory& shared, unsigned step, Lines& lines);

  /// What a search begins with; and, once that is there, where the first message goes.
  static void matching(const MatchingQueues& matching, Lines& lines);
  static void first_memory(const MatchingQueues& matching, Lines& lines);
};

}  // namespace netmod
