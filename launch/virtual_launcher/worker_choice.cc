// How many workers run a job.
#include "launch/virtual_launcher/worker_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>

#include "launch/workers/workers.h"

namespace launch {
namespace {

/// Workers that have fewer wait for each other most of the time (docs/scale.md).
constexpr std::size_t blocks_worth_a_worker = 8;

std::string counted(std::size_t number, std::string_view what, std::string_view rest) {
  return fmt::format("{} {}{} {}", number, what, number == 1 ? "" : "s", rest);
}

/// No more than so many, all hosts together.
struct Limit {
  std::size_t most = std::numeric_limits<std::size_t>::max();
  std::string why;
};

Limit limit_of(const Divisible& job, bool measured) {
  Limit limit;
  const auto lower = [&](std::size_t to, const std::string& why) {
    if (to < limit.most) limit = {to, why};
  };
  lower(job.blocks, "the job has " + counted(job.blocks, "block", "of Geminis"));
  if (measured) lower(1, "computing is measured");
  if (!job.in_parts) lower(1, "fidelity packet runs in one");
  return limit;
}

}  // namespace

std::size_t WorkerChoice::count() const {
  return std::accumulate(of_hosts.begin(), of_hosts.end(), std::size_t{0});
}

WorkerChoice choose_workers(const AprunOptions& options, const JobRequest& request, bool measured,
                            const Hosts* hosts) {
  const Divisible job = divisible(request);
  const std::size_t count = hosts == nullptr ? 1 : hosts->count();
  if (job.wanted == 1 && count == 1) return {};
  const bool automatic = job.wanted == 0;
  Limit limit = limit_of(job, measured);
  if (limit.most < count) {
    throw UsageError(
        fmt::format("--workers: the launcher has started {} processes for this job, and {} can run "
                    "it: {}",
                    count, limit.most, limit.why));
  }
  std::vector<std::size_t> cpus{own_cpus()};
  if (hosts != nullptr) cpus = hosts->cpus();
  const std::size_t all_cpus = std::accumulate(cpus.begin(), cpus.end(), std::size_t{0});
  if (automatic) {
    const std::size_t gains = std::max(job.blocks / blocks_worth_a_worker, count);
    return {workers_of_hosts(count, all_cpus, cpus, std::min(limit.most, gains)), {}};
  }
  WorkerChoice choice;
  if (!options.workers_given) cpus.clear();
  choice.of_hosts = workers_of_hosts(count, job.wanted, cpus, limit.most);
  if (!options.workers_given || choice.count() == count * job.wanted) return choice;
  const bool few_cpus = choice.count() < limit.most;
  choice.why_fewer = few_cpus ? (count == 1 ? "this host has " : "these hosts have ") +
                                    counted(all_cpus, "CPU", "for aprun")
                              : limit.why;
  return choice;
}

}  // namespace launch
