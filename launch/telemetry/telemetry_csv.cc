// Paths as CSV.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "launch/telemetry/telemetry_text.h"

namespace launch {
namespace {

/// Quoted where it must be.
std::string cell(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

/// The router before the NIC where a way ends.
bool leaves_network(const Stay& stay) { return stay.link == "host port" || stay.link == "Netlink"; }

/// What a stay's place is for its path.
const char* place_of(const TelemetryData& data, const TelemetryPath& path, const Stay& stay) {
  if (stay.where == Stay::Where::issuing_cpu) return "issuing_cpu";
  if (stay.where == Stay::Where::taking_cpu) return "taking_cpu";
  const telemetry::Component component = data.components[stay.component].component;
  if (!component.is_router()) return component.number() == path.source ? "own_nic" : "far_nic";
  return leaves_network(stay) ? "last_router" : "router";
}

}  // namespace

std::string telemetry_csv(const TelemetryData& data) {
  std::string text =
      "rank,peer,source,target,mark,kind,bytes,call,called_at,far_at,wait_call,wait_at,issued_us,"
      "total_us,waited_us,records,last_router_us,longest_stay_us,longest_at,longest_component,"
      "path\n";
  for (const TelemetryPath& path : data.paths) {
    corespec::Time waited;
    std::size_t records = 0;
    const Stay* longest = nullptr;
    corespec::Time last_router;
    for (const Stay& stay : path.stays) {
      waited += stay.waited;
      if (stay.where == Stay::Where::component) ++records;
      if (!stay.response && leaves_network(stay)) last_router = stay.time;
      if (longest == nullptr || stay.time > longest->time) longest = &stay;
    }
    const char* const how =
        path.whole ? "whole" : (path.missing.empty() ? "without an end" : "with gaps");
    fmt::format_to(std::back_inserter(text),
                   "{},{},{},{},{},{},{},{},{},{},{},{},{:.6f},{:.6f},{:.6f},{},", path.rank,
                   path.peer, path.source, path.target, path.mark, path.kind, path.bytes, path.call,
                   cell(data.sites[path.site].text()), cell(data.sites[path.far_site].text()),
                   path.wait_call, cell(data.sites[path.wait_site].text()), path.issued.us(),
                   path.total.us(), waited.us(), records);
    const bool component = longest != nullptr && longest->where == Stay::Where::component;
    fmt::format_to(std::back_inserter(text), "{:.6f},{:.6f},{},{},{}\n", last_router.us(),
                   longest == nullptr ? 0 : longest->time.us(),
                   longest == nullptr ? "" : place_of(data, path, *longest),
                   component ? cell(data.components[longest->component].name) : std::string(), how);
  }
  return text;
}

}  // namespace launch
