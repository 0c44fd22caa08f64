// Tables of what telemetry has found.
#include "launch/telemetry/telemetry_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace launch {
namespace {

using corespec::Time;

constexpr std::size_t most_rows = 5;

/// Call sites whose innermost frames are one line of the program.
struct SiteRow {
  std::string site;
  std::string call;
  std::uint64_t commands = 0;
  Time total, longest, waited;
};

Time waited_of(const TelemetryPath& path) {
  Time sum;
  for (const Stay& stay : path.stays) sum += stay.waited;
  return sum;
}

std::vector<SiteRow> site_rows(const TelemetryData& data) {
  std::map<std::pair<std::string, std::string>, SiteRow> rows;
  for (const TelemetryPath& path : data.paths) {
    if (path.rank < 0) continue;
    const std::string site = data.sites[path.site].text();
    SiteRow& row = rows[{site, path.call}];
    row.site = site;
    row.call = path.call;
    ++row.commands;
    row.total += path.total;
    row.longest = std::max(row.longest, path.total);
    row.waited += waited_of(path);
  }
  std::vector<SiteRow> sorted;
  sorted.reserve(rows.size());
  for (auto& each : rows) sorted.push_back(std::move(each.second));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const SiteRow& a, const SiteRow& b) { return a.total > b.total; });
  return sorted;
}

void add_sites(const TelemetryData& data, std::string& text) {
  const std::vector<SiteRow> rows = site_rows(data);
  if (rows.empty()) return;
  text += "\nMarked commands, by where they were called for\n";
  fmt::format_to(std::back_inserter(text), "{:>10} {:>12} {:>12} {:>12}  {}\n", "commands",
                 "mean us", "longest us", "waiting us", "issued in, called at");
  for (std::size_t i = 0; i < std::min(rows.size(), most_rows); ++i) {
    const SiteRow& row = rows[i];
    const auto count = static_cast<double>(row.commands);
    fmt::format_to(std::back_inserter(text), "{:>10} {:>12.3f} {:>12.3f} {:>12.3f}  {}, {}\n",
                   row.commands, row.total.us() / count, row.longest.us(), row.waited.us() / count,
                   row.call.empty() ? "no call" : row.call, row.site);
  }
  if (rows.size() > most_rows) {
    fmt::format_to(std::back_inserter(text), "{:>10} more\n", rows.size() - most_rows);
  }
}

void add_components(const TelemetryData& data, std::string& text) {
  std::vector<const UsedComponent*> rows;
  for (const UsedComponent& each : data.components) {
    if (each.waited > Time() || each.lost != 0) rows.push_back(&each);
  }
  if (rows.empty()) return;
  std::stable_sort(rows.begin(), rows.end(), [](const UsedComponent* a, const UsedComponent* b) {
    return a->waited > b->waited;
  });
  text += "\nWhere marked packets waited\n";
  fmt::format_to(std::back_inserter(text), "{:>10} {:>12} {:>12} {:>8}  {}\n", "records",
                 "waited us", "longest us", "lost", "component");
  for (std::size_t i = 0; i < std::min(rows.size(), most_rows); ++i) {
    const UsedComponent& row = *rows[i];
    fmt::format_to(std::back_inserter(text), "{:>10} {:>12.3f} {:>12.3f} {:>8}  {}\n", row.records,
                   row.waited.us(), row.longest_wait.us(), row.lost, row.name);
  }
  if (rows.size() > most_rows) {
    fmt::format_to(std::back_inserter(text), "{:>10} more\n", rows.size() - most_rows);
  }
}

std::string place_text(const TelemetryData& data, const TelemetryPath& path, const Stay& stay) {
  switch (stay.where) {
    case Stay::Where::issuing_cpu:
      return fmt::format("CPU of rank {}", path.rank);
    case Stay::Where::taking_cpu:
      return fmt::format("CPU of rank {}", stay.response ? path.rank : path.peer);
    case Stay::Where::component:
      break;
  }
  return data.components[stay.component].name;
}

void add_longest(const TelemetryData& data, std::string& text) {
  const TelemetryPath* longest = nullptr;
  for (const TelemetryPath& path : data.paths) {
    if (path.rank >= 0 && (longest == nullptr || path.total > longest->total)) longest = &path;
  }
  if (longest == nullptr) return;
  fmt::format_to(std::back_inserter(text),
                 "\nThe longest: {} of {} bytes, rank {} to rank {}, {:.3f} us from {:.3f} us on\n",
                 longest->kind, longest->bytes, longest->rank, longest->peer, longest->total.us(),
                 longest->issued.us());
  fmt::format_to(std::back_inserter(text), "  called at {}\n", data.sites[longest->site].text());
  if (longest->far_site != 0) {
    fmt::format_to(std::back_inserter(text), "  its other end at {}\n",
                   data.sites[longest->far_site].text());
  }
  for (const Stay& stay : longest->stays) {
    fmt::format_to(std::back_inserter(text), "{:>12.3f} us  {}{}{}", stay.time.us(),
                   place_text(data, *longest, stay), stay.link.empty() ? "" : ", " + stay.link,
                   stay.response ? " (back)" : "");
    if (stay.waited > Time()) {
      fmt::format_to(std::back_inserter(text), ", {:.3f} of it waiting{}", stay.waited.us(),
                     stay.behind.empty() ? "" : " behind " + stay.behind);
    }
    text += stay.after_gap ? " (records before it are missing)\n" : "\n";
  }
}

}  // namespace

std::string telemetry_text(const TelemetryData& data) {
  const auto count = [&](auto which) {
    return std::count_if(data.paths.begin(), data.paths.end(), which);
  };
  std::string text = fmt::format(
      "Telemetry ({}): {} of {} commands marked, {} records, {} lost, {} bytes of logs\n{} paths: "
      "{} whole, {} with gaps, {} without an end\n",
      data.choice, data.marked, data.commands, data.records, data.lost, data.log_bytes(),
      data.paths.size(), count([](const TelemetryPath& path) { return path.whole; }),
      count([](const TelemetryPath& path) { return !path.missing.empty(); }),
      count([](const TelemetryPath& path) { return !path.whole && path.missing.empty(); }));
  add_sites(data, text);
  add_components(data, text);
  add_longest(data, text);
  return text;
}

}  // namespace launch
