// How many workers run a job.
#include "launch/virtual_launcher/worker_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "launch/workers/workers.h"

namespace launch {
namespace {

/// Workers that have fewer wait for each other most of the time (docs/scale.md).
constexpr std::size_t blocks_worth_a_worker = 8;

std::string counted(std::size_t number, std::string_view what, std::string_view rest) {
  return fmt::format("{} {}{} {}", number, what, number == 1 ? "" : "s", rest);
}

}  // namespace

WorkerChoice choose_workers(const AprunOptions& options, const JobRequest& request, bool measured) {
  const Divisible job = divisible(request);
  if (job.wanted == 1) return {};
  const bool automatic = job.wanted == 0;
  WorkerChoice choice;
  choice.count = automatic ? own_cpus() : job.wanted;
  const auto limit = [&](std::size_t most, const std::string& why) {
    if (choice.count <= most) return;
    choice.count = std::max<std::size_t>(most, 1);
    choice.why_fewer = why;
  };
  if (options.workers_given) {
    limit(own_cpus(), "this host has " + counted(own_cpus(), "CPU", "for aprun"));
  }
  limit(job.blocks, "the job has " + counted(job.blocks, "block", "of Geminis"));
  if (automatic) limit(job.blocks / blocks_worth_a_worker, "the job is small");
  if (measured) limit(1, "computing is measured");
  if (job.keeps_records) limit(1, "CASTOR_TELEMETRY marks packets");
  if (job.counts) limit(1, "Geminis count (CASTOR_COUNTERS)");
  if (!options.timeline.empty() || !options.report.empty()) limit(1, "a timeline is written");
  if (!options.workers_given || automatic) choice.why_fewer.clear();
  return choice;
}

}  // namespace launch
