// A segment on its way: the unit that moves, queues and is counted in fidelity `message`.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/events/prefetch_lines.h"
#include "ugni_emu/gemini/format/channels.h"
#include "ugni_emu/gemini/links/server.h"
#include "ugni_emu/gemini/topology/route_word.h"
#include "ugni_emu/wire/wire.h"

namespace gemini {

class Router;

/// What a hop needs of a segment: one cache line, and the event that fires wherever it goes next.
struct SegmentHead : corespec::Event {
  Router* router = nullptr;  ///< where it is, or arrives when it fires
  RouteWord route;           ///< what is left of its way
  Passage passage;           ///< there, or as it left the last server
  std::uint32_t phits = 0;
  std::uint32_t packets = 0;     ///< those of its response are as many
  std::uint32_t nic_bytes = 0;   ///< payload that the NICs move
  std::uint8_t tries = 0;        ///< how often it was sent again
  std::uint8_t port = 0;         ///< the NIC of the last router that it is for
  std::uint8_t source_port = 0;  ///< the NIC that its response is for
  std::uint8_t channel : 1 = kRequests;
  bool last : 1 = false;    ///< its transaction's last piece
  bool marked : 1 = false;  ///< components write records of it (ugni_emu/telemetry)
  ugni::ResponseStatus status : 4 = ugni::ResponseStatus::ok;
  std::uint32_t offset = 0;  ///< in its transaction
  std::uint32_t length = 0;

 protected:
  ~SegmentHead() = default;
};
static_assert(sizeof(SegmentHead) == 64);

/// A piece of a transaction, there as a request and back as its response in the same object; in the
/// beginning also what the thread that posted it does at its own time. It belongs to the domain it
/// is in.
struct alignas(64) Segment final : SegmentHead, ugni::Submission {
  /// What a firing means; at a router, in the router's lane, with the port that it comes in by.
  enum Stage : std::uint8_t { at_router = 0, request_arrived = 1, response_arrived = 2, lost = 3 };
  /// Of one that is lost, in place of a port: where it is on its way back. At routers, in their
  /// lanes, but for the last one.
  enum WayBack : std::uint8_t { leaves_for_sender, leaves_for_source, at_its_router, at_its_nic };
  static constexpr std::uint64_t lost_at(std::uint32_t router, WayBack where) {
    return corespec::in_lane(router, static_cast<std::uint8_t>(where << 2 | lost));
  }
  static constexpr std::uint8_t stage_of(std::uint64_t arg) { return arg & 3; }
  static constexpr unsigned port_of(std::uint64_t arg) { return (arg & 0xFF) >> 2; }
  static constexpr std::uint64_t at_router_by(std::uint32_t router, unsigned port) {
    return corespec::in_lane(router, static_cast<std::uint8_t>(port << 2 | at_router));
  }
  static constexpr unsigned most_ports = 64;

  void fire(std::uint64_t arg) override;
  bool prefetch(corespec::Upcoming what, unsigned step,
                corespec::LineRequests& lines) const override;
  /// The transaction is submitted.
  void perform() override;

  /// In a queue or a pool, where the thread's list of effects has done with it.
  Segment* next() const { return static_cast<Segment*>(next_effect); }
  void set_next(Segment* segment) { next_effect = segment; }

  ugni::SegmentView view() { return {transaction, offset, length, last, payload, status}; }
};
static_assert(sizeof(Segment) == 192);

/// A network's segments, last in, first out: what was freed last is what the caches still hold, and
/// those under way lie close together. Grows to the largest number under way and is reused from
/// then on. Not for several host threads.
class SegmentPool {
  // One object, not an array of its own: that would have a line in front for its length.
  using Slab = std::array<Segment, 32>;

 public:
  Segment& take() {
    if (free_ == nullptr) grow();
    Segment& segment = *free_;
    free_ = segment.next();
    // With many under way the caches do not hold the next one.
    corespec::prefetch_lines(static_cast<SegmentHead*>(free_),
                             sizeof segment / corespec::line_bytes);
    return segment;
  }
  void put(Segment& segment) {
    segment.payload = {};
    segment.status = ugni::ResponseStatus::ok;
    segment.marked = false;
    segment.tries = 0;
    segment.set_next(free_);
    free_ = &segment;
  }

  /// How many are taken: counted, for the end of a run.
  std::size_t in_use() const {
    std::size_t objects = slabs_.size() * std::tuple_size_v<Slab>;
    for (Segment* each = free_; each != nullptr; each = each->next()) --objects;
    return objects;
  }

 private:
  void grow() {
    slabs_.push_back(std::make_unique<Slab>());
    for (Segment& segment : *slabs_.back()) put(segment);
  }

  Segment* free_ = nullptr;
  std::vector<std::unique_ptr<Slab>> slabs_;
};

}  // namespace gemini
