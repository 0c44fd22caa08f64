// A page of HTML in one file, with D3 and what it draws in it.
#pragma once

#include <string>
#include <string_view>

namespace launch {

/// What is a page's own.
struct PageContent {
  std::string title;        ///< plain text
  std::string_view style;   ///< CSS, behind the common one
  std::string_view body;    ///< HTML, below the title
  std::string_view script;  ///< JavaScript: runs after D3 and chart.js
  std::string data;         ///< JSON, which castor.data() returns to the script
};

/// The whole page; it needs no other file and no network.
std::string html_page(const PageContent& content);

/// Plain text as HTML.
std::string html_text(std::string_view text);

}  // namespace launch
