// Looks at what has arrived that cost nothing and change nothing: for a library's polling loop.
#pragma once

#include "ugni_emu/include/gni_pub.h"

namespace nic {

/// True if the queue holds an event (or has overrun) at the node's present time. The calling
/// thread's own time may be ahead of that: what it misses so, it finds on its next pass, since the
/// arrival signal will have moved on. The handle must be valid.
bool has_event(gni_cq_handle_t cq_handle);

/// True if a datagram that was posted with an id has finished.
bool has_finished_datagram(gni_nic_handle_t nic_handle);

}  // namespace nic
