// A network under load, without programs: what both fidelities are compared by, and what the cost
// of a packet-hop is measured with.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/events/event_domain.h"
#include "corespec/virtual/engine.h"
#include "ugni_emu/gemini/make_network.h"
#include "ugni_emu/gemini/topology/torus.h"

namespace fidelity {

using corespec::Time;
using gemini::Nid;

/// PUTs of equal size that NICs send.
struct Load {
  struct Put {
    Time at;
    Nid from = 0;
    Nid to = 0;
  };
  std::uint32_t bytes = 0;
  std::vector<Put> puts;  ///< of each node in order of time
};

/// What came of them.
struct Outcome {
  Time completion;          ///< when the last response is back
  Time mean_latency;        ///< from a PUT's submission to its last byte's arrival
  double queue_excess = 0;  ///< gemini::Backlog::excess(); fidelity packet: 0
  std::uint64_t events =
      0;  ///< of the network; of its clients those of PUTs submitted after time 0
};

/// A network as a run has it: the nodes of four routers in a domain, and the routers where the
/// fidelity wants them.
class LoadedNetwork {
 public:
  LoadedNetwork(std::shared_ptr<const gemini::Topology> topology, const std::string& fidelity);
  /// Once. In virtual time, until nothing is left to happen.
  Outcome run(const Load& load);

 private:
  static constexpr gemini::RouterId block = 4;  ///< routers

  std::shared_ptr<const gemini::Topology> topology_;
  corespec::Engine engine_;
  std::vector<corespec::VirtualDomain*> nodes_;
  corespec::VirtualDomain* routers_ = nullptr;
  std::uint32_t next_source_ = 1;
  std::unique_ptr<gemini::Network> network_;
};

/// Runs the load on a torus, like "8x8x8".
Outcome run_load(const std::string& torus, const std::string& fidelity, const Load& load);

// Loads. Drawn ones are the same in every run.

/// One PUT from a node to another one.
Load single(Nid from, Nid to, std::uint32_t bytes);
/// One PUT from every node to any node, drawn, all at once.
Load scatter(const gemini::Topology& topology, std::uint32_t bytes);
/// Two nodes, and what lies between them, like "Y+ cable" or "farthest".
struct Pair {
  std::string name;
  Nid from = 0;
  Nid to = 0;
};
/// Pairs one hop apart, over each type of link that the torus has, and one half way round all
/// rings.
std::vector<Pair> pairs_of(const gemini::Torus& torus);
/// Which node a node sends to.
enum class Pattern : std::uint8_t {
  uniform,    ///< any, drawn for each PUT
  neighbour,  ///< the next in Z, then in Y, then in X, in turns
  tornado     ///< nearly half way round each ring
};
/// Each node submits PUTs of `bytes` at moments drawn for `time`, so many that it sends `share` of
/// what half a host port moves.
Load open_loop(const gemini::Torus& torus, Pattern pattern, double share, std::uint32_t bytes,
               Time time);
/// Each of `ranks` ranks of every node sends a face of `bytes` to each of the six neighbours of its
/// node's Gemini, all at once.
Load halo_burst(const gemini::Torus& torus, int ranks, std::uint32_t bytes);

}  // namespace fidelity
