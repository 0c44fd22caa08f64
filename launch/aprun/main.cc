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
#include "launch/description/environment_help.h"
#include "launch/description/job_setup.h"
#include "launch/description/options.h"
#include "launch/libc/launcher_end.h"
#include "launch/page/page_files.h"
#include "launch/profile/compare_profiles.h"
#include "launch/profile/profile_file.h"
#include "launch/run_page/compare_page.h"
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
[[noreturn]] void exec_live_launcher(std::vector<std::string> command) {
  const std::string launcher =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "castor-live";
  std::vector<char*> pointers;
  pointers.reserve(command.size() + 1);
  for (std::string& argument : command) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv(launcher.c_str(), pointers.data());
  throw std::runtime_error(fmt::format("{}: {}", launcher, std::strerror(errno)));
}

/// The words of --env-help stand where a program and its arguments would.
std::vector<std::string> words_of(const launch::AprunOptions& options) {
  std::vector<std::string> words = options.arguments;
  if (!options.program.empty()) words.insert(words.begin(), options.program);
  return words;
}

/// --compare: as text, or with --report as a page.
void compare(const launch::AprunOptions& options) {
  const auto first = launch::read_profile(options.compared[0]);
  const auto second = launch::read_profile(options.compared[1]);
  if (options.report.empty()) {
    launch::print_standard_output(launch::compare_profiles(first, second));
  } else {
    launch::write_text(options.report, launch::compare_page(first, second));
  }
}

int run(const std::vector<std::string>& command, const launch::TlsRoom& tls_room) {
  const launch::AprunOptions options =
      launch::parse_options(command.front(), {command.begin() + 1, command.end()});
  switch (options.action) {
    case launch::AprunOptions::Action::help:
      launch::print_standard_output(launch::options_help(options.called));
      return 0;
    case launch::AprunOptions::Action::version:
      launch::print_standard_output(
          fmt::format("{} (Castor) {}\n", options.called, CASTOR_VERSION));
      return 0;
    case launch::AprunOptions::Action::environment_help:
      launch::print_standard_output(launch::environment_help(words_of(options)));
      return 0;
    case launch::AprunOptions::Action::compare:
      compare(options);
      return 0;
    case launch::AprunOptions::Action::run:
      break;
  }
  if (is_live(options)) exec_live_launcher(command);
  launch::enter_directory(options);
  return launch::run_program(options, tls_room);
}

}  // namespace

int main(int argc, char** argv) {
  launch::hold_standard_descriptors();
  std::vector<std::string> command(argv, argv + argc);
  if (command.empty()) command.emplace_back("aprun");
  const launch::TlsRoom tls_room(command);
  const int code = launch::exit_code_of(command.front(), [&] {
    launch::ensure_own_stack();
    return run(command, tls_room);
  });
  std::fflush(stdout);
  // Copies of the program stay loaded: their destructors have run, on their ranks.
  launch::exit_launcher_early(code);
}
