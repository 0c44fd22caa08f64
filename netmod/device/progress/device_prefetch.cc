// What a device's next look at its queues needs, prefetched.
#include "netmod/device/messages/device_prefetch.h"

#include <algorithm>

#include "corespec/events/prefetch_numbers.h"
#include "corespec/threads/signal_prefetch.h"
#include "netmod/device/progress/device_impl.h"
#include "netmod/device/within_node/shared_memory_parts.h"
#include "ugni_emu/doors/doors_prefetch.h"

namespace netmod {

using corespec::line_bytes;
using corespec::Upcoming;

// ---- the parts

void DevicePrefetch::connections(const Connections& connections, unsigned step, Lines& lines) {
  if (step == 0) {
    lines.add(connections.last_used_, 2);
    lines.add(connections.used_next_, 2);
    return;
  }
  lines.add(connections.port_.message_queue());
  if (connections.last_used_ != nullptr) {
    doors::prefetch_message(connections.last_used_->endpoint(), lines);
  }
  if (connections.used_next_ != nullptr) lines.add(connections.used_next_->endpoint(), 2);
}

namespace {

/// The second line of a cell or its payload, and then what that has borrowed. As
/// Prefetchable::prefetch().
template <class Cell>
bool data_of(const Cell& cell, std::size_t most, unsigned step, corespec::LineRequests& lines) {
  const ugni::PayloadBlock* const block = cell.payload();
  if (block == nullptr) {
    if (step == 0) lines.add(&cell.memory);
    return false;
  }
  if (step == 0) {
    const std::size_t ahead = std::min<std::size_t>(cell.header.bytes, most);
    lines.add(block, cell.lent ? 1 : 1 + ahead / line_bytes);
    return true;
  }
  if (step == 1 && cell.lent) doors::Payloads::bytes(*block, lines);
  return false;
}

}  // namespace

void DevicePrefetch::queue(const SharedMemory& shared, Lines& lines) {
  lines.add(&shared.queue_of(shared.own_));
  lines.add(&shared.pool());
}

bool DevicePrefetch::first_cell(const SharedMemory& shared, unsigned step, Lines& lines) {
  const std::uint32_t number = shared.queue_of(shared.own_).first.load(std::memory_order_relaxed);
  if (number == 0) return false;
  const SharedMemory::Cell& first = shared.cell(number);
  if (step == 0) {
    lines.add(&first);
    return true;
  }
  if (step == 1) lines.add(&shared.queue_of(first.sender_local));  // which gets it back
  return data_of(first, SharedMemory::data_bytes[0], step - 1, lines);
}

bool SharedMemory::Enqueue::prefetch(Upcoming, unsigned step, corespec::LineRequests& lines) const {
  if (step == 0) {
    lines.add(cell);
    return true;
  }
  data_of(*cell, data_bytes[0], step - 1, lines);
  if (step == 1) {
    lines.add(queue);
    lines.add(queue + (cell->sender_local - local));  // which gets the cell back
    return true;
  }
  const auto* const signal =
      reinterpret_cast<const corespec::Signal*>(queue->signal.load(std::memory_order_relaxed));
  if (signal == nullptr) return false;
  if (step > 2) return corespec::SignalPrefetch::notification(*signal, step - 3, lines);
  lines.add(signal);
  return true;
}

// ---- a look

bool DeviceImpl::prefetch(Upcoming, unsigned step, corespec::LineRequests& lines) const {
  switch (step) {
    case 0:
      lines.add(this, 4);
      lines.add(&port_);
      lines.add(&shared_, sizeof shared_ / line_bytes);
      lines.add(&connections_, 3);
      return true;
    case 1:
      lines.add(port_.receive_queue(), 2);
      if (port_.expects_data_event()) lines.add(port_.data_queue());
      DevicePrefetch::queue(shared_, lines);
      DevicePrefetch::matching(matching_, lines);
      DevicePrefetch::connections(connections_, 0, lines);
      doors::prefetch_datagrams(port_.nic(), lines);
      return true;
    default: {
      const bool more = DevicePrefetch::first_cell(shared_, step - 2, lines);
      if (step == 2) {
        doors::prefetch_events(port_.receive_queue(), lines);
        DevicePrefetch::first_memory(matching_, lines);
        DevicePrefetch::connections(connections_, 1, lines);
        return true;
      }
      if (step == 3) doors::prefetch_events(port_.message_queue(), lines);
      return more;
    }
  }
}

/// A function of its own, as a list of lines would stand on the stack of every rank that waits.
__attribute__((noinline)) void prefetch_look_now(const DeviceImpl& device) {
  corespec::LineList<corespec::prefetch_numbers::lines_of_look> lines;
  for (const unsigned step : {0U, 1U}) device.prefetch({Upcoming::Kind::look}, step, lines);
}

}  // namespace netmod
