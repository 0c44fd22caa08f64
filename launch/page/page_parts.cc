// What every page has in it: files that building takes into the program.
#include "launch/page/page_parts.h"

#include "launch/page/embedded_file.h"

CASTOR_FILE_AS(castor_page_frame, PAGE_FRAME);
CASTOR_FILE_AS(castor_page_style, PAGE_STYLE);
CASTOR_FILE_AS(castor_chart_script, CHART_SCRIPT);
CASTOR_FILE_AS(castor_d3_script, D3_SCRIPT);
CASTOR_FILE_AS(castor_d3_licence, D3_LICENCE);

namespace launch {

std::string_view page_frame() { return CASTOR_FILE(castor_page_frame); }
std::string_view page_style() { return CASTOR_FILE(castor_page_style); }
std::string_view chart_script() { return CASTOR_FILE(castor_chart_script); }
std::string_view d3_script() { return CASTOR_FILE(castor_d3_script); }
std::string_view d3_licence() { return CASTOR_FILE(castor_d3_licence); }

}  // namespace launch
