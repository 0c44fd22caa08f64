// The files that a program reads for its page, and the page that it writes.
#include "launch/page/page_files.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace launch {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

void write_all(std::FILE* file, const std::string& name, const std::string& text) {
  if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file) != text.size() ||
      std::fflush(file) != 0) {
    throw std::runtime_error(fmt::format("{}: {}", name, std::strerror(errno)));
  }
}

}  // namespace

std::string read_text(const std::string& name) {
  const bool standard = name == "-";
  const File opened(standard ? nullptr : std::fopen(name.c_str(), "r"));
  std::FILE* const file = standard ? stdin : opened.get();
  std::string text;
  std::array<char, 1 << 16> piece{};
  std::size_t got = 0;
  if (file != nullptr) {
    while ((got = std::fread(piece.data(), 1, piece.size(), file)) > 0) {
      text.append(piece.data(), got);
    }
  }
  if (file == nullptr || std::ferror(file) != 0) {
    throw PageFileError(fmt::format("{}: {}", name, std::strerror(errno)));
  }
  return text;
}

void write_text(const std::string& name, const std::string& text) {
  if (name.empty()) {
    write_all(stdout, "standard output", text);
  } else {
    write_all(File(std::fopen(name.c_str(), "w")).get(), name, text);
  }
}

}  // namespace launch
