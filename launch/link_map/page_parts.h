// Files that building takes into the program, for the page.
#pragma once

#include <string_view>

namespace launch {

std::string_view page_html();
std::string_view page_script();
std::string_view d3_script();
std::string_view d3_licence();

}  // namespace launch
