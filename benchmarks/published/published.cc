// Published results beside Castor's: runs every comparison of the data files here, and judges each.
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/published/figure.h"
#include "benchmarks/published/output.h"

namespace published {
namespace {

constexpr int usage_exit = 2;

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::vector<std::string> rows;
  std::string format = "table";
  std::filesystem::path data = PUBLISHED_DATA;
  bool help = false;
};

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const auto value = [&] {
      if (++i == arguments.size()) throw UsageError(argument + " needs a value");
      return arguments[i];
    };
    if (argument == "--help" || argument == "-h") {
      options.help = true;
      return options;
    }
    if (argument == "--row") {
      options.rows.push_back(value());
    } else if (argument == "--data") {
      options.data = value();
    } else if (argument == "--csv" || argument == "--json") {
      options.format = argument.substr(2);
    } else {
      throw UsageError(fmt::format("unknown option {}; see --help", argument));
    }
  }
  return options;
}

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

using Figures = std::vector<std::unique_ptr<Figure>>;

/// The figures that are chosen, in the order of common.json.
Figures read_figures(const Options& options) {
  Json common, rows;
  std::size_t all_rows = 0;  // without --row
  try {
    common = read_json(options.data / "common.json");
    rows = common.at("rows");
    all_rows = rows.size();
    for (const Json& name : common.value("more", Json::array())) rows.push_back(name);
  } catch (const std::exception& error) {
    throw DataError(fmt::format("common.json: {}", error.what()));
  }
  if (options.rows.empty())
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(all_rows), rows.end());
  Figures all;
  std::string names;
  for (const Json& name : rows) {
    const std::string row = name;
    all.push_back(std::make_unique<Figure>(options.data / (row + ".json"), common));
    names += (names.empty() ? "" : ", ") + row;
  }
  if (options.rows.empty()) return all;
  Figures chosen;
  for (const std::string& name : options.rows) {
    bool found = false;
    for (std::unique_ptr<Figure>& each : all) {
      if (each && (each->row == name || each->group == name)) {
        chosen.push_back(std::move(each));
        found = true;
      }
    }
    if (!found) throw UsageError(fmt::format("--row {}: one of {}", name, names));
  }
  return chosen;
}

/// On a terminal: what is being done.
void progress(const std::string& text) {
  if (isatty(STDERR_FILENO) != 0) std::fputs(fmt::format("\r\033[K{}", text).c_str(), stderr);
}

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    throw std::runtime_error("standard output cannot be written");
  }
}

/// How many this program may use.
std::size_t processors() {
  cpu_set_t mine;
  return sched_getaffinity(0, sizeof mine, &mine) == 0 ? static_cast<std::size_t>(CPU_COUNT(&mine))
                                                       : 1;
}

/// Runs what a figure needs and judges it.
Judged judge(const Figure& figure, Runs& runs, bool drawn) {
  std::vector<Command> commands;
  for (const Comparison& each : figure.comparisons) {
    for (const NamedValue& value : each.values()) {
      for (const SourcePart& part : value.source.parts) commands.push_back(part.command);
    }
  }
  if (drawn) {
    for (const Picture& chart : figure.charts) chart.add_commands(commands);
  }
  for (const auto& [name, command] : figure.files) runs.make_file(name, command);
  runs.run(commands, figure.together > 0 ? figure.together : processors(),
           [&](std::size_t ended, std::size_t all) {
             progress(fmt::format("{}: {} of {} runs", figure.title, ended, all));
           });
  progress("");
  Judged judged{&figure, {}};
  for (const Comparison& each : figure.comparisons) {
    try {
      judged.results.push_back(each.judge(runs));
    } catch (const DataError& error) {
      throw DataError(fmt::format("{}.json: {}", figure.row, error.what()));
    }
    if (!figure.setup.empty()) judged.results.back().setup = figure.setup;
  }
  return judged;
}

void run(const Options& options, const std::filesystem::path& bin) {
  if (options.help) {
    print(read_text(options.data / "usage.txt"));
    return;
  }
  const Figures figures = read_figures(options);
  Runs runs(bin);
  std::vector<Judged> rows;
  if (options.format == "csv") print(csv_head());
  for (const std::unique_ptr<Figure>& figure : figures) {
    rows.push_back(judge(*figure, runs, options.format == "json"));
    if (options.format == "csv") print(as_csv(rows.back()));
    if (options.format == "table") print(as_text(rows.back()));
  }
  if (options.format == "json") print(as_json(rows, runs));
  std::fputs(summary(rows).c_str(), stderr);
}

/// Says what was wrong, in one line behind what a program has said.
int complain(const std::exception& error, int code) {
  progress("");
  std::fputs(fmt::format("published: {}\n", error.what()).c_str(), stderr);
  return code;
}

}  // namespace
}  // namespace published

int main(int argc, char** argv) {
  try {
    const std::filesystem::path bin = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    published::run(published::parse({argv + (argc > 0 ? 1 : 0), argv + argc}), bin);
    return 0;
  } catch (const published::UsageError& error) {
    return published::complain(error, published::usage_exit);
  } catch (const published::DataError& error) {
    return published::complain(error, published::usage_exit);
  } catch (const std::exception& error) {
    return published::complain(error, 1);
  }
}
