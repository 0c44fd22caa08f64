// aprun's command line: Cray's options where they have a meaning here, and our own.
#include "launch/description/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace launch {
namespace {

constexpr int most_ranks = 1000000;
constexpr int most_cpus = 1024;

/// The options as text, before their values are looked at.
struct RawOptions {
  std::string ranks, per_node, depth, per_numa_node, service_cpus, per_unit, binding, nodes, access;
  std::string system, node, seed, compute, compute_factor, clock, limit, time_limit;
  std::vector<std::string> environment;
  bool bypass = false, verbose = false, quiet = false, label = false;
  bool help = false, version = false, environment_help = false;
};

/// Cray's options that have no meaning here, and why.
struct RefusedOption {
  std::string_view name;
  std::string_view reason;
};
constexpr std::array refused_options{
    RefusedOption{"-m", "a rank's memory is not limited; leave it out"},
    RefusedOption{"-B", "there is no batch reservation; give -n, -N and -d"},
    RefusedOption{"-p", "the job's protection domain is its own; leave it out"},
    RefusedOption{"-D", "ALPS debugging does not exist here; leave it out"},
    RefusedOption{"-a", "all nodes are XE6 nodes; leave it out, or describe nodes with --node"},
    RefusedOption{"-C", "nodes do not fail; leave it out"},
    RefusedOption{"-R", "nodes do not fail; leave it out"},
    RefusedOption{"-T", "output is never mixed within a line; leave it out"},
    RefusedOption{"-cp", "use -cc with a list of CPUs"},
    RefusedOption{"-sl", "use -S"},
    RefusedOption{"-sn", "use -S"},
    RefusedOption{"-ss", "memory is not placed by NUMA node; leave it out"},
    RefusedOption{"-P", "ranks and aprun share no pipes; leave it out"}};

void declare(CLI::App& app, RawOptions& raw) {
  app.set_help_flag();
  app.prefix_command();
  app.allow_windows_style_options(false);
  const auto value = [&app](const char* names, std::string& target, const char* type,
                            const char* help) {
    app.add_option(names, target, help)
        ->type_name(type)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  };
  value("-n", raw.ranks, "RANKS", "ranks of the job (default 1)");
  value("-N", raw.per_node, "RANKS", "ranks per node (default: as many as fit)");
  value("-d", raw.depth, "CPUS", "CPUs per rank (default 1)");
  value("-S", raw.per_numa_node, "RANKS", "ranks per NUMA node");
  value("-r", raw.service_cpus, "CPUS", "core specialization: service CPUs per node (default 0)");
  value("-j", raw.per_unit, "CPUS", "CPUs to use of each compute unit (0 = all, the default)");
  value(
      "--cc", raw.binding, "BINDING",
      "also -cc: cpu (default), depth, numa_node, none, CPUs (one per rank), or lists as 0,1:2,3");
  app.add_option("-e", raw.environment, "environment variable for the ranks; repeatable")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  value("-L", raw.nodes, "NODES", "nodes to use, like 0,2,4-7 (default: neighbours from 0 on)");
  value("-F", raw.access, "MODE", "exclusive: nodes run one job (the default, and all there is)");
  value("-t", raw.time_limit, "SECONDS",
        "end the run at this virtual time; live: a rank that has used so much CPU time");
  value("--limit", raw.limit, "TIME",
        "end the run when it has taken so long on this host, like 90s, 5m or 2h");
  app.add_flag("-b", raw.bypass, "accepted: programs are always read from their file");
  app.add_flag("-q,--quiet", raw.quiet, "no line before the run and none after; warnings remain");
  app.add_flag("-l,--label", raw.label,
               "begin every line of the ranks' output and errors with the rank, like 12: text");
  value("--system", raw.system, "SYSTEM", "hopper (default), cielo, or a torus XxYxZ");
  value("--node", raw.node, "NODE",
        "xe6 (default), xk6, hopper, an hwloc synthetic string, or an hwloc XML file");
  value("--seed", raw.seed, "NUMBER", "seed of every random stream (CASTOR_SEED)");
  value("--compute", raw.compute, "KIND",
        "auto (default), modelled or measured: what the program's own computing costs");
  value("--compute-factor", raw.compute_factor, "FACTOR",
        "modelled CPU time per measured CPU time (default 1; CASTOR_COMPUTE_FACTOR in percent)");
  value("--clock", raw.clock, "CLOCK",
        "virtual (default): ranks in one process, modelled time; live: a process to each rank, the "
        "host's time (CASTOR_CLOCK)");
  app.add_flag(
      "-v,--verbose", raw.verbose,
      "print the machine before the run, with a map of each node's CPUs (which thread runs "
      "where: MPICH_CPUMASK_DISPLAY), and the host's resources after it");
  app.add_flag("--env-help", raw.environment_help, "print the environment variables and exit");
  app.add_flag("--version", raw.version, "print the version and exit");
  app.add_flag("-h,--help", raw.help, "print this text and exit");
}

void refuse_known(const std::string& argument) {
  for (const RefusedOption& refused : refused_options) {
    // -m2048 and -t60 are how ALPS takes values, too.
    const bool joined = refused.name.size() == 2 && argument.size() > 2 && argument[1] != '-' &&
                        argument.compare(0, 2, refused.name) == 0;
    if (argument == refused.name || joined) {
      throw UsageError(fmt::format("{}: {}", refused.name, refused.reason));
    }
  }
}

/// "-cc" is one option of two letters in ALPS, two options to every other parser.
std::string long_form(const std::string& argument) {
  if (argument == "-cc") return "--cc";
  return argument.rfind("-cc=", 0) == 0 ? "-" + argument : argument;
}

/// Number of leading arguments that are aprun's own: up to the program or past "--".
std::vector<std::string> split_program(const CLI::App& app,
                                       const std::vector<std::string>& arguments,
                                       AprunOptions& options) {
  std::vector<std::string> own;
  std::size_t at = 0;
  while (at < arguments.size()) {
    const std::string argument = long_form(arguments[at]);
    if (argument == "--") {
      ++at;
      break;
    }
    if (argument.size() < 2 || argument[0] != '-') break;
    refuse_known(argument);
    const bool is_long = argument[1] == '-';
    const std::string name =
        is_long ? argument.substr(0, argument.find('=')) : argument.substr(0, 2);
    const CLI::Option* option = app.get_option_no_throw(name);
    if (option == nullptr) {
      throw UsageError(fmt::format("{}: unknown option; see aprun --help", argument));
    }
    const bool takes_value = option->get_items_expected_max() > 0;
    const bool has_value = argument.size() > name.size();
    if (!takes_value && has_value) {
      throw UsageError(fmt::format("{}: {} takes no value", argument, name));
    }
    own.push_back(argument);
    ++at;
    if (takes_value && !has_value) {
      if (at == arguments.size())
        throw UsageError(fmt::format("{}: needs a value", arguments[at - 1]));
      // Joined, so that a value may begin with a dash and still be named in its error.
      own.back() += (is_long ? "=" : "") + arguments[at++];
    }
  }
  if (at < arguments.size()) {
    options.program = arguments[at];
    options.arguments.assign(arguments.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                             arguments.end());
  }
  return own;
}

template <typename Target>
void set_number(Target& target, const char* option, const std::string& text, int lowest,
                int highest) {
  if (!text.empty()) target = static_cast<int>(parse_number(option, text, lowest, highest));
}

void set_environment(AprunOptions& options, const std::vector<std::string>& entries) {
  for (const std::string& entry : entries) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError(fmt::format("-e '{}': must be NAME=value", entry));
    }
    options.environment.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
}

