// aprun: starts a program on the ranks of an emulated Cray XE6.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "launch/aprun/options.h"
#include "launch/aprun/run_program.h"
#include "launch/libc/launcher_end.h"
#include "launch/loader/load_error.h"

namespace {

constexpr int usage_exit = 2;

int run(const std::vector<std::string>& arguments) {
  const launch::AprunOptions options = launch::parse_options(arguments);
  switch (options.action) {
    case launch::AprunOptions::Action::help:
      fmt::print("{}", launch::options_help());
      return 0;
    case launch::AprunOptions::Action::version:
      fmt::print("aprun (Castor) {}\n", CASTOR_VERSION);
      return 0;
    case launch::AprunOptions::Action::environment_help:
      launch::print_environment_help();
      return 0;
    case launch::AprunOptions::Action::run:
      break;
  }
  return launch::run_program(options);
}

}  // namespace

int main(int argc, char** argv) {
  int code = 0;
  try {
    code = run({argv + 1, argv + argc});
  } catch (const launch::UsageError& error) {
    fmt::print(stderr, "aprun: {}\n", error.what());
    code = usage_exit;
  } catch (const launch::LoadError& error) {
    fmt::print(stderr, "aprun: {}\n", error.what());
    code = usage_exit;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "aprun: {}\n", error.what());
    code = usage_exit;
  } catch (const std::exception& error) {
    fmt::print(stderr, "aprun: {}\n", error.what());
    code = 1;
  }
  std::fflush(stdout);
  // Copies of the program stay loaded: their destructors have run, on their ranks.
  launch::exit_launcher_early(code);
}
