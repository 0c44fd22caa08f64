// link_map's command line.
#include "launch/link_map/link_map_options.h"

#include <fmt/format.h>

namespace launch {

LinkMapCommand parse_link_map_command(const std::vector<std::string>& arguments) {
  LinkMapCommand command;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      command.action = LinkMapCommand::Action::help;
      return command;
    }
    if (argument == "--version") {
      command.action = LinkMapCommand::Action::version;
      return command;
    }
    if (argument == "-o") {
      if (++i == arguments.size()) throw LinkMapUsageError("-o: FILE is missing");
      command.page = arguments[i];
      if (command.page.empty()) throw LinkMapUsageError("-o '': must be a file's name");
    } else if (argument.starts_with("-") && argument != "-") {
      throw LinkMapUsageError(
          fmt::format("{}: there is no such option; see link_map --help", argument));
    } else if (!command.counters.empty()) {
      throw LinkMapUsageError(
          fmt::format("{} and {}: one file is read", command.counters, argument));
    } else {
      command.counters = argument;
    }
  }
  if (command.counters.empty()) {
    throw LinkMapUsageError(
        "a file is needed: what aprun --counters FILE.json has written; see link_map --help");
  }
  return command;
}

std::string link_map_help() {
  std::string text =
      "usage: link_map [-o FILE] COUNTERS.json\n"
      "Draws what `aprun --counters COUNTERS.json` has counted: a page of HTML with heat maps of\n"
      "the torus's links. COUNTERS.json may be -, standard input.\n\n";
  for (const LinkMapOption& option : link_map_options) {
    const std::string names =
        fmt::format("{}{}{}", option.name, option.values.empty() ? "" : " ", option.values);
    text += fmt::format("  {:<12} {}\n", names, option.help);
  }
  return text;
}

}  // namespace launch
