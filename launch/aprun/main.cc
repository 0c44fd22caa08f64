// aprun: starts a program on the ranks of an emulated Cray XE6.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "corespec/config/parameters.h"
#include "launch/aprun/exit_code.h"
#include "launch/aprun/own_stack.h"
#include "launch/aprun/standard_streams.h"
#include "launch/description/options.h"
#include "launch/libc/launcher_end.h"
#include "launch/virtual_launcher/run_program.h"
#include "launch/virtual_launcher/tls_room.h"

namespace {

/// --clock live, or without --clock CASTOR_CLOCK=live.
bool is_live(const launch::AprunOptions& options) {
  using Clock = launch::AprunOptions::Clock;
  if (options.clock != Clock::unset) return options.clock == Clock::live;
  const std::vector<corespec::Setting> settings = corespec::environment();
  return std::find(settings.begin(), settings.end(), corespec::Setting("CASTOR_CLOCK", "live")) !=
         settings.end();
}

/// Live jobs have a launcher of their own, a program beside this one
/// (docs/decisions/0009-a-launcher-for-each-clock.md): it takes the same arguments.
[[noreturn]] void exec_live_launcher(std::vector<std::string> arguments) {
  const std::string launcher =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "castor-live";
  arguments.insert(arguments.begin(), "aprun");
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv(launcher.c_str(), pointers.data());
  throw std::runtime_error(fmt::format("{}: {}", launcher, std::strerror(errno)));
}

int run(const std::vector<std::string>& arguments, const launch::TlsRoom& tls_room) {
  const launch::AprunOptions options = launch::parse_options(arguments);
  switch (options.action) {
    case launch::AprunOptions::Action::help:
      fmt::print("{}", launch::options_help());
      launch::flush_standard_output();
      return 0;
    case launch::AprunOptions::Action::version:
      fmt::print("aprun (Castor) {}\n", CASTOR_VERSION);
      launch::flush_standard_output();
      return 0;
    case launch::AprunOptions::Action::environment_help:
      launch::print_environment_help();
      launch::flush_standard_output();
      return 0;
    case launch::AprunOptions::Action::run:
      break;
  }
  if (is_live(options)) exec_live_launcher(arguments);
  return launch::run_program(options, tls_room);
}

}  // namespace

int main(int argc, char** argv) {
  launch::hold_standard_descriptors();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const launch::TlsRoom tls_room(arguments);
  const int code = launch::exit_code_of([&] {
    launch::ensure_own_stack();
    return run(arguments, tls_room);
  });
  std::fflush(stdout);
  // Copies of the program stay loaded: their destructors have run, on their ranks.
  launch::exit_launcher_early(code);
}
