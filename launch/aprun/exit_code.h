// What becomes of errors in a launcher: one line on standard error, and an exit code.
#pragma once

#include <fmt/format.h>
#include <signal.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "corespec/host/printable.h"
#include "corespec/host/what_happened.h"
#include "launch/description/options.h"
#include "launch/loader/load_error.h"

namespace launch {

/// Ends the process as a signal without a handler does: the reader of its output has gone. (Live,
/// the launcher ignores it, for it has ranks to end first.)
inline int end_by_broken_pipe() {
  constexpr int signal_exit = 128;
  signal(SIGPIPE, SIG_DFL);
  raise(SIGPIPE);
  return signal_exit + SIGPIPE;
}

/// What `body()` returns; 2 after a mistake of the user's, 1 after any other error. `called`: the
/// launcher's argv[0], whose name begins the line that says what was wrong.
template <typename Body>
int exit_code_of(std::string_view called, Body&& body) {
  constexpr int usage_exit = 2;
  const std::string_view name = called.substr(called.rfind('/') + 1);
  const std::string_view speaker = launcher_called(name) == Launcher::aprun ? "aprun" : name;
  const auto say = [speaker](const std::exception& error, int code) {
    const std::string line = corespec::printable(corespec::what_happened(error));
    std::fputs(fmt::format("{}: {}\n", speaker, line).c_str(), stderr);
    return code;
  };
  try {
    return body();
  } catch (const UsageError& error) {
    return say(error, usage_exit);
  } catch (const LoadError& error) {
    return say(error, usage_exit);
  } catch (const std::invalid_argument& error) {
    return say(error, usage_exit);
  } catch (const std::system_error& error) {
    return error.code().value() == EPIPE ? end_by_broken_pipe() : say(error, 1);
  } catch (const std::exception& error) {
    return say(error, 1);
  }
}

}  // namespace launch
