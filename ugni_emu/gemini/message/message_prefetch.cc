// What a segment's next event or submission needs, prefetched: a hop's, and its ends'.
#include "corespec/events/prefetch_lines.h"
#include "ugni_emu/gemini/message/router.h"
#include "ugni_emu/gemini/port/nic_port_prefetch.h"
#include "ugni_emu/wire/payload_prefetch.h"

namespace gemini {

struct MessagePrefetch {
  using Lines = corespec::LineRequests;

  static void whole(const Segment& segment, Lines& lines) {
    lines.add(static_cast<const SegmentHead*>(&segment), sizeof segment / corespec::line_bytes);
  }

  /// Router::forward(): the router's number says where its links and ports are.
  static bool hop(const Router& router, const Segment& segment, unsigned step, Lines& lines) {
    const bool arrived = segment.route.arrived();
    if (step == 0) {
      lines.add(&router);
      lines.add(arrived ? &router.ejection_ : &router.link(segment.route.link()));
      if (arrived) lines.add(&router.port(segment.port).carrier().in_);
    } else if (arrived) {
      lines.add(&router.nodes_domain_, 4);  // and what its queue holds
    }
    return arrived && step == 0;
  }

  /// MessagePort::submit(): a NIC's way into its router. A function of its own: few steps are.
  __attribute__((noinline)) static bool submission(const Segment& segment, unsigned step,
                                                   Lines& lines) {
    if (step == 0) {
      whole(segment, lines);
      return true;
    }
    const Router& router = *segment.router;
    lines.add(&router.injection_);
    PortPrefetch::own(router.port(segment.source_port), lines);
    ugni::PayloadPrefetch::first(segment.payload, lines);
    return false;
  }

  /// At a NIC.
  static bool arrival(const Segment& segment, bool request, unsigned step, Lines& lines) {
    const Router& router = *segment.router;
    if (step == 0) {
      whole(segment, lines);
      lines.add(&router.injection_);
    } else if (step == 1 && request) {
      ugni::PayloadPrefetch::first(segment.payload, lines);
    } else if (step == 2 && request) {
      ugni::PayloadPrefetch::lent(segment.payload, lines);
    }
    return PortPrefetch::acceptance(router.port(segment.port), segment, request, step, lines);
  }
};

bool Segment::prefetch(corespec::Upcoming what, unsigned step,
                       corespec::LineRequests& lines) const {
  if (what.kind == corespec::Upcoming::Kind::effect) {
    return MessagePrefetch::submission(*this, step, lines);
  }
  const std::uint8_t stage = stage_of(what.arg);
  if (stage == at_router) return MessagePrefetch::hop(*router, *this, step, lines);
  if (stage == lost) return false;
  return MessagePrefetch::arrival(*this, stage == request_arrived, step, lines);
}

}  // namespace gemini
