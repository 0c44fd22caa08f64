// On a quiet network both fidelities agree.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/gemini/packet/transfers.h"

namespace gemini_test {
namespace {

using ugni::TransactionKind;

struct PairTimes {
  std::int64_t arrived, answered;
};

PairTimes times_of(const std::string& fidelity, TransactionKind kind, Nid from, Nid to,
                   std::uint64_t length) {
  corespec::Parameters parameters;
  parameters.fidelity = fidelity;
  Machine machine("8x6x16", parameters, Machine::Counting::off);
  machine.nic(to).memory = random_bytes(length, 1);
  const auto transaction = machine.make(kind, from, to, length);
  const Bytes bytes = random_bytes(length, 2);
  machine.nic(from).buffers[transaction.initiator_key] = bytes;
  machine.network().submit(transaction, {});
  machine.run();
  EXPECT_EQ(machine.nic(from).responses.size(), machine.nic(to).requests.size());
  return {machine.nic(to).requests.back().at.ps(), machine.nic(from).responses.back().at.ps()};
}

/// A way of one kind.
struct Way {
  const char* name;
  const char* direction;  ///< of its one link; "": of none or several
  gemini::LinkType type = gemini::LinkType::cable;
};

class Quiet : public testing::TestWithParam<Way> {
 protected:
  /// Two nodes with such a way between them.
  static std::pair<Nid, Nid> ends() {
    const auto topology = gemini::make_topology("8x6x16");
    const std::string_view direction = GetParam().direction;
    if (direction.empty()) return {0, GetParam().type == gemini::LinkType::host ? 1 : 1201};
    for (gemini::RouterId router = 0; router < topology->routers(); ++router) {
      for (std::uint8_t link = 0; link < topology->links_per_router(); ++link) {
        const gemini::Port port{router, link};
        if (topology->link_name(link) != direction) continue;
        if (topology->link_classes()[topology->link_class(port)].type != GetParam().type) continue;
        return {topology->nid_at(router, 0), topology->nid_at(topology->far_end(port).router, 1)};
      }
    }
    ADD_FAILURE() << "no such link";
    return {0, 1};
  }
};

using gemini::LinkType;
INSTANTIATE_TEST_SUITE_P(, Quiet,
                         testing::Values(Way{"Netlink", "", LinkType::host},
                                         Way{"Backplane", "Z+", LinkType::backplane},
                                         Way{"Mezzanine", "Y+", LinkType::mezzanine},
                                         Way{"CableInX", "X+"}, Way{"CableInY", "Y+"},
                                         Way{"CableInZ", "Z+"}, Way{"Far", ""}),
                         [](const auto& info) { return info.param.name; });

/// Within half a percent, or some nanoseconds. Over a cable in Y, which moves less than the host
/// port, the packets of a transfer fill its four tiles one after another: fidelity message, in
/// which the last one is as late as if it had waited for all of them, is so much slower.
void expect_near(std::int64_t packet, std::int64_t message, std::int64_t allowed,
                 const std::string& what) {
  EXPECT_LE(std::abs(packet - message), std::max(message / 200, allowed))
      << what << ": " << packet << " ps in packet, " << message << " in message";
}

TEST_P(Quiet, TransfersTakeTheSameTime) {
  const auto [from, to] = ends();
  const std::string_view way = GetParam().name;
  const std::int64_t allowed = way == "CableInY" || way == "Far" ? 50000 : 10000;
  for (const auto kind : {TransactionKind::put, TransactionKind::get}) {
    for (const std::uint64_t length :
         {0, 1, 8, 32, 64, 65, 128, 1000, 4096, 16384, 100000, 1000000}) {
      const std::string what =
          (kind == TransactionKind::put ? "put of " : "get of ") + std::to_string(length);
      const PairTimes message = times_of("message", kind, from, to, length);
      const PairTimes packet = times_of("packet", kind, from, to, length);
      expect_near(packet.answered, message.answered, allowed, what);
    }
  }
}

TEST(QuietPut, OfASmallBlockTakesLessThan700Nanoseconds) {
  EXPECT_LT(times_of("packet", TransactionKind::put, 0, 2, 64).arrived, 700000);
  EXPECT_EQ(times_of("packet", TransactionKind::put, 0, 2, 64).arrived,
            times_of("message", TransactionKind::put, 0, 2, 64).arrived);
}

}  // namespace
}  // namespace gemini_test
