// rtr: prints how the routers of a system are joined, as Cray's tool of this name does.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/host/printable.h"
#include "corespec/host/what_happened.h"
#include "launch/description/options.h"
#include "launch/rtr/rtr_options.h"
#include "ugni_emu/gemini/links/dragonfly_file.h"
#include "ugni_emu/gemini/links/interconnect_file.h"
#include "ugni_emu/gemini/topology/dragonfly.h"
#include "ugni_emu/gemini/topology/torus.h"

namespace {

/// The system that is meant where no option says so.
std::string default_system() {
  std::string system = corespec::Parameters().system;
  for (const corespec::Setting& setting : corespec::environment()) {
    if (setting.first == "CASTOR_SYSTEM") system = setting.second;
  }
  return system;
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    throw std::system_error(errno, std::generic_category(), "standard output");
  }
}

template <typename Shape>
void print_interconnect_of(const Shape& shape) {
  for (gemini::RouterId router = 0; router < shape.routers(); ++router) {
    print(gemini::interconnect_lines(shape, router));
  }
}

void print_interconnect(const std::string& system) {
  if (gemini::DragonflyShape::is_meant(system)) {
    print_interconnect_of(gemini::Dragonfly::parse(system));
  } else {
    print_interconnect_of(gemini::Torus::parse(system));
  }
}

void run(const std::vector<std::string>& arguments) {
  const launch::RtrRequest request = launch::parse_rtr_options(arguments);
  switch (request.action) {
    case launch::RtrRequest::Action::help:
      print(launch::rtr_help());
      break;
    case launch::RtrRequest::Action::version:
      print(fmt::format("rtr (Castor) {}\n", CASTOR_VERSION));
      break;
    case launch::RtrRequest::Action::interconnect:
      print_interconnect(request.system.empty() ? default_system() : request.system);
      break;
  }
  if (std::fflush(stdout) != 0) {
    throw std::system_error(errno, std::generic_category(), "standard output");
  }
}

/// Says what was wrong, in one line.
int complain(const std::exception& error, int code) {
  const std::string line = corespec::printable(corespec::what_happened(error));
  std::fputs(fmt::format("rtr: {}\n", line).c_str(), stderr);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int usage_exit = 2;
  try {
    run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
    return 0;
  } catch (const launch::UsageError& error) {
    return complain(error, usage_exit);
  } catch (const std::invalid_argument& error) {  // no such system
    return complain(error, usage_exit);
  } catch (const std::exception& error) {
    return complain(error, 1);
  }
}
