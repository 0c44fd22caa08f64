// What a transaction error does to the process that caused it.
#pragma once

#include <optional>

#include "ugni_emu/gni/gni_caller.h"

namespace gni {

/// What errors in a queue do.
struct ErrorEnd {
  bool kills = false;                           ///< they end the job
  std::optional<ugni::NicAddress> last_target;  ///< of a transaction that failed
};
/// To be asked before an event is taken: the queue's handler may destroy it.
inline ErrorEnd error_end(const nic::CompletionQueue& queue) {
  const nic::Domain& domain = queue.domain();
  return {(domain.modes() & GNI_CDM_MODE_ERR_NO_KILL) == 0, domain.failed_target};
}

/// `result` of taking `entry` from a queue, handed through. A transaction error ends the rank's job
/// if it kills: unless the domain was made with GNI_CDM_MODE_ERR_NO_KILL. The driver kills the
/// process when the NIC reports the error; here that is when the rank would first learn of it.
gni_return_t end_on_error(const Caller& caller, const ErrorEnd& end, gni_cq_entry_t entry,
                          gni_return_t result);

}  // namespace gni
