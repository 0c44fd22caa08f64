// The options of the launchers: Cray's and MPI's where they have a meaning here, and our own.
#include "launch/description/option_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace launch {
namespace {

constexpr int most_ranks = 1000000;
constexpr int most_cpus = 1024;
constexpr std::string_view separator = ", ";

int number(const GivenOption& given, int lowest, int highest) {
  return static_cast<int>(parse_number(given.name, given.values.front(), lowest, highest));
}

/// Throws UsageError unless the value is one of `words`, "a|b|c".
void check_word(const GivenOption& given, std::string_view words) {
  const std::string& value = given.values.front();
  std::string allowed;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find('|'), words.size());
    const std::string_view word = words.substr(0, end);
    if (value == word) return;
    words.remove_prefix(std::min(end + 1, words.size()));
    allowed += allowed.empty() ? "" : (words.empty() ? " or " : ", ");
    allowed += word;
  }
  throw UsageError(fmt::format("{} '{}': must be {}", given.name, value, allowed));
}

/// An output that a run has one of: the first file would stay empty.
void set_file(std::string& file, const GivenOption& given) {
  const std::string& value = given.values.front();
  if (value.empty()) throw UsageError(fmt::format("{}: needs the name of a file", given.name));
  if (!file.empty()) {
    throw UsageError(
        fmt::format("{}: given twice, '{}' and '{}'; a run writes one", given.name, file, value));
  }
  file = value;
}

void set_variable(AprunOptions& options, const GivenOption& given, std::string_view form) {
  const std::string& entry = given.values.front();
  const std::size_t equals = entry.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError(fmt::format("{} '{}': must be {}", given.name, entry, form));
  }
  options.environment.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
}

void set_compute_factor(AprunOptions& options, const GivenOption& given) {
  const std::string& text = given.values.front();
  double factor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  const bool parsed = error == std::errc() && end == text.data() + text.size();
  if (!parsed || !(factor >= 0.01 && factor <= 1000)) {
    throw UsageError(fmt::format("{} '{}': must be a number from 0.01 to 1000", given.name, text));
  }
  options.settings.emplace_back("CASTOR_COMPUTE_FACTOR",
                                std::to_string(std::llround(factor * 100)));
}

void set_node_option(AprunOptions& options, const char* name) {
  options.node_options.emplace_back(name);
}

constexpr std::string_view bindings = "cpu|depth|numa_node|none";
constexpr std::string_view fidelities = "message|packet";
constexpr std::string_view clocks = "virtual|live";
constexpr std::string_view computes = "auto|modelled|measured";
constexpr std::string_view accesses = "exclusive";

using Options = AprunOptions;
using Given = GivenOption;

// ---- What both launchers have

constexpr Option ranks{"-n", "RANKS", "", "ranks of the job (default 1)",
                       [](Options& o, const Given& g) { o.ranks = number(g, 1, most_ranks); }};
constexpr Option service_cpus{
    "-r", "CPUS", "", "core specialization: service CPUs per node (default 0)",
    [](Options& o, const Given& g) { o.service_cpus = number(g, 0, most_cpus); }};
constexpr Option counters{
    "--counters", "FILE", "",
    "write what the Geminis' tiles have counted, as the Gemini monitor library does (FILE.json: as "
    "JSON); several FILEs may be given",
    [](Options& o, const Given& g) { o.counters.push_back(g.values.front()); }};
constexpr Option counters_every{"--counters-every", "TIME", "",
                                "with --counters: a sample for each interval of virtual time, like "
                                "50us (CASTOR_COUNTERS_EVERY)",
                                [](Options& o, const Given& g) {
                                  o.settings.emplace_back("CASTOR_COUNTERS_EVERY",
                                                          g.values.front());
                                }};
constexpr Option profile{
    "--profile", "FILE", "",
    "print where the ranks' time went (calls, messages, progress threads, what was stolen), and "
    "write it to FILE as JSON",
    [](Options& o, const Given& g) { set_file(o.profile, g); }};
constexpr Option timeline{"--timeline", "FILE", "",
                          "write what ran when to FILE: JSON for Perfetto, Chrome's tracing and "
                          "speedscope; FILE.otf2: an "
                          "OTF2 archive",
                          [](Options& o, const Given& g) { set_file(o.timeline, g); }};
constexpr Option timeline_from{
    "--timeline-from", "TIME", "", "where --timeline and --report begin, like 1.5ms (default 0)",
    [](Options& o, const Given& g) { o.timeline_from_s = parse_moment(g.name, g.values.front()); }};
constexpr Option timeline_to{
    "--timeline-to", "TIME", "", "where they end (default: the run's end)",
    [](Options& o, const Given& g) { o.timeline_to_s = parse_moment(g.name, g.values.front()); }};
