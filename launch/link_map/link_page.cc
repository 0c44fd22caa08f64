// The page of HTML that shows what links have carried.
#include "launch/link_map/link_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "launch/link_map/page_parts.h"

namespace launch {
namespace {

/// A string as JSON that may stand within HTML's <script>.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c :
       nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)) {
    out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else {
      out += c;
    }
  }
  return out;
}

void add_counts(std::string& text, std::size_t link, const LinkCounts& counts) {
  const std::array numbers{counts.vc0_phits,   counts.vc1_phits,    counts.vc0_packets,
                           counts.vc1_packets, counts.input_stalls, counts.output_stalls};
  std::size_t length = numbers.size();
  while (length > 0 && numbers[length - 1] == 0) --length;
  if (length == 0) return;
  text += fmt::format("{}[{},{}]", text.ends_with(']') ? ",\n" : "", link,
                      fmt::join(numbers.begin(), numbers.begin() + length, ","));
}

std::string sample_data(const TrafficSample& sample) {
  std::string counts;
  for (std::size_t link = 0; link < sample.counts.size(); ++link) {
    add_counts(counts, link, sample.counts[link]);
  }
  return fmt::format("{{\"from\":{},\"to\":{},\"counts\":[\n{}]}}", sample.from, sample.to, counts);
}

}  // namespace

std::string page_data(const LinkTraffic& traffic) {
  std::string links, samples;
  for (const TorusLink& link : traffic.links()) {
    links += fmt::format("{}[{},{},{:.9g}]", links.empty() ? "" : ",", link.way,
                         fmt::join(link.from, ","), link.gbytes_per_second);
  }
  for (const TrafficSample& sample : traffic.samples()) {
    samples += (samples.empty() ? "" : ",\n") + sample_data(sample);
  }
  return fmt::format("{{\"system\":{},\"size\":[{}],\n\"links\":[{}],\n\"samples\":[{}]}}",
                     quoted(traffic.system()), fmt::join(traffic.size(), ","), links, samples);
}

std::string link_page(const LinkTraffic& traffic) {
  const std::array<std::pair<std::string_view, std::string>, 5> parts{
      {{"@TITLE@", escaped("Links of " + traffic.system())},
       {"@D3@", std::string(d3_script())},
       {"@SCRIPT@", std::string(page_script())},
       {"@DATA@", page_data(traffic)},
       {"@LICENCE@", escaped(d3_licence())}}};
  std::string page;
  std::string_view left = page_html();
  for (std::size_t at = left.find('@'); at != std::string_view::npos; at = left.find('@')) {
    page += left.substr(0, at);
    left.remove_prefix(at);
    bool found = false;
    for (const auto& [mark, text] : parts) {
      if (!left.starts_with(mark)) continue;
      page += text;
      left.remove_prefix(mark.size());
      found = true;
    }
    if (!found) {  // an @ of the page's own
      page += '@';
      left.remove_prefix(1);
    }
  }
  return page + std::string(left);
}

}  // namespace launch
