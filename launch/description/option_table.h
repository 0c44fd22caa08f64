// The options of the launchers, one table for each: parser, --help, manual pages and shell
// completion read it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/description/options.h"

namespace launch {

/// An option as it was given: the name by which the table knows it, and its values.
struct GivenOption {
  std::string name;
  std::vector<std::string> values;
};

struct Option {
  std::string_view names;   ///< "-q, --quiet"
  std::string_view values;  ///< what to call its values, "NAME VALUE" if it has two; empty: a flag
  std::string_view words;   ///< values to offer, "virtual|live"; empty: any text
  std::string_view help;
  void (*apply)(AprunOptions& options, const GivenOption& given);  ///< throws UsageError
};

/// Options of other launchers that have no meaning here, and what to do.
struct RefusedOption {
  std::string_view names;
  std::string_view reason;
};

std::span<const Option> options_of(Launcher launcher);
std::span<const RefusedOption> refused_options_of(Launcher launcher);

/// "-q, --quiet" in parts.
std::vector<std::string> names_of(std::string_view names);

/// How many values the option takes.
std::size_t values_of(const Option& option);

}  // namespace launch
