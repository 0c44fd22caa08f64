// The command line of rtr.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace launch {

/// A row of the table that parser, --help, manual page and completion read.
struct RtrOption {
  std::string_view names;   ///< "-h, --help"
  std::string_view values;  ///< what to call its value; empty: a flag
  std::string_view words;   ///< values to offer, "hopper|cielo"
  std::string_view help;
};

std::span<const RtrOption> rtr_options();

/// What rtr is asked to do.
struct RtrRequest {
  enum class Action : std::uint8_t { interconnect, help, version };
  Action action = Action::interconnect;
  std::string system;  ///< as given; empty: not given
};

/// Throws UsageError with one line: the option, the value, what is allowed.
RtrRequest parse_rtr_options(const std::vector<std::string>& arguments);

/// The text of --help, with its last newline.
std::string rtr_help();

}  // namespace launch
