// Asking the host for memory before the events that need it.
#pragma once

#include "corespec/time/time.h"

namespace corespec {

class VirtualDomain;

/// What the events of a turn will touch, up to its horizon. With many nodes no cache holds any of
/// it, and one event's memory is found through that of the one before: the chains of all of them
/// are followed side by side, a step at a time.
void ask_for_turn(const VirtualDomain& domain, Time horizon);

/// What the first events of a domain will touch whose turn is yet to come: a step, to be called
/// again with the next one when what this one asked for has come. False: that was the last.
bool ask_for(const VirtualDomain& domain, unsigned step);

}  // namespace corespec
