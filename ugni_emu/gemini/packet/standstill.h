// Packets that will never move again, if there are any.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ugni_emu/gemini/packet/packet_router.h"
#include "ugni_emu/gemini/topology/topology.h"

namespace gemini {

/// For a network in which nothing is scheduled any longer: a line for each buffer of a circle of
/// full buffers, each of which waits for the next one; or one that counts what stands still without
/// a circle. Empty if no packet is left.
std::vector<std::string> standstill(const Topology& topology,
                                    const std::vector<std::unique_ptr<PacketRouter>>& routers);

}  // namespace gemini
