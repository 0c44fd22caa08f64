// The page of HTML that shows what links have carried.
#include "launch/link_map/link_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>

#include "launch/link_map/link_page_parts.h"
#include "launch/page/html_page.h"

namespace launch {
namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
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
  const std::string script = std::string(link_page_script()) + "castor.drawLinks(castor.data());\n";
  return html_page({"Links of " + traffic.system(), link_page_style(), link_page_body(), script,
                    page_data(traffic)});
}

}  // namespace launch
