// What telemetry has found, as JSON.
#include <nlohmann/json.hpp>

#include "launch/telemetry/telemetry_text.h"

namespace launch {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const Stay& stay, corespec::Time from) {
  const auto where = static_cast<int>(stay.where);
  return {where,
          stay.where == Stay::Where::component ? static_cast<int>(stay.component) : -1,
          stay.response ? 1 : 0,
          (stay.begin - from).us(),
          stay.time.us(),
          stay.waited.us(),
          stay.link,
          stay.behind,
          stay.after_gap ? 1 : 0};
}

ordered_json json_of(const TelemetryPath& path) {
  ordered_json stays = ordered_json::array();
  for (const Stay& stay : path.stays) stays.push_back(json_of(stay, path.issued));
  return {{"rank", path.rank},
          {"peer", path.peer},
          {"source", path.source},
          {"target", path.target},
          {"mark", path.mark},
          {"kind", path.kind},
          {"bytes", path.bytes},
          {"call", path.call},
          {"site", path.site},
          {"far_site", path.far_site},
          {"wait_call", path.wait_call},
          {"wait_site", path.wait_site},
          {"issued_us", path.issued.us()},
          {"command_sent_us", path.command_sent.us()},
          {"total_us", path.total.us()},
          {"whole", path.whole},
          {"ambiguous", path.ambiguous},
          {"missing", path.missing},
          {"stays", stays}};
}

}  // namespace

ordered_json telemetry_json(const TelemetryData& data) {
  ordered_json components = ordered_json::array();
  for (const UsedComponent& each : data.components) {
    components.push_back({{"name", each.name},
                          {"records", each.records},
                          {"lost", each.lost},
                          {"waited_us", each.waited.us()},
                          {"longest_wait_us", each.longest_wait.us()}});
  }
  ordered_json sites = ordered_json::array();
  for (const CallSite& site : data.sites) sites.push_back(site.frames);
  ordered_json paths = ordered_json::array();
  for (const TelemetryPath& path : data.paths) paths.push_back(json_of(path));
  return {{"format", "castor telemetry 1"},
          {"choice", data.choice},
          {"ranks", data.ranks},
          {"commands", data.commands},
          {"marked", data.marked},
          {"records", data.records},
          {"lost", data.lost},
          {"log_bytes", data.log_bytes()},
          {"stay_columns",
           {"where (0 issuing CPU, 1 component, 2 taking CPU)", "component", "response", "begin_us",
            "us", "waited_us", "link", "behind", "after_gap"}},
          {"components", components},
          {"sites", sites},
          {"paths", paths}};
}

}  // namespace launch
