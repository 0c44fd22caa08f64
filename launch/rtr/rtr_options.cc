// The command line of rtr.
#include "launch/rtr/rtr_options.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "launch/description/option_table.h"
#include "launch/description/options.h"

namespace launch {
namespace {

constexpr std::array rtr_rows{
    RtrOption{"--interconnect", "", "", "print the tiles of all routers and where each one leads"},
    RtrOption{"--system", "SYSTEM", "hopper|cielo|edison",
              "hopper, cielo, edison, XxYxZ, or dragonfly:GROUPSxCHASSISxBLADESxNODES (default: "
              "CASTOR_SYSTEM, hopper)"},
    RtrOption{"--version", "", "", "print the version and exit"},
    RtrOption{"-h, --help", "", "", "print this text and exit"}};

const RtrOption* find_row(std::string_view name) {
  for (const RtrOption& row : rtr_rows) {
    for (const std::string& each : names_of(row.names)) {
      if (each == name) return &row;
    }
  }
  return nullptr;
}

}  // namespace

std::span<const RtrOption> rtr_options() { return rtr_rows; }

RtrRequest parse_rtr_options(const std::vector<std::string>& arguments) {
  RtrRequest request;
  std::optional<RtrRequest::Action> action;
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    const std::string& argument = arguments[at];
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const RtrOption* const row = find_row(name);
    if (row == nullptr) {
      throw UsageError(fmt::format("'{}': no option of rtr; see rtr --help", argument));
    }
    if (row->values.empty() && equals != std::string::npos) {
      throw UsageError(fmt::format("{}: {} takes no value", argument, name));
    }
    if (name == "--system") {
      if (equals == std::string::npos && ++at == arguments.size()) {
        throw UsageError("--system: needs a value, as hopper, cielo or edison; see rtr --help");
      }
      request.system = equals == std::string::npos ? arguments[at] : argument.substr(equals + 1);
      if (request.system.empty()) {
        throw UsageError("--system '': needs a value, as hopper, cielo or edison; see rtr --help");
      }
      continue;
    }
    using Action = RtrRequest::Action;
    const Action given = name == "--interconnect" ? Action::interconnect
                         : name == "--version"    ? Action::version
                                                  : Action::help;
    // Help comes before all else.
    if (!action || *action == Action::interconnect) action = given;
  }
  if (!action) {
    throw UsageError("nothing to do; --interconnect prints the tiles, see rtr --help");
  }
  request.action = *action;
  return request;
}

std::string rtr_help() {
  std::string text =
      "Prints how the routers of a system are joined, tile by tile.\n"
      "Usage: rtr [--system SYSTEM] --interconnect\n\nOptions:\n";
  for (const RtrOption& row : rtr_rows) {
    const std::string left =
        fmt::format("  {}{}{}", row.names, row.values.empty() ? "" : " ", row.values);
    text += fmt::format("{:<20}{}\n", left, row.help);
  }
  return text;
}

}  // namespace launch
