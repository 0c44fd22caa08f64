// Looks at what has arrived that cost nothing and change nothing: for a library's polling loop.
#pragma once

#include "ugni_emu/include/gni_pub.h"

namespace corespec {
class LineRequests;
}

namespace nic {

/// True if the queue holds an event (or has overrun) at the node's present time. The calling
/// thread's own time may be ahead of that: what it misses so, it finds on its next pass, since the
/// arrival signal will have moved on. The handle must be valid.
bool has_event(gni_cq_handle_t cq_handle);

/// Names the memory of the queue's oldest event and of the next one; the queue itself is there.
void prefetch_events(gni_cq_handle_t cq_handle, corespec::LineRequests& lines);

/// True if a message lies in the endpoint's mailbox. The same holds of time. The handle must be
/// valid and SMSG initialised.
bool has_message(gni_ep_handle_t ep_handle);

/// Names what has_message() looks at, if there is an endpoint.
void prefetch_message(gni_ep_handle_t ep_handle, corespec::LineRequests& lines);

/// Nobody waits for the events of this queue (of local completions): they come to pass without
/// the arrival signal, and whoever polls next finds them. Only the first event after a post that
/// found no room in the queue, and errors, still notify.
void nobody_waits_for(gni_cq_handle_t cq_handle);

/// Names what has_finished_datagram() looks at.
void prefetch_datagrams(gni_nic_handle_t nic_handle, corespec::LineRequests& lines);

/// True if a datagram that was posted with an id has finished.
bool has_finished_datagram(gni_nic_handle_t nic_handle);

}  // namespace nic
