// The two clocks on which the NIC's tests run, each with nodes and threads.
#pragma once

#include <functional>
#include <memory>

#include "corespec/config/parameters.h"
#include "corespec/threads/node.h"
#include "corespec/threads/process.h"

namespace nic_test {

using corespec::Time;

/// True if the tests run on the host's clock.
bool live();

/// The tests' time goes slower than the host's: what has to happen between two events of the wire
/// does so even on a busy host, mostly.
inline int slower() { return live() ? 1000 : 1; }
/// Microseconds of the tests' time.
inline Time test_us(double us) { return Time::microseconds(us * slower()); }

/// Ends a live thread.
class GoesNoFurther {};

/// Nodes of one event domain, and their threads.
class TestClock {
 public:
  /// `cores`: of each node in virtual time; live the host's are what there is.
  static std::unique_ptr<TestClock> make(const corespec::Parameters& parameters, int node_count,
                                         int cores);
  virtual ~TestClock() = default;

  virtual corespec::EventSource make_source() = 0;
  /// Ids are given in ascending order, from 0.
  virtual corespec::Node& add_node(int nid) = 0;
  virtual void start(corespec::Node& node, corespec::ThreadRole role, corespec::Process* process,
                     std::function<void()> body) = 0;
  /// Lets the threads run. False if not all come to their end.
  virtual bool run() = 0;
  /// Virtual time only: ends the run now.
  virtual void stop() = 0;
};

}  // namespace nic_test
