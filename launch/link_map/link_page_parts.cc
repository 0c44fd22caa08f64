// What is the link page's own: files that building takes into the program.
#include "launch/link_map/link_page_parts.h"

#include "launch/page/embedded_file.h"

CASTOR_FILE_AS(castor_link_page_body, LINK_PAGE_BODY);
CASTOR_FILE_AS(castor_link_page_style, LINK_PAGE_STYLE);
CASTOR_FILE_AS(castor_link_page_script, LINK_PAGE_SCRIPT);

namespace launch {

std::string_view link_page_body() { return CASTOR_FILE(castor_link_page_body); }
std::string_view link_page_style() { return CASTOR_FILE(castor_link_page_style); }
std::string_view link_page_script() { return CASTOR_FILE(castor_link_page_script); }

}  // namespace launch