constexpr Option timeline_ranks{"--timeline-ranks", "RANKS", "",
                                "the ranks that they show, like 0-3,8 (default: all)",
                                [](Options& o, const Given& g) {
                                  o.timeline_ranks = parse_number_list(g.name, g.values.front());
                                }};
constexpr Option report{"--report", "FILE", "",
                        "write a page about the run to FILE (HTML, one file): profile, messages, "
                        "links if counted, timeline",
                        [](Options& o, const Given& g) { set_file(o.report, g); }};
constexpr Option telemetry{
    "--telemetry", "CHOICE", "",
    "mark commands (like 100: one in 100), and print where and behind what they waited on their "
    "way, and for which source lines (CASTOR_TELEMETRY)",
    [](Options& o, const Given& g) {
      o.settings.emplace_back("CASTOR_TELEMETRY", g.values.front());
    }};
constexpr Option telemetry_file{
    "--telemetry-file", "FILE", "",
    "with --telemetry: write the paths to FILE as JSON (FILE.csv: a line each)",
    [](Options& o, const Given& g) { set_file(o.telemetry_file, g); }};
constexpr Option faults{
    "--faults", "FAULTS", "",
    "make things go wrong: statements such as \"post-fails kind=put nth=7; register-fails p=.01\", "
    "or a file of them (CASTOR_FAULTS)",
    [](Options& o, const Given& g) { o.settings.emplace_back("CASTOR_FAULTS", g.values.front()); }};
constexpr Option reconnect{
    "-C, --reconnect", "", "", "go on without nodes that fail (--faults node-dead)",
    [](Options& o, const Given&) { o.settings.emplace_back("CASTOR_RECONNECT", "1"); }};
constexpr Option faults_file{"--faults-file", "FILE", "",
                             "with --faults: write what went wrong to FILE, a line each (CSV)",
                             [](Options& o, const Given& g) { set_file(o.faults_file, g); }};
constexpr Option audit{
    "--audit", "", "",
    "at the end, say what ranks have not given back (memory registrations, "
    "queues, ...) and what NICs and network still hold (CASTOR_AUDIT)",
    [](Options& o, const Given&) { o.settings.emplace_back("CASTOR_AUDIT", "1"); }};
constexpr Option compare{"--compare", "FILE FILE", "",
                         "put the two runs beside each other that --profile has written, and exit",
                         [](Options& o, const Given& g) {
                           o.action = Options::Action::compare;
                           o.compared = g.values;
                         }};
constexpr Option limit{
    "--limit", "TIME", "", "end the run when it has taken so long on this host, like 90s, 5m or 2h",
    [](Options& o, const Given& g) { o.limit_s = parse_duration(g.name, g.values.front()); }};
constexpr Option workers{
    "--workers", "COUNT", "auto",
    "run the job with so many processes, or auto: as many as gain something (default: 1); of "
    "several hosts, on which mpirun or srun has started aprun, each has so many",
    [](Options& o, const Given& g) {
      constexpr std::int64_t most = 64;
      const std::string& text = g.values.front();
      if (text != "auto") parse_number(g.name, text, 1, most);
      o.workers_given = true;
      o.settings.emplace_back("CASTOR_WORKERS", text == "auto" ? "0" : text);
    }};
constexpr Option quiet{"-q, --quiet", "", "",
                       "no line before the run and none after; warnings remain",
                       [](Options& o, const Given&) { o.quiet = true; }};
constexpr Option verbose{
    "-v, --verbose", "", "",
    "print the machine before the run, with a map of each node's CPUs (which thread runs where: "
    "MPICH_CPUMASK_DISPLAY), and the host's resources after it",
    [](Options& o, const Given&) {
      o.verbose = true;
      o.settings.emplace_back("MPICH_CPUMASK_DISPLAY", "1");
    }};
constexpr Option system_option{"--system", "SYSTEM", "hopper|cielo|edison",
                               "hopper (default), cielo, edison, a torus XxYxZ, or a dragonfly "
                               "dragonfly:GROUPSxCHASSISxBLADESxNODES",
                               [](Options& o, const Given& g) {
                                 o.system = g.values.front();
                                 o.system_given = true;
                               }};
constexpr Option fidelity{
    "--fidelity", "FIDELITY", fidelities,
    "how the network is simulated: message (default) moves pieces of transfers, packet moves every "
    "packet through the buffers of tiles (slower; CASTOR_FIDELITY)",
    [](Options& o, const Given& g) {
      o.settings.emplace_back("CASTOR_FIDELITY", g.values.front());
    }};
constexpr Option node{
    "--node", "NODE", "xe6|xk6|hopper|edison",
    "xe6 (default), xk6, hopper, edison, an hwloc synthetic string, or an hwloc XML file",
    [](Options& o, const Given& g) {
      o.node = g.values.front();
      set_node_option(o, "--node");
    }};
