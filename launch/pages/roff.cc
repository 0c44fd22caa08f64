// Text as roff has it, for manual pages (man(7)).
#include "launch/pages/roff.h"

#include <fmt/format.h>

namespace launch {
namespace {

std::string capitals(std::string_view text) {
  std::string result(text);
  for (char& letter : result) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return result;
}

}  // namespace

std::string roff(std::string_view text) {
  std::string result;
  bool at_start = true;
  for (const char letter : text) {
    if (at_start && (letter == '.' || letter == '\'')) result += "\\&";
    if (letter == '\\') {
      result += "\\e";
    } else if (letter == '-') {
      result += "\\-";  // one that can be copied to a command line
    } else if (letter == '\'') {
      result += "\\(aq";
    } else {
      result += letter;
    }
    at_start = letter == '\n';
  }
  return result;
}

ManualPage::ManualPage(std::string_view name, int section, std::string_view version,
                       std::string_view names, std::string_view summary)
    : text_(fmt::format(".\\\" Made from the tables that the programs use (launch/pages).\n"
                        ".TH {} {} \"\" \"Castor {}\" \"Castor\"\n"
                        ".nh\n.ad l\n",
                        capitals(name), section, version)) {
  heading("Name");
  text_ += fmt::format("{} \\- {}\n", roff(names), roff(summary));
}

void ManualPage::heading(std::string_view title) {
  text_ += fmt::format(".SH \"{}\"\n", roff(capitals(title)));
}

void ManualPage::paragraph(std::string_view text) { text_ += fmt::format(".PP\n{}\n", roff(text)); }

void ManualPage::example(const std::vector<std::string>& lines) {
  text_ += ".PP\n.nf\n.RS 4\n";
  for (const std::string& each : lines) text_ += roff(each) + "\n";
  text_ += ".RE\n.fi\n";
}

void ManualPage::tagged(const std::vector<std::string>& bold, std::string_view italic,
                        std::string_view text) {
  text_ += ".TP\n";
  for (std::size_t i = 0; i < bold.size(); ++i) {
    text_ += fmt::format("{}\\fB{}\\fR", i == 0 ? "" : ", ", roff(bold[i]));
  }
  if (!italic.empty()) text_ += fmt::format(" \\fI{}\\fR", roff(italic));
  text_ += fmt::format("\n{}\n", roff(text));
}

void ManualPage::line(std::string_view text) { text_ += fmt::format(".br\n{}\n", roff(text)); }

}  // namespace launch
