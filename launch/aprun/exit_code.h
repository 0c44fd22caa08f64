// What becomes of errors in a launcher: one line on standard error, and an exit code.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <stdexcept>

#include "launch/aprun/options.h"
#include "launch/loader/load_error.h"

namespace launch {

/// What `body()` returns; 2 if the user asked for what cannot be, 1 after any other error.
template <typename Body>
int exit_code_of(Body&& body) {
  constexpr int usage_exit = 2;
  const auto say = [](const std::exception& error, int code) {
    fmt::print(stderr, "aprun: {}\n", error.what());
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
  } catch (const std::exception& error) {
    return say(error, 1);
  }
}

}  // namespace launch
