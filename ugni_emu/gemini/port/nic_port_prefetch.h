// What a NIC's port touches when a segment comes or goes, prefetched.
#pragma once

#include "corespec/events/prefetch_lines.h"
#include "ugni_emu/gemini/port/nic_port.h"
#include "ugni_emu/wire/wire_prefetch.h"

namespace gemini {

struct PortPrefetch {
  /// The port's own lines: what a submission touches, too.
  template <typename C>
  static void own(const NicPort<C>& port, corespec::LineRequests& lines) {
    lines.add(&port, 2);
  }

  /// What the acceptance of a segment touches. As Prefetchable::prefetch().
  template <typename C>
  static bool acceptance(const NicPort<C>& port, const typename C::Segment& segment, bool request,
                         unsigned step, corespec::LineRequests& lines) {
    if (step == 0) {
      own(port, lines);
      return true;
    }
    if (port.client_ == nullptr) return false;
    if (step > 1) {
      const ugni::UpcomingArrival arrival(segment.transaction, request);
      return port.client_->prefetch(arrival.upcoming(), step - 2, lines);
    }
    lines.add(port.client_);
    return true;
  }
};

}  // namespace gemini
