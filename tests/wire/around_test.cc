// Something stands between a NIC and the live wire, which does not know of it.
#include <gtest/gtest.h>

#include <map>

#include "tests/support/disturbed_wire.h"
#include "tests/wire/job_of_processes.h"

namespace wire_test {
namespace {

using castor_test::DisturbedWire;
using ugni::Transaction;
using ugni::TransactionKind;

class Around : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(, Around, every_provider(), provider_name);

/// Every fifth is lost, every seventh comes late; the others, and what is in them, are as sent.
TEST_P(Around, LosesDelaysAndRecords) {
  run({{0, 1}, {0, 0}, GetParam(), "none"}, [](Rank& self) {
    constexpr std::uint64_t count = 60;  // below the number of shared words
    constexpr std::uint64_t kept = count / 5 * 4;
    const auto late = corespec::Time::microseconds(30000);
    self.attach_own_domain();
    if (self.rank() == 1) {
      self.meet();
      self.until([&] { return self.client().arrivals().size() == kept; }, "what is not lost");
      std::map<std::uint64_t, int> seen;
      for (const auto& arrival : self.client().arrivals()) {
        const std::uint64_t number = arrival.transaction.immediate[0];
        ++seen[number];
        require(number % 5 != 0, "a lost one does not come");
        require(arrival.data == random_bytes(40, number), "its bytes are its own");
        // The clocks of one host's processes agree.
        if (number % 7 == 0) {
          require(arrival.at >= corespec::Time::picoseconds(
                                    static_cast<std::int64_t>(self.word(number).load())) +
                                    late,
                  "a delayed one is late");
        }
      }
      require(seen.size() == kept, "each once");
      self.meet();
      return;
    }
    DisturbedWire wire(self.wire(), self.node().source(), [late](const Transaction& each) {
      const std::uint64_t number = each.immediate[0];
      return DisturbedWire::Verdict{number % 5 == 0, number % 7 == 0 ? late : corespec::Time()};
    });
    wire.attach(self.nid_of(0), self.client(), self.domain());
    self.meet();
    for (std::uint64_t number = 1; number <= count; ++number) {
      const std::vector<std::byte> bytes = random_bytes(40, number);
      Transaction each = self.to(1, TransactionKind::message);
      each.length = bytes.size();
      each.immediate[0] = number;
      const corespec::EventDomain::Hold hold(self.domain());
      if (number % 7 == 0) {
        self.word(number) = static_cast<std::uint64_t>(self.domain().now().ps());
      }
      self.client().begin(each, {});
      wire.submit(each, ugni::Payload(bytes));
    }
    require(wire.entries().size() == count, "all are recorded");
    self.until([&] { return wire.responses() == kept; }, "responses to what is not lost");
    self.meet();
    self.wire().attach(self.nid_of(0), self.client(), self.domain());
  });
}

}  // namespace
}  // namespace wire_test
