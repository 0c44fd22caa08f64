// Which part of a job in virtual time a process runs.
#pragma once

#include <cstddef>

#include "corespec/virtual/rounds.h"
#include "launch/workers/mail.h"

namespace launch {

/// One of several, or all of it.
struct Part {
  std::size_t number = 0;
  std::size_t count = 1;
  corespec::Rounds* rounds = nullptr;  ///< null: all of it
  Mail* mail = nullptr;                ///< as that
  bool is_first() const { return number == 0; }
};

/// After the run: what the parts have written to each other is delivered. Each calls it as often.
void meet_after_run(const Part& part);

}  // namespace launch
