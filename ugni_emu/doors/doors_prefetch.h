// What a door is about to touch, prefetched.
#pragma once

#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/wire/payload_prefetch.h"

namespace doors {

/// The memory of the queue's oldest event and of the next one; the queue itself is there.
void prefetch_events(gni_cq_handle_t cq_handle, corespec::LineRequests& lines);

/// What has_message() looks at, if there is an endpoint.
void prefetch_message(gni_ep_handle_t ep_handle, corespec::LineRequests& lines);

/// A payload's bytes: where they begin, and, once that is there, what is lent of them.
using Payloads = ugni::PayloadPrefetch;

/// What has_finished_datagram() looks at.
void prefetch_datagrams(gni_nic_handle_t nic_handle, corespec::LineRequests& lines);

}  // namespace doors
