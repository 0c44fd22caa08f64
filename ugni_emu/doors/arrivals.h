// Lets a library spin on "anything arrived for this NIC handle" instead of polling step by step.
#pragma once

#include <cstdint>

#include "corespec/threads/node.h"
#include "corespec/threads/signal.h"
#include "ugni_emu/include/gni_pub.h"

namespace nic {

/// The signal notified whenever anything arrives for the handle's communication domain: an event
/// in any of its queues, a finished datagram, a mailbox message, returned credits. Valid as long
/// as the handle, which must be valid.
corespec::Signal& arrival_signal(gni_nic_handle_t nic_handle);

/// The same signal by the name of the domain, for its node's other ranks: what they put into the
/// rank's memory themselves they announce here.
corespec::Signal& arrival_signal(corespec::Node& node, std::uint32_t instance,
                                 std::uint32_t cookie);

}  // namespace nic
