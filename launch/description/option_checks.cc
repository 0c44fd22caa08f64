// Refuses command lines whose options contradict each other or would do nothing.
#include "launch/description/option_checks.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

namespace launch {
namespace {

void check_program(const AprunOptions& options) {
  const std::vector<std::string>& rest = options.arguments;
  if (options.program == ":" || std::find(rest.begin(), rest.end(), ":") != rest.end()) {
    throw UsageError("':': a job of several programs does not exist here; name one program");
  }
  if (options.program.empty()) {
    throw UsageError(fmt::format("no program; {0} [options] PROGRAM [arguments], see {0} --help",
                                 options.called));
  }
}

/// What --timeline and --report show.
void check_window(const AprunOptions& options) {
  const bool bounded =
      options.timeline_from_s > 0 || options.timeline_to_s > 0 || !options.timeline_ranks.empty();
  if (bounded && options.timeline.empty() && options.report.empty()) {
    throw UsageError("--timeline-from, -to, -ranks: there is no --timeline or --report for them");
  }
  if (options.timeline_to_s > 0 && options.timeline_to_s <= options.timeline_from_s) {
    throw UsageError("--timeline-to: must be later than --timeline-from");
  }
  for (const int rank : options.timeline_ranks) {
    if (rank < options.ranks) continue;
    throw UsageError(fmt::format("--timeline-ranks: there is no rank {}; the job has {} (-n)", rank,
                                 options.ranks));
  }
}

void check_samples(const AprunOptions& options) {
  const auto is_period = [](const auto& setting) {
    return setting.first == "CASTOR_COUNTERS_EVERY";
  };
  if (std::none_of(options.settings.begin(), options.settings.end(), is_period)) return;
  if (options.counters.empty() && options.report.empty()) {
    throw UsageError("--counters-every: there is no --counters for it");
  }
}

/// True if two names are of one file. A device (/dev/null, a terminal) or a pipe takes what comes.
bool same_file(const std::string& one, const std::string& other) {
  std::error_code error;
  if (std::filesystem::is_other(one, error)) return false;
  if (std::filesystem::equivalent(one, other, error)) return true;
  const auto whole = [](const std::string& name) {
    std::error_code unknown;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name), unknown);
  };
  return whole(one) == whole(other);
}

/// Each file that a run writes is one option's.
void check_outputs(const AprunOptions& options) {
  using Output = std::pair<const char*, std::string>;
  std::vector<Output> outputs{{"--profile", options.profile},
                              {"--timeline", options.timeline},
                              {"--report", options.report},
                              {"--telemetry-file", options.telemetry_file},
                              {"--faults-file", options.faults_file}};
  for (const std::string& file : options.counters) outputs.emplace_back("--counters", file);
  std::erase_if(outputs, [](const Output& each) { return each.second.empty(); });
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t k = i + 1; k < outputs.size(); ++k) {
      if (!same_file(outputs[i].second, outputs[k].second)) continue;
      throw UsageError(fmt::format("{} and {} name one file, '{}'; each needs its own",
                                   outputs[i].first, outputs[k].first, outputs[k].second));
    }
  }
}

/// Letters to change, add, leave out or exchange with their neighbours (Damerau's distance).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) table[i][0] = i;
  for (std::size_t k = 0; k <= b.size(); ++k) table[0][k] = k;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t changed = table[i - 1][k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1);
      std::size_t& least = table[i][k];
      least = std::min({table[i - 1][k] + 1, table[i][k - 1] + 1, changed});
      const bool crossed = i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1];
      if (crossed) least = std::min(least, table[i - 2][k - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

void check_options(const AprunOptions& options) {
  check_program(options);
  check_window(options);
  check_samples(options);
  check_outputs(options);
}

std::string nearest_name(std::string_view given, const std::vector<std::string>& names) {
  constexpr std::size_t shortest = 4;  // short names are all near each other
  std::size_t least = 3;
  std::string nearest;
  for (const std::string& name : names) {
    if (name.size() < shortest) continue;
    const std::size_t found = distance(given, name);
    if (found >= least) continue;
    least = found;
    nearest = name;
  }
  return nearest;
}

}  // namespace launch
