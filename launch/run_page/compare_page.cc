// The page of HTML that puts two runs beside each other: aprun --compare with --report.
#include "launch/run_page/compare_page.h"

#include <fmt/format.h>

#include "launch/page/html_page.h"
#include "launch/run_page/page_text.h"
#include "launch/run_page/run_page_parts.h"

namespace launch {
namespace {

using nlohmann::ordered_json;

/// What the comparison shows of a profile: not the ranks, which may be many.
ordered_json compared_part(const ordered_json& profile) {
  ordered_json part;
  for (const char* const key : {"run", "time", "calls", "sizes", "protocols"}) {
    part[key] = profile.at(key);
  }
  part["run"].erase("nid_of_rank");
  return part;
}

}  // namespace

std::string compare_page(const ordered_json& first, const ordered_json& second) {
  const std::string data =
      fmt::format("{{\"first\":{},\n\"second\":{}}}", json_text(compared_part(first)),
                  json_text(compared_part(second)));
  const std::string title =
      fmt::format("{} and {}", file_name(first.at("run")), file_name(second.at("run")));
  return html_page(
      {"Runs of " + title, run_page_style(), run_page_body(), compare_page_script(), data});
}

}  // namespace launch
