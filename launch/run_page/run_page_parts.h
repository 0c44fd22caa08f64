// What is the own of pages about runs: files that building takes into the program.
#pragma once

#include <string>
#include <string_view>

namespace launch {

std::string_view run_page_body();
std::string_view run_page_style();
std::string run_page_script();
std::string compare_page_script();

}  // namespace launch
