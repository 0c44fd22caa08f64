// The torus network in fidelity `message`, behind the wire seam.
#pragma once

#include <functional>
#include <string>

#include "corespec/config/parameters.h"
#include "corespec/events/event_domain.h"
#include "ugni_emu/gemini/links/links.h"
#include "ugni_emu/gemini/message/router.h"
#include "ugni_emu/gemini/message/router_array.h"
#include "ugni_emu/gemini/packets/channels.h"
#include "ugni_emu/gemini/topology/torus.h"
#include "ugni_emu/wire/wire.h"

namespace gemini {

/// Carries transactions as segments of bounded size over a 3-D torus: see docs/network.md.
///
/// Virtual time only. A Gemini's state is touched in its own domain alone; another domain is
/// reached by schedule_from() alone, a hop's latency or more ahead.
class Network final : public ugni::Wire {
 public:
  using DomainOf = std::function<corespec::EventDomain&(GeminiId)>;

  /// `domain_of`: the domain of each Gemini's two nodes and their NICs, `router_domain_of` that of
  /// its router (empty: the same), asked once each in order of ids, to outlive the network.
  /// `make_source`: fresh event sources, three per Gemini.
  Network(const corespec::Parameters& parameters, Torus torus, const DomainOf& domain_of,
          const std::function<corespec::EventSource()>& make_source,
          const DomainOf& router_domain_of = {});
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Throws std::invalid_argument where the torus has no such node, where a NIC is attached there
  /// already, or where `domain` is not that of the node's Gemini.
  void attach(ugni::NicAddress address, ugni::WireClient& client,
              corespec::EventDomain& domain) override;

  /// Throws std::invalid_argument where no NIC is attached at the source. perform() throws it if a
  /// payload is given whose size is not `length`, or a transaction is longer than 2^32 - 1 bytes. A
  /// target without a NIC answers no_such_domain after the normal travel time, a target outside the
  /// torus does so without leaving the NIC. perform() may call the client's read_source() before it
  /// returns, no other.
  ugni::Submission& prepare(ugni::NicAddress source) override;
  void drop(ugni::Submission& submission) override;

  corespec::Time least_delay() const override { return parameters_.hop_latency; }

  const Torus& torus() const { return torus_; }

  /// What has passed so far. A segment counts when its service is fixed, at its head's arrival.
  const LinkCounters& link_counters(GeminiId gemini, Direction direction) const;
  const LinkCounters& injection_counters(GeminiId gemini) const;  ///< both NICs to router
  const LinkCounters& ejection_counters(GeminiId gemini) const;   ///< router to both NICs

  /// Raw bandwidth in bytes per second; 0 where there is no link.
  double bandwidth(GeminiId gemini, Direction direction) const;
  double host_bandwidth() const { return gemini::host_bandwidth(parameters_); }
  LinkType type(GeminiId gemini, Direction direction) const;

  /// Shape, latencies and bandwidths, a line each, for a run's header.
  std::string describe() const;

 private:
  void connect(GeminiId gemini);

  corespec::Parameters parameters_;
  Torus torus_;
  Timing timing_;
  SegmentPool segments_;  ///< outlives the routers
  RouterArray routers_;
};

}  // namespace gemini
