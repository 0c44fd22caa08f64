// make_page: puts a page of HTML together, for scripts of this tree.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "corespec/host/printable.h"
#include "corespec/host/what_happened.h"
#include "launch/page/html_page.h"
#include "launch/page/page_files.h"

namespace {

constexpr int usage_exit = 2;

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr std::string_view help =
    "usage: make_page --title TITLE --script FILE.js --data FILE.json [options] [-o FILE]\n"
    "Writes one page of HTML that needs no other file: D3, the common style sheet and chart.js, "
    "the\n"
    "script and its data, which castor.data() returns to it.\n\n"
    "  --title TITLE      what stands above it\n"
    "  --script FILE      JavaScript of this page\n"
    "  --data FILE        JSON (-: standard input)\n"
    "  --body FILE        HTML below the title\n"
    "  --style FILE       CSS of this page\n"
    "  -o FILE            the page; without it standard output\n";

/// The options that were given, by their names.
std::map<std::string, std::string> parse(int argc, char** argv) {
  std::map<std::string, std::string> options{{"--title", ""}, {"--script", ""}, {"--data", ""},
                                             {"--body", ""},  {"--style", ""},  {"-o", ""}};
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto option = options.find(name);
    if (option == options.end()) {
      throw UsageError(fmt::format("{}: there is no such option; see make_page --help", name));
    }
    if (++i == argc || *argv[i] == '\0') throw UsageError(name + " needs a value");
    option->second = argv[i];
  }
  for (const char* const needed : {"--title", "--script", "--data"}) {
    if (options[needed].empty()) {
      throw UsageError(fmt::format("{} is missing; see make_page --help", needed));
    }
  }
  return options;
}

void make(std::map<std::string, std::string> options) {
  const auto text = [](const std::string& name) {
    return name.empty() ? "" : launch::read_text(name);
  };
  const std::string style = text(options["--style"]);
  const std::string body = text(options["--body"]);
  const std::string script = text(options["--script"]);
  std::string data = text(options["--data"]);
  if (!nlohmann::json::accept(data)) throw UsageError(options["--data"] + ": is not JSON");
  launch::write_text(options["-o"],
                     launch::html_page({options["--title"], style, body, script, std::move(data)}));
}

/// Says what was wrong, in one line.
int complain(const std::exception& error, int code) {
  const std::string line = corespec::printable(corespec::what_happened(error));
  std::fputs(fmt::format("make_page: {}\n", line).c_str(), stderr);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 1 && (std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "-h")) {
      launch::write_text("", std::string(help));
    } else {
      make(parse(argc, argv));
    }
    return 0;
  } catch (const UsageError& error) {
    return complain(error, usage_exit);
  } catch (const launch::PageFileError& error) {
    return complain(error, usage_exit);
  } catch (const std::exception& error) {
    return complain(error, 1);
  }
}
