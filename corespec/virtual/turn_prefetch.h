// Asking the host for memory before the events that need it.
#pragma once

#include <cstdint>

#include "corespec/time/time.h"

namespace corespec {

class LineRequests;
class VirtualDomain;

/// How far a domain has been asked for whose turn is yet to come.
struct Asked {
  std::uint16_t steps = 0;
  std::uint16_t events = 1;           ///< of its turn, as far as is known
  std::uint32_t chains = 0xFFFFFFFF;  ///< bits: those of its first events that go on; 0: none
};

/// Names what the events of such a domain's turn of `length` will touch. With many nodes no cache
/// holds any of it, and one event's memory is found through that of the one before: the chains of
/// all of them are followed side by side. A step further, to be called again when what this one
/// named has come.
void ask_for(VirtualDomain& domain, Time length, Asked& asked, LineRequests& lines);

}  // namespace corespec
