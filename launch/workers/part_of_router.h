// How a machine is divided into parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ugni_emu/gemini/topology/topology.h"

namespace launch {

/// A block of routers whose nodes share a domain belongs to one part, and a part has neighbouring
/// blocks: as many with nodes of the job as any other part, or one more, and those in between.
class PartOfRouter {
 public:
  PartOfRouter(const gemini::Topology& topology, const std::vector<int>& nids,
               unsigned routers_per_block, std::size_t parts);
  std::size_t operator()(gemini::RouterId router) const { return of_block_[router / per_block_]; }
  /// Blocks with nodes of the job: there cannot be more parts.
  static std::size_t used_blocks(const gemini::Topology& topology, const std::vector<int>& nids,
                                 unsigned routers_per_block);

 private:
  unsigned per_block_;
  std::vector<std::uint16_t> of_block_;
};

}  // namespace launch
