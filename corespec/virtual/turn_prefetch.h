// What the turn of a domain will touch, prefetched before it begins.
#pragma once

#include <cstdint>

#include "corespec/time/time.h"

namespace corespec {

class LineRequests;
class VirtualDomain;

/// How far a turn that is yet to come has been prefetched.
struct TurnPrefetch {
  std::uint16_t steps = 0;
  std::uint16_t events = 1;           ///< of the turn, as far as is known
  std::uint32_t chains = 0xFFFFFFFF;  ///< bits: those of its first events that go on; 0: none
};

/// Adds what the events of the domain's turn of `length` will touch. With many nodes no cache holds
/// any of it, and one event's memory is found through that of the one before: the chains of all of
/// them are followed side by side. A step further, to be called again when what this one added has
/// come.
void prefetch_turn(VirtualDomain& domain, Time length, TurnPrefetch& progress, LineRequests& lines);

}  // namespace corespec
