// The page of HTML about a run: aprun --report.
#include "launch/run_page/run_page.h"

#include <fmt/format.h>

#include "launch/link_map/link_page.h"
#include "launch/link_map/link_page_parts.h"
#include "launch/link_map/traffic_file.h"
#include "launch/page/html_page.h"
#include "launch/run_page/page_text.h"
#include "launch/run_page/run_page_parts.h"

namespace launch {
namespace {

using nlohmann::ordered_json;

/// The data of link_map's drawing, and "null" where nothing was counted.
std::string links_data(const ordered_json& counters) {
  if (counters.is_null()) return "null";
  return page_data(read_traffic(json_text(counters), "the run's counters"));
}

}  // namespace

std::string run_page(const RunPageParts& parts) {
  const std::string data = fmt::format(
      "{{\"profile\":{},\n\"rank_calls\":{},\n\"positions\":{},\n\"links\":{},\n\"telemetry\":{},\n"
      "\"timeline\":{}}}",
      json_text(parts.profile), json_text(parts.rank_calls), json_text(parts.positions),
      links_data(parts.counters), json_text(parts.telemetry), json_text(parts.timeline));
  const std::string style = std::string(link_page_style()) + std::string(run_page_style());
  const std::string body = std::string(run_page_body()) + "<template id=\"link_map\">" +
                           std::string(link_page_body()) + "</template>\n";
  const std::string script = std::string(link_page_script()) + run_page_script();
  return html_page({"Run of " + file_name(parts.profile.at("run")), style, body, script, data});
}

}  // namespace launch
