// Runs a function on every rank of a job in virtual time, for tests.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "launch/virtual_run/virtual_run.h"
#include "tests/support/reordering_wire.h"
#include "tests/support/test_wire.h"

namespace castor_test {

/// A variable of the tests' own, or what it is where it is not set.
inline std::string test_variable(const std::string& variable, const std::string& otherwise) {
  for (const auto& [name, value] : corespec::environment()) {
    if (name == variable) return value;
  }
  return otherwise;
}

/// The system of small_job(): TEST_SYSTEM, else a small torus.
inline std::string small_system() { return test_variable("TEST_SYSTEM", "4x4x4"); }

/// Adds the settings that TEST_SETTINGS has, as NAME=VALUE with | between them.
inline void add_test_settings(std::vector<corespec::Setting>& settings) {
  std::istringstream words(test_variable("TEST_SETTINGS", ""));
  for (std::string word; std::getline(words, word, '|');) {
    const std::size_t equals = word.find('=');
    settings.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
}

/// A job of `ranks` ranks, `ranks_per_node` to a node, on a small system, in fidelity TEST_FIDELITY
/// or message, and with TEST_SETTINGS.
inline launch::JobRequest small_job(int ranks, int ranks_per_node = 1) {
  launch::JobRequest request;
  request.system = small_system();
  request.settings.emplace_back("CASTOR_FIDELITY", test_variable("TEST_FIDELITY", "message"));
  add_test_settings(request.settings);
  request.ranks = ranks;
  request.placement.ranks_per_node = ranks_per_node;
  return request;
}

/// The job on the wire that TEST_WIRE asks for.
inline launch::JobRequest on_test_wire(launch::JobRequest request) {
  const auto seed = reordering_seed();
  if (!seed) return request;
  request.around = [seed](ugni::Wire& network, const launch::JobRequest::MakeSource& make_source) {
    return std::make_unique<ReorderingWire>(network, make_source, *seed,
                                            corespec::Time::microseconds(3));
  };
  return request;
}

struct JobOutcome {
  corespec::VirtualMachine::Result machine;
  launch::VirtualJob::End end;
};

/// Runs `body` as every rank's main thread; fails the test on a deadlock.
inline JobOutcome run_job(const launch::JobRequest& request,
                          std::function<int(corespec::Process&)> body) {
  launch::VirtualRun run(on_test_wire(request));
  run.start(std::move(body));
  JobOutcome outcome;
  outcome.machine = run.run();
  outcome.end = run.job().end();
  for (const std::string& line : outcome.machine.stuck) ADD_FAILURE() << "deadlock: " << line;
  return outcome;
}

}  // namespace castor_test
