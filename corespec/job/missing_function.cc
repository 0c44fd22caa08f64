// Ends a job for the call of a function that does not exist.
#include "corespec/job/missing_function.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "corespec/config/parameters.h"
#include "corespec/job/job.h"
#include "corespec/threads/process.h"

namespace {

/// The calling process, before it has become a rank: as its launcher names it.
std::string caller_by_environment() {
  std::map<std::string, std::string> variables;
  for (auto& [name, value] : corespec::environment()) variables[name] = value;
  if (variables.count("ALPS_APP_PE") == 0) return "castor";
  constexpr std::size_t digits = 5;
  std::string nid = variables["PMI_GNI_LOC_ADDR"];
  if (nid.size() < digits) nid.insert(0, digits - nid.size(), '0');
  const char* const rank = variables.count("PMIX_RANK") != 0 ? "PMIX_RANK" : "ALPS_APP_PE";
  return fmt::format("[NID {}] Apid {}: rank {}", nid, variables["ALPS_APP_ID"], variables[rank]);
}

}  // namespace

extern "C" void castor_missing_function(const char* name) {
  const std::string why = fmt::format("{}: no library here has this function; {}", name,
                                      corespec::missing_function_remedy(name));
  std::fflush(nullptr);  // what the program has printed
  if (corespec::Process* process = corespec::this_process_or_null()) {
    process->job().abort(*process, 1, why);
  }
  std::fputs(fmt::format("{}: {}\n", caller_by_environment(), why).c_str(), stderr);
  std::_Exit(1);
}
