// A network's faults, as parameters say.
#include "ugni_emu/gemini/links/network_faults.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include "ugni_emu/faults/fault_plan.h"

namespace gemini {

namespace {

using corespec::Statement;

/// CASTOR_FAULTS may have such statements among others.
std::vector<Statement> failures_in(const corespec::Parameters& parameters) {
  std::vector<Statement> all;
  if (!parameters.link_failures.empty()) {
    all = corespec::read_statements("CASTOR_LINK_FAILURES", parameters.link_failures);
  }
  for (Statement& each : faults::fault_statements(parameters.faults)) {
    if (LinkFailures::is_statement(each.name())) all.push_back(std::move(each));
  }
  return all;
}

}  // namespace

NetworkFaults::NetworkFaults(const corespec::Parameters& parameters, const Topology& shape)
    : topology(shape),
      failures(topology, failures_in(parameters), parameters.reroute_time),
      one_lost_in(static_cast<std::uint64_t>(parameters.lost_packets)),
      one_damaged_in(static_cast<std::uint64_t>(parameters.link_errors)),
      seed(static_cast<std::uint64_t>(parameters.seed)),
      interval(parameters.retransmit_interval),
      tries(static_cast<std::uint32_t>(parameters.retransmit_tries)) {
  if (one_damaged_in != 0 && parameters.fidelity != "packet") {
    throw std::invalid_argument(
        "CASTOR_LINK_ERRORS: links send packets again in fidelity packet alone (aprun --fidelity)");
  }
  if (one_damaged_in == 1) {
    throw std::invalid_argument(
        "CASTOR_LINK_ERRORS=1: no packet would cross a link; 0 or at least 2");
  }
  if (interval < parameters.hop_latency || interval < parameters.nic_to_router_latency) {
    throw std::invalid_argument(
        "CASTOR_RETRANSMIT_INTERVAL: as long as a hop and the way to a router at least");
  }
}

std::optional<RouteWord> NetworkFaults::way(RouterId from, RouterId to, corespec::Time now,
                                            FaultCounts& counts) const {
  const std::optional<RouteWord> found = failures.route(from, to, now);
  if (found && *found != topology.route(from, to)) ++counts.rerouted;
  return found;
}

FaultCounts& FaultCounts::operator+=(const FaultCounts& other) {
  lost_on_links += other.lost_on_links;
  lost += other.lost;
  damaged += other.damaged;
  rerouted += other.rerouted;
  resent += other.resent;
  given_up += other.given_up;
  return *this;
}

}  // namespace gemini
