// Reads a launcher's command line by its table of options.
#include "launch/description/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "launch/description/option_checks.h"
#include "launch/description/option_table.h"

namespace launch {
namespace {

bool one_letter(std::string_view name) { return name.size() == 2; }

/// mpiexec takes long options with one dash or two, as Open MPI does.
std::string_view without_dashes(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  return name;
}

bool same_name(Launcher launcher, std::string_view argument, std::string_view name) {
  if (argument == name) return true;
  if (launcher == Launcher::aprun || one_letter(name) || one_letter(argument)) return false;
  return without_dashes(argument) == without_dashes(name);
}

/// An argument that is an option, and the value that stands in the same argument.
struct Found {
  const Option* option;
  std::string name;
  std::optional<std::string> joined;
};

std::optional<Found> find_option(Launcher launcher, const std::string& argument) {
  const std::size_t equals = argument.find('=');
  const std::string before = argument.substr(0, equals);
  for (const Option& option : options_of(launcher)) {
    for (const std::string& name : names_of(option.names)) {
      if (same_name(launcher, argument, name)) return Found{&option, name, std::nullopt};
      if (!one_letter(name) && equals != std::string::npos && same_name(launcher, before, name)) {
        return Found{&option, name, argument.substr(equals + 1)};
      }
    }
  }
  // -n4, as ALPS has it.
  if (launcher != Launcher::aprun || argument[1] == '-') return std::nullopt;
  for (const Option& option : options_of(launcher)) {
    for (const std::string& name : names_of(option.names)) {
      if (one_letter(name) && argument.starts_with(name)) {
        return Found{&option, name, argument.substr(name.size())};
      }
    }
  }
  return std::nullopt;
}

void refuse_known(Launcher launcher, const std::string& argument) {
  for (const RefusedOption& refused : refused_options_of(launcher)) {
    for (const std::string& name : names_of(refused.names)) {
      // -m2048 and -t60 are how ALPS takes values, too.
      const bool joined = launcher == Launcher::aprun && one_letter(name) && argument.size() > 2 &&
                          argument[1] != '-' && argument.starts_with(name);
      if (same_name(launcher, argument.substr(0, argument.find('=')), name) || joined) {
        throw UsageError(fmt::format("{}: {}", name, refused.reason));
      }
    }
  }
}

/// The line for an option that the launcher does not have.
std::string unknown_option(Launcher launcher, const std::string& argument) {
  std::vector<std::string> names;
  for (const Option& option : options_of(launcher)) {
    for (std::string& name : names_of(option.names)) names.push_back(std::move(name));
  }
  const std::string nearest = nearest_name(argument.substr(0, argument.find('=')), names);
  if (!nearest.empty()) return fmt::format("{}: unknown option; is it {}?", argument, nearest);
  if (launcher == Launcher::aprun) {
    return fmt::format("{}: unknown option; see aprun --help", argument);
  }
  std::string all;
  for (const Option& option : options_of(launcher)) {
    all += fmt::format("{}{}", all.empty() ? "" : ", ", option.names);
  }
  return fmt::format("{}: unknown option; there are {}", argument, all);
}

/// Takes the option that stands at `at` with its values, and moves `at` behind them.
void take_option(Launcher launcher, const std::vector<std::string>& arguments, std::size_t& at,
                 AprunOptions& options) {
  const std::string& argument = arguments[at];
  refuse_known(launcher, argument);
  const std::optional<Found> found = find_option(launcher, argument);
  if (!found) throw UsageError(unknown_option(launcher, argument));
  ++at;
  GivenOption given{found->name, {}};
  const std::size_t wanted = values_of(*found->option);
  if (found->joined) {
    if (wanted == 0) {
      throw UsageError(fmt::format("{}: {} takes no value", argument, found->name));
    }
    given.values.push_back(*found->joined);
  }
  while (given.values.size() < wanted) {
    if (at == arguments.size()) {
      throw UsageError(
          fmt::format("{}: needs {}", argument, wanted == 1 ? "a value" : found->option->values));
    }
    given.values.push_back(arguments[at++]);
  }
  found->option->apply(options, given);
}

}  // namespace

AprunOptions parse_options(const std::string& called, const std::vector<std::string>& arguments) {
  AprunOptions options;
  options.called = called.substr(called.rfind('/') + 1);
  options.words = arguments;
  options.words.insert(options.words.begin(), options.called);
  const Launcher launcher = launcher_called(options.called);
  if (launcher == Launcher::aprun) options.called = "aprun";
  std::size_t at = 0;
  while (at < arguments.size()) {
    const std::string& argument = arguments[at];
    if (argument.size() < 2 || argument[0] != '-') break;
    if (argument == "--") {
      ++at;
      break;
    }
    take_option(launcher, arguments, at, options);
  }
  if (at < arguments.size()) {
    options.program = arguments[at];
    options.arguments.assign(arguments.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                             arguments.end());
  }
  if (options.action == AprunOptions::Action::run) check_options(options);
  return options;
}

Launcher launcher_called(std::string_view called) {
  return called == "mpiexec" || called == "mpirun" ? Launcher::mpiexec : Launcher::aprun;
}

namespace {

/// `text` in lines of up to `width` characters, each after the first behind `indent` blanks.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string lines;
  while (text.size() > width) {
    const std::size_t end = text.rfind(' ', width);
    lines += std::string(text.substr(0, end)) + "\n" + std::string(indent, ' ');
    text.remove_prefix(end + 1);
  }
  return lines + std::string(text);
}

}  // namespace

std::string options_help(const std::string& called) {
  constexpr std::size_t column = 32;
  constexpr std::size_t width = 68;
  std::string text = fmt::format(
      "Runs a program on a Cray XE6 in software, in virtual time or live.\n"
      "Usage: {} [OPTIONS] PROGRAM [ARGUMENTS]\n\nOptions:\n",
      called);
  for (const Option& option : options_of(launcher_called(called))) {
    const std::string left =
        fmt::format("  {}{}{}", option.names, option.values.empty() ? "" : " ", option.values);
    const bool fits = left.size() + 2 <= column;
    text += fmt::format("{:<{}}{}\n", fits ? left : left + "\n" + std::string(column, ' '),
                        fits ? column : 0, wrapped(option.help, width, column));
  }
  return text;
}

}  // namespace launch
