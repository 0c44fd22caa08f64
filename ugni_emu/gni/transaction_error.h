// What a transaction error does to the process that caused it.
#pragma once

#include "ugni_emu/gni/gni_caller.h"

namespace gni {

/// `result` of taking `entry` from a queue, handed through. A transaction error ends the rank's job
/// if it `kills`: unless the domain was made with GNI_CDM_MODE_ERR_NO_KILL. The driver kills the
/// process when the NIC reports the error; here that is when the rank would first learn of it.
gni_return_t end_on_error(const Caller& caller, bool kills, gni_cq_entry_t entry,
                          gni_return_t result);
/// True if errors in the queue end the job. To be asked before an event is taken: the queue's
/// handler may destroy it.
inline bool kills(const nic::CompletionQueue& queue) {
  return (queue.domain().modes() & GNI_CDM_MODE_ERR_NO_KILL) == 0;
}

}  // namespace gni
