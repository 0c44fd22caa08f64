// grid_order: writes an order of ranks for a grid to standard output.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "launch/grid_order/cell_order.h"
#include "launch/grid_order/grid_options.h"

namespace {

std::string text_for(const launch::GridCommand& command) {
  switch (command.action) {
    case launch::GridCommand::Action::help:
      return launch::grid_order_help();
    case launch::GridCommand::Action::version:
      return fmt::format("grid_order (Castor) {}\n", CASTOR_VERSION);
    case launch::GridCommand::Action::write:
      break;
  }
  return launch::order_file(command.request);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int usage_exit = 2;
  try {
    const std::string text =
        text_for(launch::parse_grid_command({argv + (argc > 0 ? 1 : 0), argv + argc}));
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
        std::fflush(stdout) == 0) {
      return 0;
    }
    std::fputs(fmt::format("grid_order: standard output: {}\n", std::strerror(errno)).c_str(),
               stderr);
    return 1;
  } catch (const launch::GridUsageError& error) {
    std::fputs(fmt::format("grid_order: {}\n", error.what()).c_str(), stderr);
    return usage_exit;
  } catch (const std::exception& error) {
    std::fputs(fmt::format("grid_order: {}\n", error.what()).c_str(), stderr);
    return 1;
  }
}
