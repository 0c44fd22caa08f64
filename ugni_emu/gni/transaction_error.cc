// What a transaction error does to the process that caused it.
#include "ugni_emu/gni/transaction_error.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "corespec/job/job.h"

namespace gni {

gni_return_t end_on_error(const Caller& caller, const ErrorEnd& end, gni_cq_entry_t entry,
                          gni_return_t result) {
  if (result != GNI_RC_TRANSACTION_ERROR || !end.kills) return result;
  std::array<char, 256> text{};
  GNI_CqErrorStr(entry, text.data(), text.size());
  const std::string target =
      end.last_target ? fmt::format(" (to nid{:05})", *end.last_target) : std::string();
  constexpr int status_of_sigkill = 137;  // 128 + 9, as a shell reports it
  caller.process().job().abort(caller.process(), status_of_sigkill,
                               std::string("killed: ") + text.data() + target +
                                   "; with GNI_CDM_MODE_ERR_NO_KILL its completion queue alone "
                                   "would say so");
  return result;
}

}  // namespace gni
