// The doors: functions inside uGNI that the libraries above it may use beside its public calls.
//
// They exist so that the host copies less and looks less often; they must not change the model.
// Each one says which public calls it stands for: it checks what they check, charges what they
// charge and leads to the same events: with public calls instead, a job has the same fingerprint
// (tests/netmod/device_doors_test.cc; netmod/device/nic/public_calls.h). Where that is not quite
// so, the door says it. A thread in a door bears the name of the public call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "corespec/threads/node.h"
#include "corespec/threads/signal.h"
#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/nic/nic_statistics.h"
#include "ugni_emu/wire/payload.h"

namespace doors {

// ---- Messages and FMA PUTs whose bytes lie in two places.
//
// With a `loan` (not open) the host leaves `rest` where it is until it is at its target or the loan
// is ended: it must not change as long as the loan is open. It is not if the call fails.

/// GNI_SmsgSendWTag() with tag 0 of `head` and `rest`.
gni_return_t send_message(gni_ep_handle_t ep_handle, std::span<const std::byte> head,
                          std::span<const std::byte> rest, std::uint32_t msg_id, ugni::Loan* loan);

/// From now on a message of the handle's endpoints that fails recoverably keeps its place and its
/// credit until it is sent again, with the same msg_id: it comes before what was sent after it.
/// (Without this door it has none, and its credit is free again.) This stands for programs that
/// number their messages and sort them at the receiver.
void keep_places(gni_nic_handle_t nic_handle);

/// GNI_SmsgGetNextWTag() of any tag: `message` may still have its rest where it was lent.
gni_return_t next_message(gni_ep_handle_t ep_handle, const ugni::PayloadBlock*& message);

/// A copy of the message that GNI_SmsgGetNextWTag() has handed out: takes it out of the mailbox
/// instead. From now on it is the caller's, and GNI_SmsgRelease(), which is still to be called
/// next, only frees its place. Empty if there is none. The handle must be valid: it is not looked
/// up once more.
ugni::Payload take_message(gni_ep_handle_t ep_handle);

/// GNI_PostFma() of a PUT whose source is `head` and `rest`, one after the other; together they
/// are as long as the descriptor's length, whose local_addr is not read. An FMA PUT is stores of
/// the CPU, so that they may come from anywhere: the caller charges what else it models (a copy
/// into a DMA buffer) itself, and the host copies the bytes once. The descriptor is read at the
/// call and is the caller's again at once: there is none behind the event, which is of type SMSG as
/// a message's and has the endpoint's event word for its msg_id. (Nor has the post a number until
/// that event is taken, so that later posts have other numbers: the only thing that differs.)
gni_return_t post_fma(gni_ep_handle_t ep_handle, gni_post_descriptor_t* descriptor,
                      std::span<const std::byte> head, std::span<const std::byte> rest,
                      ugni::Loan* loan = nullptr);

// ---- Landing regions: buffers that cost host memory only while something lies in them.

/// From now on a PUT that arrives in the region (a handle of `nic_handle`'s) stays in the payload
/// that carried it instead of being copied to its address: DMA buffers of 32,768 ranks need not
/// exist all at once. It is there as a whole, once its last piece has come. Nothing else differs:
/// checks, times and events are those of every PUT. False if the handle names no region.
bool keep_payloads(gni_nic_handle_t nic_handle, const gni_mem_handle_t& region);

/// A read of the memory at `address`: what landed there and is still there (of what was captured
/// in two parts, the first); empty if nothing did, or not all of it yet.
std::span<const std::byte> landed(gni_nic_handle_t nic_handle, std::uint64_t address);

/// A copy out of the memory at `address`: takes out what landed there. The buffer is free again,
/// and the bytes are the caller's. Empty if nothing is there.
ugni::Payload take_landed(gni_nic_handle_t nic_handle, std::uint64_t address);

/// Where payloads come from, for all of the machine's NICs in this process.
ugni::PayloadPool& payload_pool(gni_nic_handle_t nic_handle);

// ---- Looks that charge nothing: the caller charges what the public call would, if it finds
// nothing.
//
// These are a part of the model: they look at the node's present time. The calling thread's own
// time may be ahead of that: what the look misses so, the thread finds on its next pass, since the
// arrival signal will have moved on. The public call brings the node to the thread's time before it
// says that there is nothing, which takes events and shifts times (decision 28 has figures).
// Handles must be valid.

/// GNI_CqTestEvent(): true if the queue holds an event or has overrun.
bool has_event(gni_cq_handle_t cq_handle);

/// GNI_SmsgGetNextWTag(): true if a message lies in the endpoint's mailbox. SMSG is initialised.
bool has_message(gni_ep_handle_t ep_handle);

/// GNI_PostDataProbeById(): true if a datagram that was posted with an id has finished.
bool has_finished_datagram(gni_nic_handle_t nic_handle);

// ---- Waiting. These stand for a loop that polls: a thread that spins on a signal does in one step
// what polling every poll period would do in many.

/// The signal notified whenever anything arrives for the handle's communication domain: an event
/// in any of its queues, a finished datagram, a mailbox message, returned credits. Valid as long
/// as the handle, which must be valid.
corespec::Signal& arrival_signal(gni_nic_handle_t nic_handle);

/// The same signal by the name of the domain, for its node's other ranks: what they put into the
/// rank's memory themselves they announce here.
corespec::Signal& arrival_signal(corespec::Node& node, std::uint32_t instance,
                                 std::uint32_t cookie);

/// No thread waits for the events of this queue (of local completions): they come to pass without
/// the arrival signal, and the next poll finds them. Only the first event after a post that found
/// no room in the queue, and errors, still notify.
void nobody_waits_for(gni_cq_handle_t cq_handle);

// ---- What the machine is like.

/// True if a GET over the endpoint, however long, is one copy that its initiator makes: live, from
/// another process of this host. Of the modelled network it never is. The handle must be valid.
bool reads_at_once(gni_ep_handle_t ep_handle);

// ---- Counts, for the libraries' reports.

using nic::NicStatistics;

/// The counts of a NIC handle since it was attached. The handle must be valid.
const NicStatistics& statistics(gni_nic_handle_t nic_handle);

}  // namespace doors
