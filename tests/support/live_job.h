// Runs a test's job live: the test program starts itself again as every rank, under aprun.
#pragma once

#include <functional>
#include <string>

#include "corespec/threads/process.h"
#include "launch/virtual_run/virtual_run.h"
#include "tests/support/test_clock.h"

namespace castor_test {

struct LiveOutcome {
  bool is_rank = false;  ///< this process was a rank of an earlier or later job: nothing ran
  int status = 0;        ///< aprun's exit status; a rank fails if a check in its body did
  std::string output;    ///< standard output and standard error of aprun and all ranks
};

/// Runs `body` on every rank of the job that `request` describes. In the test's own process: starts
/// aprun with this program, this test and this job (the test's n-th) and waits. In a rank of that
/// job: runs `body` and ends the process with what its checks said.
LiveOutcome run_live(const launch::JobRequest& request, const std::function<void()>& body);

}  // namespace castor_test
