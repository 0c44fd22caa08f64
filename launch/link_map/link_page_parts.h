// What is the link page's own: files that building takes into the program.
#pragma once

#include <string_view>

namespace launch {

std::string_view link_page_body();
std::string_view link_page_style();
std::string_view link_page_script();

}  // namespace launch
