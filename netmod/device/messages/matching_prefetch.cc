// What a search for messages and receives needs, prefetched.
#include "corespec/events/prefetch_lines.h"
#include "corespec/events/prefetch_numbers.h"
#include "netmod/device/messages/device_prefetch.h"
#include "netmod/device/messages/matching.h"

namespace netmod {

void DevicePrefetch::matching(const MatchingQueues& matching, Lines& lines) {
  lines.add(matching.posted_.front());
  lines.add(matching.first_unexpected_.get());
}

void DevicePrefetch::first_memory(const MatchingQueues& matching, Lines& lines) {
  if (matching.posted_.empty() || matching.posted_.front()->has_sink) return;
  lines.add(matching.posted_.front()->data, corespec::prefetch_numbers::first_lines);
}

}  // namespace netmod