constexpr Option seed{"--seed", "NUMBER", "", "seed of every random stream (CASTOR_SEED)",
                      [](Options& o, const Given& g) {
                        constexpr std::int64_t highest = 9000000000000000;
                        parse_number(g.name, g.values.front(), 0, highest);
                        o.settings.emplace_back("CASTOR_SEED", g.values.front());
                      }};
constexpr Option compute{
    "--compute", "KIND", computes,
    "auto (default), modelled or measured: what the program's own computing costs",
    [](Options& o, const Given& g) {
      check_word(g, computes);
      o.settings.emplace_back("CASTOR_COMPUTE", g.values.front());
    }};
constexpr Option compute_factor{
    "--compute-factor", "FACTOR", "",
    "modelled CPU time per measured CPU time (default 1; CASTOR_COMPUTE_FACTOR in percent)",
    &set_compute_factor};
constexpr Option clock_option{
    "--clock", "CLOCK", clocks,
    "virtual (default): ranks in one process, modelled time; live: a process to each rank, the "
    "host's time (CASTOR_CLOCK)",
    [](Options& o, const Given& g) {
      check_word(g, clocks);
      using Clock = Options::Clock;
      o.clock = g.values.front() == "live" ? Clock::live : Clock::virtual_time;
    }};
constexpr Option environment_help{
    "--env-help", "", "",
    "print the environment variables and exit; with words behind it, those that have each of them "
    "in name, unit or description",
    [](Options& o, const Given&) { o.action = Options::Action::environment_help; }};
constexpr Option help{"-h, --help", "", "", "print this text and exit",
                      [](Options& o, const Given&) { o.action = Options::Action::help; }};

constexpr auto print_version = [](Options& o, const Given&) {
  o.action = Options::Action::version;
};
constexpr auto set_per_node = [](Options& o, const Given& g) {
  o.ranks_per_node = number(g, 1, most_cpus);
};
constexpr auto set_label = [](Options& o, const Given&) { o.label = true; };
constexpr std::string_view label_help =
    "begin every line of the ranks' output and errors with the rank, like 12: text";

// ---- aprun

constexpr std::array aprun_options{
    ranks,
    Option{"-N", "RANKS", "", "ranks per node (default: as many as fit)", set_per_node},
    Option{"-d", "CPUS", "", "CPUs per rank (default 1)",
           [](Options& o, const Given& g) { o.depth = number(g, 1, most_cpus); }},
    Option{"-S", "RANKS", "", "ranks per NUMA node",
           [](Options& o, const Given& g) {
             o.ranks_per_numa_node = number(g, 1, most_cpus);
             set_node_option(o, "-S");
           }},
    service_cpus,
    Option{"-j", "CPUS", "0|1|2", "CPUs to use of each compute unit (0 = all, the default)",
           [](Options& o, const Given& g) {
             o.cpus_per_compute_unit = number(g, 0, 2);
             // Job scripts of machines without hyper-threads say 0 or 1, which are the same there.
             if (o.cpus_per_compute_unit > 1) set_node_option(o, "-j");
           }},
    Option{"-cc, --cc", "BINDING", bindings,
           "where ranks run: cpu (default), depth, numa_node, none, CPUs (one per rank), or lists "
           "as 0,1:2,3",
           [](Options& o, const Given& g) {
             o.binding = parse_binding("-cc", g.values.front(), o.cpu_lists);
           }},
    Option{"-e", "NAME=VALUE", "", "environment variable for the ranks; repeatable",
           [](Options& o, const Given& g) { set_variable(o, g, "NAME=value"); }},
    Option{
        "-L", "NODES", "", "nodes to use, like 0,2,4-7 (default: neighbours from 0 on)",
        [](Options& o, const Given& g) { o.nodes = parse_number_list(g.name, g.values.front()); }},
    Option{"-F", "MODE", accesses, "exclusive: nodes run one job (the default, and all there is)",
           [](Options&, const Given& g) {
             if (g.values.front() == accesses) return;
             throw UsageError(
                 fmt::format("-F '{}': must be exclusive; nodes are not shared", g.values.front()));
           }},
    Option{"-t", "SECONDS", "",
           "end the run at this virtual time; live: a rank that has used so much CPU time",
           [](Options& o, const Given& g) {
             o.time_limit_s = parse_duration(g.name, g.values.front());
           }},
    limit,
    workers,
    profile,
    timeline,
    timeline_from,
    timeline_to,
    timeline_ranks,
    report,
    telemetry,
    telemetry_file,
    faults,
    faults_file,
    audit,
    reconnect,
    compare,
    counters,
    counters_every,
    Option{"-b", "", "", "accepted: programs are always read from their file",
           [](Options&, const Given&) {}},
    quiet,
    Option{"-l, --label", "", "", label_help, set_label},
    system_option,
    fidelity,
    node,
    seed,
    compute,
    compute_factor,
    clock_option,
    verbose,
    environment_help,
    Option{"--version", "", "", "print the version and exit", print_version},
    help};

