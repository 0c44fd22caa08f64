// link_map: draws what the links of a torus have carried.
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

#include "corespec/host/printable.h"
#include "corespec/host/what_happened.h"
#include "launch/link_map/link_map_options.h"
#include "launch/link_map/link_page.h"
#include "launch/link_map/traffic_file.h"

namespace {

constexpr int usage_exit = 2;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// A file that cannot be read is an argument that cannot be.
std::string read_file(const std::string& name) {
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
    throw launch::LinkMapUsageError(fmt::format("{}: {}", name, std::strerror(errno)));
  }
  return text;
}

void write_file(std::FILE* file, const std::string& name, const std::string& text) {
  if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file) != text.size() ||
      std::fflush(file) != 0) {
    throw std::runtime_error(fmt::format("{}: {}", name, std::strerror(errno)));
  }
}

void write_page(const std::string& name, const std::string& text) {
  if (name.empty()) {
    write_file(stdout, "standard output", text);
  } else {
    write_file(File(std::fopen(name.c_str(), "w")).get(), name, text);
  }
}

void draw(const launch::LinkMapCommand& command) {
  const std::string& name = command.counters;
  const launch::LinkTraffic traffic =
      launch::read_traffic(read_file(name), name == "-" ? "standard input" : name);
  write_page(command.page, launch::link_page(traffic));
}

void run(const launch::LinkMapCommand& command) {
  switch (command.action) {
    case launch::LinkMapCommand::Action::help:
      write_page("", launch::link_map_help());
      break;
    case launch::LinkMapCommand::Action::version:
      write_page("", fmt::format("link_map (Castor) {}\n", CASTOR_VERSION));
      break;
    case launch::LinkMapCommand::Action::draw:
      draw(command);
      break;
  }
}

/// Says what was wrong, in one line.
int complain(const std::exception& error, int code) {
  const std::string line = corespec::printable(corespec::what_happened(error));
  std::fputs(fmt::format("link_map: {}\n", line).c_str(), stderr);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(launch::parse_link_map_command({argv + (argc > 0 ? 1 : 0), argv + argc}));
    return 0;
  } catch (const launch::LinkMapUsageError& error) {
    return complain(error, usage_exit);
  } catch (const launch::TrafficFileError& error) {
    return complain(error, usage_exit);
  } catch (const std::exception& error) {
    return complain(error, 1);
  }
}
