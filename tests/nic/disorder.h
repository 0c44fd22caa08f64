// A machine on whose wire transactions, and pieces of one, overtake each other. In virtual time:
// live, they do not.
#pragma once

#include "tests/nic/test_machine.h"

namespace nic_test {

/// Runs `body` as the only rank of a one-node machine on a wire that gives no order, in pieces of
/// 100 bytes, once with each of some seeds. Fails if little has been overtaken.
template <typename Body>
void run_in_disorder(const Body& body, const corespec::Parameters& parameters = free_software()) {
  std::uint64_t overtaken = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    castor_test::ReorderingWire* reordering = nullptr;
    TestMachine machine(1, parameters, 4, [&](TestMachine& made) {
      auto wire = TestMachine::reordering(made, seed);
      reordering = wire.get();
      return wire;
    });
    machine.wire.segment_bytes = 100;
    machine.start(0, body);
    machine.run();
    overtaken += reordering->overtaken() + reordering->pieces_overtaken();
  }
  EXPECT_LT(20U, overtaken);
}

inline corespec::Parameters losing_one_in_three() {
  corespec::Parameters parameters = free_software();
  parameters.lost_transactions = 3;
  return parameters;
}

}  // namespace nic_test
