// What every page has in it: files that building takes into the program.
#pragma once

#include <string_view>

namespace launch {

std::string_view page_frame();
std::string_view page_style();
std::string_view chart_script();
std::string_view d3_script();
std::string_view d3_licence();

}  // namespace launch
