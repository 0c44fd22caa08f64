// What a user should hear of settings that are no mistake, and do not do what their names promise.
#include "corespec/config/setting_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "corespec/config/known_elsewhere.h"
#include "corespec/config/nearest_name.h"

namespace corespec {
namespace {

/// Beginnings of names that look like a parameter's. (Names that begin with CASTOR_ are errors.)
/// Of the wider families that two parameters belong to, only the near part: Cray's systems set
/// dozens of variables CRAY_ and XT_.
constexpr std::string_view families[] = {"MPICH_", "DMAPP_", "ARMCI_", "XT_SYMMETRIC_",
                                         "CRAY_PORTALS_"};

bool looks_like_ours(std::string_view name) {
  return std::any_of(std::begin(families), std::end(families),
                     [name](std::string_view family) { return name.starts_with(family); });
}

std::string quoted(const Setting& setting) {
  return fmt::format("{}={}", setting.first, setting.second);
}

/// Why a parameter has no effect in such a run; empty if it has one.
std::string_view unused_because(Used used, RunKind run) {
  switch (used) {
    case Used::always:
      break;
    case Used::in_virtual_time:
      if (run.live) return "has no effect live";
      break;
    case Used::live:
      if (!run.live) return "has no effect in virtual time";
      break;
    case Used::live_without_aprun:
      if (run.by_aprun) return "has no effect here: aprun has an option for it";
      if (!run.live) return "has no effect in virtual time";
      break;
    case Used::by_aprun:
      if (!run.by_aprun) return "has no effect without aprun";
      break;
  }
  return {};
}

/// A line if the settings want a progress thread and the job will have none; else empty.
std::string thread_warning(const std::map<std::string, std::string>& values) {
  std::vector<std::string> errors;
  const Parameters asked = read_parameters({values.begin(), values.end()}, errors);
  const std::string& design = asked.async_progress;
  const bool cray = !design.empty() && design != "0" && design != "disabled";
  if (asked.max_thread_safety == "multiple" || (!cray && !asked.stock_async_progress)) return {};
  const char* const name = cray ? "MPICH_NEMESIS_ASYNC_PROGRESS" : "MPICH_ASYNC_PROGRESS";
  const auto set = values.find(name);
  if (set == values.end()) return {};
  return fmt::format("{} has no effect without MPICH_MAX_THREAD_SAFETY=multiple", quoted(*set));
}

}  // namespace

std::string no_such_variable(const Setting& setting) {
  std::vector<std::string> names;
  for (const ParameterInfo& row : describe(Parameters())) names.push_back(row.env);
  std::string nearest = nearest_name(setting.first, names);
  if (nearest.empty()) nearest = nearest_name("CASTOR_" + setting.first, names);
  return fmt::format("{}: there is no such variable{} (see aprun --env-help)", quoted(setting),
                     nearest.empty() ? "" : "; the nearest is " + nearest);
}

std::vector<std::string> setting_warnings(const std::vector<Setting>& settings, RunKind run) {
  std::map<std::string, std::string> values;
  for (const auto& [name, value] : settings) values[name] = value;
  std::map<std::string, Used> parameters;
  for (const ParameterInfo& row : describe(Parameters())) parameters[row.env] = row.used;

  std::vector<std::string> warnings;
  for (const auto& [name, value] : values) {
    const Setting setting(name, value);
    if (const auto parameter = parameters.find(name); parameter != parameters.end()) {
      const std::string_view why = unused_because(parameter->second, run);
      if (!why.empty()) warnings.push_back(fmt::format("{} {}", quoted(setting), why));
    } else if (has_name(without_effect_here, name)) {
      warnings.push_back(
          fmt::format("{} has no effect: Castor does not emulate it", quoted(setting)));
    } else if (looks_like_ours(name) && !has_name(of_build_tools, name)) {
      warnings.push_back(no_such_variable(setting));
    }
  }
  if (std::string line = thread_warning(values); !line.empty()) warnings.push_back(line);
  return warnings;
}

}  // namespace corespec
