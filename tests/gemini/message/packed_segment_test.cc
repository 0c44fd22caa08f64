// Segments as bytes, on their way from one part of a machine to another: what comes out is what
// went in, and bytes that would lead beyond the network are refused.
#include <gtest/gtest.h>

#include <bit>
#include <deque>
#include <random>
#include <stdexcept>
#include <type_traits>

#include "tests/gemini/test_machine.h"
#include "tests/support/parameter_name.h"
#include "ugni_emu/gemini/message/router.h"
#include "ugni_emu/gemini/message/segment.h"

namespace gemini_test {
namespace {

using gemini::Segment;

constexpr const char* systems[] = {"4x3x6", "dragonfly:5x3x4x4"};

class PackedSegments : public testing::TestWithParam<const char*> {
 protected:
  template <typename Number>
  Number below(Number most) {
    return static_cast<Number>(random() % most);
  }

  /// One that can be under way, with a payload of its length or none.
  Segment& random_segment(Machine& machine) {
    const gemini::Topology& topology = machine.topology();
    const Nid source = below(topology.nodes());
    machine.nic(source);
    auto& segment = static_cast<Segment&>(machine.network().prepare(source));
    segment.route = {};
    for (unsigned leg = below(gemini::RouteWord::most_legs + 1); leg > 0; --leg) {
      segment.route.prepend(below(topology.links_per_router()),
                            1 + below(gemini::RouteWord::most_hops));
    }
    segment.passage = {Time::picoseconds(static_cast<std::int64_t>(random() >> 2)),
                       Time::picoseconds(static_cast<std::int64_t>(random() >> 2))};
    segment.phits = below(1U << 31);
    segment.packets = below(1U << 31);
    segment.nic_bytes = below(1U << 31);
    segment.channel = static_cast<std::uint8_t>(below(2U));
    segment.port = static_cast<std::uint8_t>(below(topology.nics_per_router()));
    segment.source_port = static_cast<std::uint8_t>(below(topology.nics_per_router()));
    segment.last = below(2U) == 0;
    segment.marked = below(2U) == 0;
    segment.status = static_cast<ugni::ResponseStatus>(below(10U));
    segment.offset = below(1U << 20);
    segment.length = below(3U) == 0 ? 0 : below(20'000U);
    segment.transaction = random_transaction(topology);
    segment.transaction.length = std::uint64_t{segment.offset} + segment.length + below(5U);
    if (below(2U) == 0) segment.payload = random_payload(machine, segment.length);
    return segment;
  }

  ugni::Transaction random_transaction(const gemini::Topology& topology) {
    static_assert(std::has_unique_object_representations_v<ugni::Transaction>);
    std::array<std::uint64_t, sizeof(ugni::Transaction) / 8> words;
    for (std::uint64_t& word : words) word = random();
    auto transaction = std::bit_cast<ugni::Transaction>(words);
    transaction.kind = static_cast<ugni::TransactionKind>(below(8U));
    transaction.source = below(topology.nodes());
    transaction.target = below(topology.nodes());
    return transaction;
  }

  /// Some have lent their last bytes.
  ugni::Payload random_payload(Machine& machine, std::uint32_t length) {
    lent.push_back(random_bytes(length, random()));
    const std::span<const std::byte> bytes = lent.back();
    if (below(2U) == 0 || length < 100) return ugni::Payload(machine.network().payloads(), bytes);
    const std::size_t head = below(length);
    return {machine.network().payloads(), bytes.first(head), bytes.subspan(head),
            &loans.emplace_back()};
  }

  Bytes pack(Machine& machine, Segment& segment) {
    Bytes bytes(machine.network().packed_bytes(segment));
    machine.network().pack(segment, bytes);
    return bytes;
  }

  std::mt19937_64 random{11};
  std::deque<Bytes> lent;
  std::deque<ugni::Loan> loans;
};

INSTANTIATE_TEST_SUITE_P(, PackedSegments, testing::ValuesIn(systems), [](const auto& info) {
  return castor_test::parameter_name(info.index, info.param);
});

/// What a test can compare.
struct Fields {
  gemini::RouterId router;
  std::uint64_t route;
  Time head, tail;
  std::uint32_t phits, packets, nic_bytes;
  unsigned channel, port, source_port;
  bool last, marked;
  ugni::ResponseStatus status;
  std::uint32_t offset, length;
  Bytes transaction, payload;
  bool operator==(const Fields&) const = default;
};

Fields fields_of(const Segment& segment) {
  const auto* transaction = reinterpret_cast<const std::byte*>(&segment.transaction);
  Fields fields{segment.router->number(),
                std::bit_cast<std::uint64_t>(segment.route),
                segment.passage.head,
                segment.passage.tail,
                segment.phits,
                segment.packets,
                segment.nic_bytes,
                segment.channel,
                segment.port,
                segment.source_port,
                segment.last,
                segment.marked,
                segment.status,
                segment.offset,
                segment.length,
                Bytes(transaction, transaction + sizeof segment.transaction),
                Bytes(segment.payload.size())};
  if (!segment.payload.empty()) segment.payload.copy_to(0, fields.payload);
  return fields;
}

TEST_P(PackedSegments, ComeOutAsTheyWentIn) {
  Machine from(GetParam());
  Machine to(GetParam());
  for (int i = 0; i < 2000; ++i) {
    Segment& segment = random_segment(from);
    const Fields before = fields_of(segment);
    const Bytes bytes = pack(from, segment);
    for (ugni::Loan& loan : loans) EXPECT_FALSE(loan.open());  // the bytes were copied
    auto& unpacked = static_cast<Segment&>(to.network().unpack(bytes));
    EXPECT_TRUE(fields_of(unpacked) == before) << "segment " << i;
    to.network().drop(unpacked);
    loans.clear();
    lent.clear();
  }
}

TEST_P(PackedSegments, ThatAreCutAreRefused) {
  Machine from(GetParam());
  Machine to(GetParam());
  for (int i = 0; i < 200; ++i) {
    Segment& segment = random_segment(from);
    const std::size_t payload = segment.payload.size();
    const Bytes bytes = pack(from, segment);
    for (std::size_t left = 0; left < bytes.size(); left += 1 + below(left + 1)) {
      if (payload > 0 && left + payload == bytes.size()) continue;  // it may have none
      EXPECT_THROW(to.network().unpack(std::span(bytes).first(left)), std::runtime_error)
          << left << " of " << bytes.size();
    }
    Bytes longer = bytes;
    longer.push_back(std::byte{1});
    if (segment.length != 1 || payload > 0) {
      EXPECT_THROW(to.network().unpack(longer), std::runtime_error);
    }
  }
}

/// A segment that is taken in leads to no place beyond the network.
void expect_in_place(const Segment& segment, const gemini::Topology& topology) {
  EXPECT_LT(segment.router->number(), topology.routers());
  EXPECT_LT(segment.channel, 2U);
  EXPECT_LT(segment.port, topology.nics_per_router());
  EXPECT_LT(segment.source_port, topology.nics_per_router());
  EXPECT_LE(segment.status, ugni::ResponseStatus::without_data);
  EXPECT_LE(segment.transaction.kind, ugni::TransactionKind::collective);
  EXPECT_TRUE(topology.contains(segment.transaction.source));
  EXPECT_TRUE(topology.contains(segment.transaction.target));
  EXPECT_LE(std::uint64_t{segment.offset} + segment.length, segment.transaction.length);
  EXPECT_TRUE(segment.payload.empty() || segment.payload.size() == segment.length);
  for (gemini::RouteWord route = segment.route; !route.arrived(); route.step()) {
    ASSERT_LT(route.link(), topology.links_per_router());
  }
}

TEST_P(PackedSegments, ThatAreDamagedAreRefusedOrLeadNowhereElse) {
  Machine from(GetParam());
  Machine to(GetParam());
  int refused = 0;
  int taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    Segment& segment = random_segment(from);
    segment.payload = {};
    Bytes bytes = pack(from, segment);
    for (int damages = 1 + below(4); damages > 0; --damages) {
      bytes[below(bytes.size())] = static_cast<std::byte>(random());
    }
    try {
      auto& unpacked = static_cast<Segment&>(to.network().unpack(bytes));
      expect_in_place(unpacked, to.topology());
      to.network().drop(unpacked);
      ++taken;
    } catch (const std::runtime_error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(taken, 1000);
}

}  // namespace
}  // namespace gemini_test
