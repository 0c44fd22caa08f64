// FMA PUTs and messages whose bytes the CPU stores into the window from two places.
#pragma once

#include <cstddef>
#include <span>

#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/wire/payload.h"

namespace gni {

/// GNI_PostFma() of a PUT whose source is `head` and `rest`, one after the other; together they
/// are as long as the descriptor's length, whose local_addr is not read. An FMA PUT is stores of
/// the CPU, so that they may come from anywhere: the caller charges what else it models (a copy
/// into a DMA buffer) itself, and the host copies the bytes once. The descriptor is read at the
/// call and is the caller's again at once: there is none behind the event, which is of type SMSG as
/// a message's and has the endpoint's event word for its msg_id. With a `loan` (not open) the host
/// leaves `rest` where it is until it is at its target or the loan is ended: it must not change as
/// long as the loan is open. It is not if the call fails.
gni_return_t post_fma_gathered(gni_ep_handle_t ep_handle, gni_post_descriptor_t* descriptor,
                               std::span<const std::byte> head, std::span<const std::byte> rest,
                               ugni::Loan* loan = nullptr);

/// GNI_SmsgSendWTag() with tag 0 and message id 0 of `head` and `rest`, with a loan as above.
gni_return_t send_message_gathered(gni_ep_handle_t ep_handle, std::span<const std::byte> head,
                                   std::span<const std::byte> rest, ugni::Loan* loan);
/// GNI_SmsgGetNextWTag() of any tag: `message` may still have its rest where it was lent.
gni_return_t next_gathered_message(gni_ep_handle_t ep_handle, const ugni::PayloadBlock*& message);
/// Takes out the message that was handed out last: from now on it is the caller's, and
/// GNI_SmsgRelease(), which is still to be called next, only frees its place. Empty if there is
/// none. The handle must be valid: it is not looked up once more.
ugni::Payload take_gathered_message(gni_ep_handle_t ep_handle);

}  // namespace gni
