// link_map: draws what the links of a torus have carried.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

#include "corespec/host/printable.h"
#include "corespec/host/what_happened.h"
#include "launch/link_map/link_map_options.h"
#include "launch/link_map/link_page.h"
#include "launch/link_map/traffic_file.h"
#include "launch/page/page_files.h"

namespace {

constexpr int usage_exit = 2;

void draw(const launch::LinkMapCommand& command) {
  const std::string& name = command.counters;
  const launch::LinkTraffic traffic =
      launch::read_traffic(launch::read_text(name), name == "-" ? "standard input" : name);
  launch::write_text(command.page, launch::link_page(traffic));
}

void run(const launch::LinkMapCommand& command) {
  switch (command.action) {
    case launch::LinkMapCommand::Action::help:
      launch::write_text("", launch::link_map_help());
      break;
    case launch::LinkMapCommand::Action::version:
      launch::write_text("", fmt::format("link_map (Castor) {}\n", CASTOR_VERSION));
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
  } catch (const launch::PageFileError& error) {
    return complain(error, usage_exit);
  } catch (const launch::TrafficFileError& error) {
    return complain(error, usage_exit);
  } catch (const std::exception& error) {
    return complain(error, 1);
  }
}