constexpr std::array refused_by_aprun{
    RefusedOption{"-m", "a rank's memory is not limited; leave it out"},
    RefusedOption{"-B", "there is no batch reservation; give -n, -N and -d"},
    RefusedOption{"-p", "the job's protection domain is its own; leave it out"},
    RefusedOption{"-D", "ALPS debugging does not exist here; leave it out"},
    RefusedOption{"-a", "all nodes are XE6 nodes; leave it out, or describe nodes with --node"},
    RefusedOption{"-R", "a job is not started again; leave it out, or see -C"},
    RefusedOption{"-T", "output is never mixed within a line; leave it out"},
    RefusedOption{"-cp", "use -cc with a list of CPUs"},
    RefusedOption{"-sl, -sn", "use -S"},
    RefusedOption{"-ss", "memory is not placed by NUMA node; leave it out"},
    RefusedOption{"-P", "ranks and aprun share no pipes; leave it out"}};

// ---- mpiexec and mpirun

constexpr auto set_pair = [](Options& o, const Given& g) {
  if (g.values.front().empty() || g.values.front().find('=') != std::string::npos) {
    throw UsageError(fmt::format("{} '{}': must be a variable's name, and then its value", g.name,
                                 g.values.front()));
  }
  o.environment.emplace_back(g.values.front(), g.values.back());
};

constexpr std::array mpiexec_options{
    Option{"-n, -np", ranks.values, "", ranks.help, ranks.apply},
    Option{"-ppn, -npernode, -N", "RANKS", "", "ranks per node (default: as many as fit)",
           set_per_node},
    service_cpus,
    Option{"-env, -genv", "NAME VALUE", "", "environment variable for the ranks; repeatable",
           set_pair},
    Option{"-x", "NAME=VALUE", "",
           "the same as Open MPI has it; NAME alone is accepted: ranks have the whole environment",
           [](Options& o, const Given& g) {
             if (g.values.front().find('=') == std::string::npos) return;
             set_variable(o, g, "NAME=VALUE or NAME");
           }},
    Option{"-wdir, -wd", "FOLDER", "", "where ranks begin",
           [](Options& o, const Given& g) { o.directory = g.values.front(); }},
    Option{"-l, -prepend-rank", "", "", label_help, set_label},
    Option{"--oversubscribe", "", "", "accepted: ranks may always be more than the host's CPUs",
           [](Options&, const Given&) {}},
    Option{"--allow-run-as-root", "", "", "accepted: root may always run programs",
           [](Options&, const Given&) {}},
    limit,
    workers,
    profile,
    timeline,
    timeline_from,
    timeline_to,
    timeline_ranks,
    report,
    telemetry,
    telemetry_file,
    faults,
    faults_file,
    audit,
    compare,
    counters,
    counters_every,
    quiet,
    system_option,
    fidelity,
    node,
    seed,
    compute,
    compute_factor,
    clock_option,
    verbose,
    environment_help,
    Option{"-V, --version", "", "", "print the version and exit", print_version},
    help};

constexpr std::array refused_by_mpiexec{
    RefusedOption{"-H, -host, -hosts, -f, -hostfile, -machinefile",
                  "a job's nodes are modelled, on this host; use -ppn, or on several hosts another "
                  "launcher (docs/live.md)"},
    RefusedOption{"-bind-to, -map-by, -rank-by, -bynode, -bysocket, -cpus-per-proc",
                  "use -ppn, or aprun with -cc, -d and -S"},
    RefusedOption{"-mca, -gmca, -prtemca, -tune",
                  "Open MPI's parameters do not exist here; see "
                  "--env-help"},
    RefusedOption{"-configfile, -app", "a job has one program; name it"},
    RefusedOption{"-timeout", "use --limit"},
    RefusedOption{"-tag-output, -ordered-output", "use -l"}};

}  // namespace

std::span<const Option> options_of(Launcher launcher) {
  if (launcher == Launcher::aprun) return aprun_options;
  return mpiexec_options;
}

std::span<const RefusedOption> refused_options_of(Launcher launcher) {
  if (launcher == Launcher::aprun) return refused_by_aprun;
  return refused_by_mpiexec;
}

std::vector<std::string> names_of(std::string_view names) {
  std::vector<std::string> parts;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(separator), names.size());
    parts.emplace_back(names.substr(0, end));
    names.remove_prefix(std::min(end + separator.size(), names.size()));
  }
  return parts;
}

std::size_t values_of(const Option& option) {
  if (option.values.empty()) return 0;
  return 1 + static_cast<std::size_t>(std::count(option.values.begin(), option.values.end(), ' '));
}

}  // namespace launch
