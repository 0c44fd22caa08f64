// What a network says that it holds: something while transfers are under way, nothing once they are
// over, whatever was lost meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/gemini/test_machine.h"

namespace gemini_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class Audit : public testing::TestWithParam<const char*> {
 protected:
  corespec::Parameters parameters() const {
    corespec::Parameters made;
    made.fidelity = GetParam();
    return made;
  }
};

void exchange(Machine& machine) {
  for (Nid from = 0; from < 8; ++from) {
    machine.put(from, (from + 3) % 8, 70'000);
    machine.put(from, (from + 3) % 8, 8, 0);
    machine.get(from, (from + 5) % 8, 30'000);
  }
}

TEST_P(Audit, FindsWhatIsUnderWayAndNothingAfterwards) {
  Machine machine("4x1x1", parameters());
  EXPECT_THAT(machine.network().audit(), IsEmpty());
  exchange(machine);
  machine.run(Time::microseconds(5));
  const std::vector<std::string> found = machine.network().audit();
  EXPECT_THAT(found, Contains(HasSubstr("pieces of transactions in the network: ")));
  EXPECT_THAT(found, Contains(HasSubstr("the network's port of nid00000 waits for ")));
  if (std::string(GetParam()) == "packet") {
    EXPECT_THAT(found, Contains(HasSubstr("packets in the network: ")));
    EXPECT_THAT(found, Contains(HasSubstr(" phits is missing at router ")));
  }
  machine.run();
  EXPECT_THAT(machine.network().audit(), IsEmpty());
}

TEST_P(Audit, FindsNothingWhereThingsWereLostAndSentAgain) {
  corespec::Parameters losing = parameters();
  losing.lost_packets = 50;
  losing.link_failures = "link-down router=1 link=X+ at=10us until=400us";
  losing.retransmit_interval = Time::microseconds(50);
  losing.reroute_time = Time::microseconds(100);
  Machine machine("4x1x1", losing);
  exchange(machine);
  machine.run();
  EXPECT_GT(machine.network().faults().resent, 0U);
  EXPECT_THAT(machine.network().audit(), IsEmpty());
}

TEST_P(Audit, FindsNothingOfWhatWasGivenUp) {
  corespec::Parameters losing = parameters();
  losing.lost_packets = 4;
  losing.retransmit_tries = 1;
  losing.retransmit_interval = Time::microseconds(50);
  Machine machine("4x1x1", losing);
  exchange(machine);
  machine.run();
  EXPECT_GT(machine.network().faults().given_up, 0U);
  EXPECT_THAT(machine.network().audit(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Fidelities, Audit, testing::Values("message", "packet"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace gemini_test
