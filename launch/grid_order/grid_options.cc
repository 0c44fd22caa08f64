// grid_order's command line.
#include "launch/grid_order/grid_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace launch {
namespace {

/// As many as can be in a file without need.
constexpr std::int64_t most_ranks = std::int64_t{1} << 24;

[[noreturn]] void refuse(std::string_view option, std::string_view value,
                         std::string_view allowed) {
  throw GridUsageError(fmt::format("{} {}: allowed {}", option, value, allowed));
}

int number(std::string_view option, std::string_view value, std::string_view whole) {
  int found = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), found);
  if (error != std::errc() || end != value.data() + value.size() || found < 1 ||
      found > most_ranks) {
    refuse(option, whole, fmt::format("are numbers from 1 to {}, commas between them", most_ranks));
  }
  return found;
}

int count(std::string_view option, std::string_view value) {
  if (value.find(',') != std::string_view::npos) refuse(option, value, "is one number");
  return number(option, value, value);
}

std::vector<int> sizes(std::string_view option, std::string_view value) {
  std::vector<int> found;
  std::int64_t product = 1;
  for (std::string_view rest = value;;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    found.push_back(number(option, rest.substr(0, comma), value));
    product *= found.back();
    if (product > most_ranks) {
      refuse(option, value, fmt::format("is a product of at most {}", most_ranks));
    }
    if (comma == rest.size()) return found;
    rest.remove_prefix(comma + 1);
  }
}

void set_major(GridRequest& request, GridRequest::Major major) {
  if (request.major != GridRequest::Major::unset && request.major != major) {
    throw GridUsageError("-R and -C: one of them");
  }
  request.major = major;
}

void check_complete(const GridRequest& request) {
  if (request.major == GridRequest::Major::unset) {
    throw GridUsageError("-R (rows) or -C (columns) is needed; see grid_order --help");
  }
  if (request.grid.empty()) throw GridUsageError("-g N1,N2,... is needed: the grid's sizes");
  if (request.cell.empty()) throw GridUsageError("-c n1,n2,... is needed: a cell's sizes");
  if (request.cell.size() != request.grid.size()) {
    throw GridUsageError(fmt::format("-c has {} size{}, but -g has {}: as many are needed",
                                     request.cell.size(), request.cell.size() == 1 ? "" : "s",
                                     request.grid.size()));
  }
  for (std::size_t d = 0; d < request.grid.size(); ++d) {
    if (request.cell[d] <= request.grid[d]) continue;
    throw GridUsageError(fmt::format("-c: the size {} is larger than the grid's, {}",
                                     request.cell[d], request.grid[d]));
  }
}

/// An option that takes a value. False: there is none of that name.
bool take_value(GridRequest& request, std::string_view name, std::string_view value) {
  if (name == "-g") {
    request.grid = sizes(name, value);
  } else if (name == "-c") {
    request.cell = sizes(name, value);
  } else if (name == "-m") {
    request.ranks = count(name, value);
  } else if (name == "-n") {
    request.per_line = static_cast<std::size_t>(count(name, value));
  } else {
    return false;
  }
  return true;
}

bool take_flag(GridRequest& request, std::string_view name) {
  if (name == "-R" || name == "-C") {
    set_major(request, name == "-R" ? GridRequest::Major::row : GridRequest::Major::column);
  } else if (name == "-Z" || name == "-P") {
    request.alternating = name == "-P";
  } else {
    return false;
  }
  return true;
}

}  // namespace

GridCommand parse_grid_command(const std::vector<std::string>& arguments) {
  GridCommand command;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      command.action = GridCommand::Action::help;
      return command;
    }
    if (argument == "--version") {
      command.action = GridCommand::Action::version;
      return command;
    }
    if (take_flag(command.request, argument)) continue;
    const auto* const option = std::find_if(
        std::begin(grid_options), std::end(grid_options),
        [&](const auto& each) { return !each.values.empty() && argument.starts_with(each.name); });
    if (option == std::end(grid_options)) {
      throw GridUsageError(
          fmt::format("{}: there is no such option; see grid_order --help", argument));
    }
    const bool attached = argument.size() > option->name.size();
    if (!attached && ++i == arguments.size()) {
      throw GridUsageError(fmt::format("{}: {} is missing", argument, option->values));
    }
    take_value(command.request, option->name,
               attached ? argument.substr(option->name.size()) : arguments[i]);
  }
  check_complete(command.request);
  return command;
}

std::string grid_order_help() {
  std::string text =
      "usage: grid_order -R|-C -g N1,N2,... -c n1,n2,... [OPTIONS] >MPICH_RANK_ORDER\n"
      "Writes an order of ranks in which those of each cell of a grid stand together;\n"
      "MPICH_RANK_REORDER_METHOD=3 has aprun place ranks so.\n\n";
  for (const GridOption& option : grid_options) {
    const std::string names =
        fmt::format("{}{}{}", option.name, option.values.empty() ? "" : " ", option.values);
    text += fmt::format("  {:<16} {}\n", names, option.help);
  }
  return text;
}

}  // namespace launch
