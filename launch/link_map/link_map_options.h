// link_map's command line.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace launch {

/// One line: the option, its value, what is allowed.
class LinkMapUsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct LinkMapOption {
  std::string_view name, values, help;
};
constexpr LinkMapOption link_map_options[] = {
    {"-o", "FILE", "write the page to FILE, not to standard output"},
    {"--help", "", "print this"},
    {"--version", "", "print the version"},
};

/// With --help or --version `action` says so, and the other members have no meaning.
struct LinkMapCommand {
  enum class Action { draw, help, version };
  Action action = Action::draw;
  std::string counters;  ///< the file to read
  std::string page;      ///< the file to write; empty: standard output
};
/// Throws LinkMapUsageError.
LinkMapCommand parse_link_map_command(const std::vector<std::string>& arguments);

std::string link_map_help();

}  // namespace launch
