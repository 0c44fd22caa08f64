// What goes wrong in a network, and how it goes on from there.
#pragma once

#include <cstdint>
#include <optional>

#include "corespec/config/parameters.h"
#include "corespec/time/time.h"
#include "ugni_emu/gemini/links/link_failures.h"
#include "ugni_emu/gemini/topology/topology.h"

namespace gemini {

/// What has gone wrong in a run.
struct FaultCounts {
  std::uint64_t lost_on_links =
      0;                       ///< before a link that was down: pieces; in fidelity packet, packets
  std::uint64_t lost = 0;      ///< pieces: between NICs, as drawn
  std::uint64_t damaged = 0;   ///< packets that a link sent again
  std::uint64_t rerouted = 0;  ///< pieces that took another way
  std::uint64_t resent = 0;    ///< pieces that a NIC sent again
  std::uint64_t given_up = 0;  ///< pieces that it sent again no more
  FaultCounts& operator+=(const FaultCounts& other);
  bool operator==(const FaultCounts&) const = default;
};

/// One for a whole network, read everywhere and never changed.
///
/// What is lost, the NIC that sent it learns after `interval`, as if by a timer of its own, and
/// sends it again, `tries` times at most. (A real NIC that has sent a request has one timer for
/// request and response, and numbers by which its peer knows what it has already. Here a request's
/// timer runs until the request is there, a response's until the response is.)
struct NetworkFaults {
  /// Throws std::invalid_argument.
  NetworkFaults(const corespec::Parameters& parameters, const Topology& shape);

  /// Anything can go wrong.
  bool any() const { return loses() || one_damaged_in != 0; }
  /// Pieces of transactions can be lost.
  bool loses() const { return !failures.none() || one_lost_in != 0; }
  /// The way of a piece that leaves at `now`, counted if it is not the usual one; nothing: there is
  /// none.
  std::optional<RouteWord> way(RouterId from, RouterId to, corespec::Time now,
                               FaultCounts& counts) const;
  /// After which a NIC does not expect any longer what another one may be sending again.
  corespec::Time patience() const { return interval * (2 * (std::int64_t{tries} + 1)); }

  const Topology& topology;
  LinkFailures failures;
  std::uint64_t one_lost_in = 0;     ///< packets, between NICs; 0: none
  std::uint64_t one_damaged_in = 0;  ///< packets, of a link; 0: none
  std::uint64_t seed = 0;            ///< of what is drawn
  corespec::Time interval;
  std::uint32_t tries = 0;
};

}  // namespace gemini