void set_settings(AprunOptions& options, const RawOptions& raw) {
  if (!raw.seed.empty()) {
    parse_number("--seed", raw.seed, 0, 9000000000000000);
    options.settings.emplace_back("CASTOR_SEED", raw.seed);
  }
  if (!raw.compute.empty()) {
    if (raw.compute != "auto" && raw.compute != "modelled" && raw.compute != "measured") {
      throw UsageError(
          fmt::format("--compute '{}': must be auto, modelled or measured", raw.compute));
    }
    options.settings.emplace_back("CASTOR_COMPUTE", raw.compute);
  }
  if (!raw.compute_factor.empty()) {
    double factor = 0;
    const bool parsed = CLI::detail::lexical_cast(raw.compute_factor, factor);
    if (!parsed || !(factor >= 0.01 && factor <= 1000)) {
      throw UsageError(fmt::format("--compute-factor '{}': must be a number from 0.01 to 1000",
                                   raw.compute_factor));
    }
    options.settings.emplace_back("CASTOR_COMPUTE_FACTOR",
                                  std::to_string(std::llround(factor * 100)));
  }
  if (raw.verbose) options.settings.emplace_back("MPICH_CPUMASK_DISPLAY", "1");
}

void set_clock(AprunOptions& options, const std::string& text) {
  if (text.empty()) return;
  if (text != "virtual" && text != "live") {
    throw UsageError(fmt::format("--clock '{}': must be virtual or live", text));
  }
  using Clock = AprunOptions::Clock;
  options.clock = text == "live" ? Clock::live : Clock::virtual_time;
}

