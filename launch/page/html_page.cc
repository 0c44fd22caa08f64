// A page of HTML in one file, with D3 and what it draws in it.
#include "launch/page/html_page.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "launch/page/page_parts.h"

namespace launch {
namespace {

/// JSON that cannot end HTML's <script>: only its strings have a <, and may have it in this form.
std::string script_data(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string html_text(std::string_view text) {
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

std::string html_page(const PageContent& content) {
  const std::string title = html_text(content.title);
  const std::string data = script_data(content.data);
  const std::string licence = html_text(d3_licence());
  const std::array<std::pair<std::string_view, std::string_view>, 9> parts{
      {{"@TITLE@", title},
       {"@STYLE@", page_style()},
       {"@OWN_STYLE@", content.style},
       {"@BODY@", content.body},
       {"@D3@", d3_script()},
       {"@CHART@", chart_script()},
       {"@SCRIPT@", content.script},
       {"@DATA@", data},
       {"@LICENCE@", licence}}};
  std::string page;
  std::string_view left = page_frame();
  while (true) {
    const std::size_t at = left.find('@');
    page += left.substr(0, at);
    if (at == std::string_view::npos) return page;
    left.remove_prefix(at);
    const auto part = std::find_if(parts.begin(), parts.end(),
                                   [&](const auto& each) { return left.starts_with(each.first); });
    if (part == parts.end()) throw std::logic_error("frame.html has an unknown mark");
    page += part->second;
    left.remove_prefix(part->first.size());
  }
}

}  // namespace launch
