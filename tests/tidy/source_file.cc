// Reading the source tree for the tidy rules.
#include "tests/tidy/source_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

namespace tidy {
namespace {

std::string extension(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(dot);
}

void blank(std::string& text, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to && i < text.size(); ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

/// Position after the quoted literal that starts at `start`.
std::size_t skip_quoted(const std::string& text, std::size_t start) {
  const char quote = text[start];
  std::size_t i = start + 1;
  while (i < text.size() && text[i] != quote && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
  return std::min(i + 1, text.size());
}

/// Position after the raw string whose opening quote is at `quote`.
std::size_t skip_raw(const std::string& text, std::size_t quote) {
  const std::size_t open = text.find('(', quote);
  if (open == std::string::npos) return text.size();
  const std::string close = ")" + text.substr(quote + 1, open - quote - 1) + "\"";
  const std::size_t end = text.find(close, open);
  return end == std::string::npos ? text.size() : end + close.size();
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// A quote between two digits or letters is a digit separator.
bool is_separator(const std::string& text, std::size_t i) {
  return text[i] == '\'' && i > 0 && is_word(text[i - 1]) && i + 1 < text.size() &&
         is_word(text[i + 1]);
}

std::string blank_comments_and_strings(std::string text) {
  for (std::size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "//") == 0) {
      const std::size_t end = std::min(text.find('\n', i), text.size());
      blank(text, i, end);
      i = end;
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t close = text.find("*/", i + 2);
      const std::size_t end = close == std::string::npos ? text.size() : close + 2;
      blank(text, i, end);
      i = end;
    } else if (text.compare(i, 2, "R\"") == 0 && (i == 0 || !is_word(text[i - 1]))) {
      const std::size_t end = skip_raw(text, i + 1);
      blank(text, i, end);
      i = end;
    } else if ((text[i] == '"' || text[i] == '\'') && !is_separator(text, i)) {
      const std::size_t end = skip_quoted(text, i);
      blank(text, i + 1, end - 1);
      i = end;
    } else {
      ++i;
    }
  }
  return text;
}

bool is_ours(const std::filesystem::path& top) {
  const std::string name = top.filename().string();
  return name != ".git" && name != "build" && name != ".cache";
}

bool is_text(const std::string& path) {
  static const std::set<std::string> extensions = {".cc",    ".c",  ".h",  ".def", ".inc", ".txt",
                                                   ".cmake", ".sh", ".py", ".gp",  ".md",  ".json"};
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return extensions.count(extension(path)) != 0 || path == ".ci/run" || name == "CMakeLists.txt";
}

}  // namespace

bool is_code(const std::string& path) {
  const std::string end = extension(path);
  return end == ".cc" || end == ".c" || end == ".h" || end == ".def" || end == ".inc";
}

bool is_header(const std::string& path) { return extension(path) == ".h"; }

int line_of(const std::string& text, std::size_t position) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(position, text.size()));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

std::vector<Include> includes_of(const SourceFile& file) {
  static const std::regex include(R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"])re");
  std::vector<Include> includes;
  if (!is_code(file.path)) return includes;
  for (std::sregex_iterator it(file.text.begin(), file.text.end(), include), end; it != end; ++it) {
    includes.push_back({(*it)[1], line_of(file.text, static_cast<std::size_t>(it->position(1)))});
  }
  return includes;
}

std::string without_directives(std::string code) {
  std::size_t start = 0;
  bool continued = false;
  while (start < code.size()) {
    const std::size_t end = std::min(code.find('\n', start), code.size());
    const std::size_t first = code.find_first_not_of(" \t", start);
    const bool directive = continued || (first < end && code[first] == '#');
    continued = directive && end > start && code[end - 1] == '\\';
    if (directive) blank(code, start, end);
    start = end + 1;
  }
  return code;
}

SourceFile make_source(std::string path, std::string text) {
  std::string code = is_code(path) ? blank_comments_and_strings(text) : std::string();
  return {std::move(path), std::move(text), std::move(code)};
}

std::vector<SourceFile> read_tree(const std::filesystem::path& root) {
  namespace fs = std::filesystem;
  std::vector<SourceFile> files;
  auto entry = fs::recursive_directory_iterator(root);
  for (; entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry.depth() == 0 && !is_ours(entry->path())) entry.disable_recursion_pending();
    if (!entry->is_regular_file()) continue;
    const std::string path = entry->path().lexically_relative(root).generic_string();
    if (!is_text(path)) continue;
    std::ifstream in(entry->path(), std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    files.push_back(make_source(path, std::move(text)));
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace tidy