void set_values(AprunOptions& options, const RawOptions& raw) {
  set_number(options.ranks, "-n", raw.ranks, 1, most_ranks);
  set_number(options.ranks_per_node, "-N", raw.per_node, 1, most_cpus);
  set_number(options.depth, "-d", raw.depth, 1, most_cpus);
  set_number(options.ranks_per_numa_node, "-S", raw.per_numa_node, 1, most_cpus);
  set_number(options.service_cpus, "-r", raw.service_cpus, 0, most_cpus);
  set_number(options.cpus_per_compute_unit, "-j", raw.per_unit, 0, 2);
  if (!raw.binding.empty()) {
    options.binding = parse_binding("-cc", raw.binding, options.cpu_lists);
  }
  if (!raw.nodes.empty()) options.nodes = parse_number_list("-L", raw.nodes);
  if (!raw.access.empty() && raw.access != "exclusive") {
    throw UsageError(fmt::format("-F '{}': must be exclusive; nodes are not shared", raw.access));
  }
  if (!raw.system.empty()) options.system = raw.system;
  if (!raw.node.empty()) options.node = raw.node;
  for (const auto& [name, text] :
       {std::pair("--node", &raw.node), {"-S", &raw.per_numa_node}, {"-j", &raw.per_unit}}) {
    if (!text->empty()) options.node_options.emplace_back(name);
  }
  if (!raw.limit.empty()) options.limit_s = parse_duration("--limit", raw.limit);
  if (!raw.time_limit.empty()) options.time_limit_s = parse_duration("-t", raw.time_limit);
  set_environment(options, raw.environment);
  set_settings(options, raw);
  set_clock(options, raw.clock);
  options.quiet = raw.quiet;
  options.verbose = raw.verbose;
  options.label = raw.label;
}

}  // namespace

AprunOptions parse_options(const std::vector<std::string>& arguments) {
  CLI::App app;
  RawOptions raw;
  declare(app, raw);
  AprunOptions options;
  std::vector<std::string> own = split_program(app, arguments, options);
  std::reverse(own.begin(), own.end());  // CLI11 takes them from the back
  try {
    app.parse(own);
  } catch (const CLI::ParseError& error) {
    std::string line = error.what();
    std::replace(line.begin(), line.end(), '\n', ' ');
    throw UsageError(line);
  }
  using Action = AprunOptions::Action;
  if (raw.help || raw.version || raw.environment_help) {
    options.action =
        raw.help ? Action::help : (raw.version ? Action::version : Action::environment_help);
    return options;
  }
  set_values(options, raw);
  const std::vector<std::string>& rest = options.arguments;
  if (options.program == ":" || std::find(rest.begin(), rest.end(), ":") != rest.end()) {
    throw UsageError("':': a job of several programs does not exist here; name one program");
  }
  if (options.program.empty()) {
    throw UsageError("no program; aprun [options] PROGRAM [arguments], see aprun --help");
  }
  return options;
}

std::string options_help() {
  CLI::App app("Runs a program on a Cray XE6 in software, in virtual time or live.", "aprun");
  RawOptions raw;
  declare(app, raw);
  std::string text = app.help();
  constexpr std::string_view usage = "[OPTIONS]";
  if (const auto at = text.find(usage); at != std::string::npos) {
    text.replace(at, usage.size(), "[OPTIONS] PROGRAM [ARGUMENTS]");
  }
  return text;
}

}  // namespace launch
