// What is the own of pages about runs: files that building takes into the program.
#include "launch/run_page/run_page_parts.h"

#include "launch/page/embedded_file.h"

CASTOR_FILE_AS(castor_run_page_body, RUN_PAGE_BODY);
CASTOR_FILE_AS(castor_run_page_style, RUN_PAGE_STYLE);
CASTOR_FILE_AS(castor_run_sections, RUN_SECTIONS);
CASTOR_FILE_AS(castor_run_bars, RUN_BARS);
CASTOR_FILE_AS(castor_run_header, RUN_HEADER);
CASTOR_FILE_AS(castor_run_placement, RUN_PLACEMENT);
CASTOR_FILE_AS(castor_run_functions, RUN_FUNCTIONS);
CASTOR_FILE_AS(castor_run_ranks, RUN_RANKS);
CASTOR_FILE_AS(castor_run_messages, RUN_MESSAGES);
CASTOR_FILE_AS(castor_run_links, RUN_LINKS);
CASTOR_FILE_AS(castor_run_telemetry, RUN_TELEMETRY);
CASTOR_FILE_AS(castor_run_tracks, RUN_TRACKS);
CASTOR_FILE_AS(castor_run_timeline, RUN_TIMELINE);
CASTOR_FILE_AS(castor_run_compare, RUN_COMPARE);

namespace launch {
namespace {

/// Draws the sections that a page's scripts have listed.
constexpr std::string_view draw_sections = "castor.run.draw(castor.data());\n";

std::string joined(std::initializer_list<std::string_view> scripts) {
  std::string text;
  for (const std::string_view script : scripts) text += script;
  return text;
}

}  // namespace

std::string_view run_page_body() { return CASTOR_FILE(castor_run_page_body); }
std::string_view run_page_style() { return CASTOR_FILE(castor_run_page_style); }

std::string run_page_script() {
  return joined({CASTOR_FILE(castor_run_sections), CASTOR_FILE(castor_run_bars),
                 CASTOR_FILE(castor_run_header), CASTOR_FILE(castor_run_placement),
                 CASTOR_FILE(castor_run_functions), CASTOR_FILE(castor_run_ranks),
                 CASTOR_FILE(castor_run_messages), CASTOR_FILE(castor_run_links),
                 CASTOR_FILE(castor_run_telemetry), CASTOR_FILE(castor_run_tracks),
                 CASTOR_FILE(castor_run_timeline), draw_sections});
}

std::string compare_page_script() {
  return joined({CASTOR_FILE(castor_run_sections), CASTOR_FILE(castor_run_bars),
                 CASTOR_FILE(castor_run_compare), draw_sections});
}

}  // namespace launch
