// What a search for messages and receives needs, prefetched.
#include "corespec/events/prefetch_lines.h"
#include "corespec/events/prefetch_numbers.h"
#include "netmod/device/messages/device_prefetch.h"
#include "netmod/device/messages/matching.h"
#include "ugni_emu/doors/doors_prefetch.h"

namespace netmod {

using corespec::line_bytes;

void DevicePrefetch::matching(const MatchingQueues& matching, Lines& lines) {
  lines.add(matching.posted_.front());
  lines.add(matching.first_unexpected_.get());
}

void DevicePrefetch::first_memory(const MatchingQueues& matching, Lines& lines) {
  if (matching.posted_.empty() || matching.posted_.front()->has_sink) return;
  lines.add(matching.posted_.front()->data, corespec::prefetch_numbers::first_lines);
}

__attribute__((noinline)) void DevicePrefetch::next_unexpected(const MatchingQueues& matching) {
  corespec::LineList<corespec::prefetch_numbers::lines_of_look> lines;
  const Unexpected* next = matching.first_unexpected_.get();
  if (next == nullptr) return;
  doors::Payloads::lent(next->holder, lines);
  next = next->next.get();
  if (next == nullptr) return;
  doors::Payloads::first(next->holder, lines);
  lines.add(next->next.get(), sizeof(Unexpected) / line_bytes + 1);
}

}  // namespace netmod
