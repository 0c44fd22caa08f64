// Where a NIC meets the network: injection by turns, the window, ejection and responses.
#pragma once

#include <cstdint>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/events/prefetch_lines.h"
#include "corespec/time/time.h"
#include "ugni_emu/gemini/message/segment.h"
#include "ugni_emu/gemini/message/server.h"
#include "ugni_emu/gemini/message/timing.h"
#include "ugni_emu/gemini/topology/torus.h"
#include "ugni_emu/wire/wire.h"

namespace gemini {

class Router;

/// One of a Gemini's two NICs, seen from its router. Everything happens in the Gemini's domain.
///
/// Injection serves one request segment after another, taking turns between injectors; a segment
/// that does not fit the window waits, and so do those behind it. Responses have a queue of their
/// own (virtual channel 1) and also leave one after another, so that the two NICs of a Gemini share
/// the host port whatever one of them has queued.
class alignas(64) NicPort final : public corespec::Event {
 public:
  NicPort(Router& router, const Timing& timing, Nid nid, corespec::EventSource source);
  NicPort(const NicPort&) = delete;
  NicPort& operator=(const NicPort&) = delete;

  void attach(ugni::WireClient& client) { client_ = &client; }
  bool attached() const { return client_ != nullptr; }

  /// A segment for a transaction of this NIC, to be filled in and submitted.
  Segment& prepare();
  /// A transaction as a segment: see Network::prepare().
  void submit(Segment& segment);

  /// Ejection: a segment has passed the host port as `passage`; how it enters the NIC.
  /// `timing` is the router's: the port's own pointer to it would be one more line of memory.
  Passage eject(const Timing& timing, const Segment& segment, Passage passage) {
    return in_.serve(segment.channel, timing.nic.time(segment.nic_bytes), passage);
  }

  /// The tail of a request is here: the client acts, the response sets out.
  void accept_request(Segment& segment);
  /// The tail of a response is here: the window opens, the client learns.
  void accept_response(Segment& segment);

  /// Names what the acceptance of a segment will touch; see Event::prefetch().
  bool prefetch_acceptance(const Segment& segment, bool request, unsigned step,
                           corespec::LineRequests& lines) const {
    if (step == 0) {
      prefetch_own(lines);
      return true;
    }
    if (client_ == nullptr) return false;
    if (step > 1) return client_->prefetch(segment.transaction, request, step - 2, lines);
    lines.add(client_);
    return true;
  }
  /// The same for eject().
  void prefetch_ejection(corespec::LineRequests& lines) const { lines.add(&in_); }
  /// The port's own lines: what a submission touches, too.
  void prefetch_own(corespec::LineRequests& lines) const { lines.add(this, 2); }

  /// The request being injected has left, or the next response may leave.
  void fire(std::uint64_t what) override;

 private:
  enum Firing : std::uint64_t { injected, response_turn };

  bool stays_here(Nid target) const;
  [[noreturn]] void refuse(Segment& segment);
  bool is_one_piece(const Segment& rest) const;
  bool reserve(Segment& rest);
  bool idle() const;
  void inject_next();
  void expect_end();
  Segment& take_piece(SegmentQueue& queue);
  void inject(Segment& segment);
  void respond(Segment& segment);
  void send_response(Segment& segment);
  void finish_response_turn();
  corespec::Time send(Segment& segment, const Weight& weight, Nid to);
  corespec::Time send_local(Segment& segment, std::uint32_t payload, Segment::Stage stage);

  // Two lines of what small transactions need, and then the rest.
  Router& router_;
  const Timing& timing_;
  corespec::EventSource source_;
  ugni::WireClient* client_ = nullptr;
  Nid nid_;
  bool injecting_ = false;     ///< an event will tell
  bool sending_last_ = false;  ///< it is a last piece, and the client waits for its end
  std::uint16_t turn_ = 0;     ///< the injector that is asked first
  Server out_, in_;            ///< the NIC's own cap, per direction

  std::uint32_t waiting_ = 0;      ///< transactions not wholly injected
  std::uint32_t outstanding_ = 0;  ///< requests unanswered
  corespec::Time free_at_;         ///< when the present request has left
  SegmentQueue responses_;
  corespec::Time response_free_;  ///< when the last response has left

  std::vector<SegmentQueue> injectors_;  ///< by Transaction::injector
  ugni::Transaction sending_;            ///< the one whose last piece is being injected
};

}  // namespace gemini
