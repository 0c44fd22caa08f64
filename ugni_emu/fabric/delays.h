// What the modelled network would take: injection, path, ejection; and which arrivals were later
// than that.
#pragma once

#include <cstdint>
#include <string>

#include "corespec/threads/node.h"
#include "corespec/time/time.h"
#include "ugni_emu/gemini/topology/topology.h"
#include "ugni_emu/wire/wire.h"

namespace ugni::fabric {

/// How much later than modelled transactions came, by the clock.
struct Lateness {
  std::uint64_t timed = 0;  ///< arrivals that had a modelled time
  std::uint64_t late = 0;   ///< of these, that came after it
  corespec::Time most;
  corespec::Time total;
};

/// The delays of one node's NIC, which the processes of the node share (in node memory): each byte
/// passes it once, there and back. Contention inside the network is not modelled. Without a network
/// (CASTOR_NETWORK=none) everything takes no time.
class Delays {
 public:
  Delays(corespec::Node& node, const gemini::Topology& topology, bool modelled);

  bool modelled() const { return shared_ != nullptr; }

  /// When `bytes` handed over at `now` have left the node.
  corespec::Time injected(corespec::Time now, std::uint64_t bytes);
  /// When `bytes` whose tail reaches the node at `arrival` have entered it.
  corespec::Time ejected(corespec::Time arrival, std::uint64_t bytes);
  /// What so many bytes take a NIC, in or out.
  corespec::Time bytes_time(std::uint64_t bytes) const;
  /// From one NIC to another, without injection and ejection.
  corespec::Time path(NicAddress from, NicAddress to) const;

  /// Something due at `due` came at `now`.
  void note(corespec::Time due, corespec::Time now);
  const Lateness& lateness() const { return lateness_; }

 private:
  struct Shared;

  const gemini::Topology* topology_;
  corespec::Time hop_, to_router_, loopback_;
  double bandwidth_ = 0;
  Shared* shared_ = nullptr;
  Lateness lateness_;
};

}  // namespace ugni::fabric
