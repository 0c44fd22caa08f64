// A launcher's command line as a plain struct.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corespec/topology/placement.h"

namespace launch {

/// A command line that a launcher cannot follow. what() is one line without the launcher's name.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where a rank's threads may run (-cc).
using CpuBinding = corespec::PlacementRequest::Binding;

/// What a binding means for ranks of `depth` CPUs: `cpu` is one of them for each thread.
constexpr CpuBinding with_depth(CpuBinding binding, int depth) {
  return binding == CpuBinding::cpu && depth > 1 ? CpuBinding::depth : binding;
}

/// Whose options a command line has: one program is all of them.
enum class Launcher : std::uint8_t { aprun, mpiexec };
/// By the name of the program, without folders: mpiexec, mpirun, or any other.
Launcher launcher_called(std::string_view called);

/// What aprun is asked to do; unset options are empty or hold the default given here.
struct AprunOptions {
  enum class Action : std::uint8_t { run, help, version, environment_help, compare };
  Action action = Action::run;
  std::string called = "aprun";    ///< the launcher's name: aprun, mpiexec or mpirun
  std::vector<std::string> words;  ///< the whole command line, as given

  int ranks = 1;                            ///< -n
  std::optional<int> ranks_per_node;        ///< -N
  int depth = 1;                            ///< -d: CPUs per rank
  std::optional<int> ranks_per_numa_node;   ///< -S
  int service_cpus = 0;                     ///< -r: CPUs per node for core specialization
  int cpus_per_compute_unit = 0;            ///< -j: 0 = all, else the first 1 or 2 of each unit
  CpuBinding binding = CpuBinding::cpu;     ///< -cc
  std::vector<std::vector<int>> cpu_lists;  ///< for CpuBinding::list
  std::vector<int> nodes;  ///< -L: nids in the order given; empty = by default rule
  std::vector<std::pair<std::string, std::string>> environment;  ///< -e, in order

  std::string system = "hopper";  ///< --system: as gemini::make_topology()
  bool system_given = false;
  std::string node = "xe6";               ///< --node: as corespec::NodeTopology::load()
  std::vector<std::string> node_options;  ///< which of --node, -S and -j 2 were given
  enum class Clock : std::uint8_t { unset, virtual_time, live };
  Clock clock = Clock::unset;         ///< --clock; unset: CASTOR_CLOCK, and without it virtual
  bool quiet = false;                 ///< -q
  bool verbose = false;               ///< -v
  bool workers_given = false;         ///< --workers, which sets CASTOR_WORKERS
  double limit_s = 0;                 ///< --limit: of the host's time; 0 = none
  double time_limit_s = 0;            ///< -t: virtual, or live of a rank's CPU time; 0 = none
  std::vector<std::string> counters;  ///< --counters: files to write
  std::string profile;                ///< --profile: file to write; empty: none
  std::string timeline;               ///< --timeline: the same
  std::string report;                 ///< --report: the same
  std::string telemetry_file;         ///< --telemetry-file: the same
  std::string faults_file;            ///< --faults-file: the same
  double timeline_from_s = 0;         ///< --timeline-from: of the run's time
  double timeline_to_s = 0;           ///< --timeline-to; 0: to the end
  std::vector<int> timeline_ranks;    ///< --timeline-ranks; empty: all
  std::vector<std::string> compared;  ///< --compare: two files of --profile
  bool label = false;                 ///< -l: every line of the ranks' output begins with its rank
  /// Options that set parameters (--seed, --compute, --compute-factor, -v), as table settings.
  std::vector<std::pair<std::string, std::string>> settings;

  std::string directory;               ///< -wdir: where ranks begin; empty: where they are
  std::string program;                 ///< as given
  std::vector<std::string> arguments;  ///< what follows it, untouched
};

/// Reads `arguments` of the launcher `called` so (a path is allowed). Throws UsageError with one
/// line: the option, the value, what is allowed. After --env-help, program and arguments are words.
AprunOptions parse_options(const std::string& called, const std::vector<std::string>& arguments);

/// The text of --help, with its last newline.
std::string options_help(const std::string& called);

/// Numbers and ranges, "3", "0-3,8,5-4" refused: in the order given, each at most once. Throws
/// UsageError that begins with `option`.
std::vector<int> parse_number_list(const std::string& option, const std::string& text);

/// CPUs by rank of a node: "0,2,4-7" has one for each, "0,1:2,3" a list for each. Throws UsageError
/// that begins with `option`.
std::vector<std::vector<int>> parse_cpu_lists(const std::string& option, const std::string& text);

/// What -cc says; CPUs go to `lists`. Throws UsageError that begins with `option`.
CpuBinding parse_binding(const std::string& option, const std::string& text,
                         std::vector<std::vector<int>>& lists);

/// A time like 90, 90s, 1.5m, 2h (without a unit: seconds), in seconds, from 1 ms to 30 days.
/// Throws UsageError that begins with `option`.
double parse_duration(const std::string& option, const std::string& text);

/// A moment of a run, like 90, 1.5ms, 20us or 300ns (without a unit: seconds), in seconds, up to 30
/// days. Throws UsageError that begins with `option`.
double parse_moment(const std::string& option, const std::string& text);

/// A whole number within [lowest, highest]. Throws UsageError that begins with `option`.
std::int64_t parse_number(const std::string& option, const std::string& text, std::int64_t lowest,
                          std::int64_t highest);

}  // namespace launch
