// Bytes: captured payloads, engine reads and gets, whole and in segments.
#include <gtest/gtest.h>

#include "tests/gemini/test_machine.h"
#include "tests/support/parameter_name.h"

namespace gemini_test {
namespace {

using ugni::TransactionKind;

const std::vector<std::uint64_t> kLengths = {1, 7, 64, 4096, 16384, 16385, 50000, 300001};

class Data : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(, Data, testing::Values("2x2x2", "dragonfly:3x2x4x4"),
                         [](const auto& info) {
                           return castor_test::parameter_name(info.index, info.param);
                         });

TEST_P(Data, CapturedPayloads) {
  for (const std::uint64_t length : kLengths) {
    Machine machine(GetParam());
    const Nid to = machine.topology().nodes() - 1;
    auto put = machine.make(TransactionKind::put, 0, to, length);
    put.remote_address = 123;
    Bytes bytes = random_bytes(length, length);
    machine.nic(to);
    machine.network().submit(put, ugni::Payload(std::span(bytes)));
    const Bytes original = bytes;
    std::ranges::fill(bytes, std::byte{0});  // captured: what happens to the source is no matter
    machine.run();
    const Bytes& memory = machine.nic(to).memory;
    ASSERT_EQ(memory.size(), 123 + length);
    EXPECT_TRUE(std::equal(original.begin(), original.end(), memory.begin() + 123));
    EXPECT_EQ(machine.nic(0).responses.size(), (length + 16383) / 16384);
    EXPECT_EQ(machine.nic(0).responses.back().payload, 0U);
  }
}

TEST_P(Data, EngineReadsAtInjection) {
  for (const std::uint64_t length : kLengths) {
    Machine machine(GetParam());
    const std::uint64_t key = machine.put(0, 3, length);
    machine.run();
    EXPECT_EQ(machine.nic(3).memory, machine.nic(0).buffers[key]) << length;
  }
}

TEST(DataInTime, TheEngineReadsWhatIsThereWhenTheSegmentLeaves) {
  Machine machine("1x1x1");
  const std::uint64_t key = machine.put(0, 1, 3 * 16384);
  machine.run(Time::microseconds(3));  // the second segment left at 2.36 us
  Bytes& buffer = machine.nic(0).buffers[key];
  const Bytes before = buffer;
  std::ranges::fill(buffer, std::byte{0x5a});
  machine.run();
  const Bytes& memory = machine.nic(1).memory;
  EXPECT_TRUE(std::equal(memory.begin(), memory.begin() + 2 * 16384, before.begin()));
  EXPECT_EQ(std::count(memory.begin() + 2 * 16384, memory.end(), std::byte{0x5a}), 16384);
}

TEST_P(Data, Gets) {
  for (const std::uint64_t length : kLengths) {
    Machine machine(GetParam());
    const Nid to = machine.topology().nodes() - 2;
    const std::uint64_t key = machine.get(0, to, length);
    machine.run();
    EXPECT_EQ(machine.nic(0).buffers[key], machine.nic(to).memory) << length;
  }
}

TEST_P(Data, MessagesAndDatagramsCarryTheirBytes) {
  for (const TransactionKind kind : {TransactionKind::message, TransactionKind::datagram}) {
    Machine machine(GetParam());
    machine.nic(5);
    const Bytes bytes = random_bytes(128, 9);
    machine.network().submit(machine.make(kind, 0, 5, 128), ugni::Payload(std::span(bytes)));
    machine.run();
    EXPECT_EQ(machine.nic(5).memory, bytes);
    EXPECT_EQ(machine.nic(5).requests.at(0).payload, 128U);
  }
}

TEST_P(Data, EachPieceComesOnceAndTheLastIsMarked) {
  Machine machine(GetParam());
  machine.put(0, 3, 50000);
  machine.run();
  std::uint64_t offset = 0;
  const auto& requests = machine.nic(3).requests;
  for (const Call& call : requests) {
    EXPECT_EQ(call.offset, offset);
    offset += call.length;
    EXPECT_EQ(call.last, offset == 50000);
  }
  EXPECT_EQ(offset, 50000U);
  EXPECT_EQ(machine.nic(0).sent.size(), 1U);
  ASSERT_EQ(machine.nic(0).responses.size(), requests.size());
  EXPECT_TRUE(machine.nic(0).responses.back().last);
  EXPECT_FALSE(machine.nic(0).responses.front().last);
}

TEST_P(Data, TheRecordArrivesUnchanged) {
  Machine machine(GetParam());
  machine.nic(9);
  auto write = machine.make(TransactionKind::cq_write, 0, 9, 0);
  write.immediate = {0xabcdef, 7};
  write.cookie = 11;
  write.ptag = 12;
  write.target_instance = 13;
  write.source_instance = 14;
  write.remote_event = 15;
  write.remote_handle = {16, 17};
  write.mark = 18;
  write.subkind = 19;
  machine.network().submit(write, {});
  machine.run();
  for (const Call& call : {machine.nic(9).requests.at(0), machine.nic(0).responses.at(0)}) {
    EXPECT_EQ(call.transaction.immediate, write.immediate);
    EXPECT_EQ(call.transaction.cookie, 11U);
    EXPECT_EQ(call.transaction.ptag, 12U);
    EXPECT_EQ(call.transaction.target_instance, 13U);
    EXPECT_EQ(call.transaction.source_instance, 14U);
    EXPECT_EQ(call.transaction.remote_event, 15U);
    EXPECT_EQ(call.transaction.remote_handle.qword2, 17U);
    EXPECT_EQ(call.transaction.mark, 18U);
    EXPECT_EQ(call.transaction.subkind, 19U);
    EXPECT_EQ(call.transaction.initiator_key, write.initiator_key);
  }
}

TEST_P(Data, ZeroLengthPutsAndGets) {
  Machine machine(GetParam());
  machine.put(0, 3, 0);
  machine.get(0, 3, 0);
  machine.run();
  ASSERT_EQ(machine.nic(3).requests.size(), 2U);
  for (const Call& call : machine.nic(0).responses) {
    EXPECT_EQ(call.length, 0U);
    EXPECT_TRUE(call.last);
  }
  EXPECT_EQ(machine.nic(0).responses.size(), 2U);
}

TEST(DataInTime, AClientMaySubmitFromItsCalls) {
  Machine machine("1x1x4");
  int left = 50;
  machine.nic(0).on_response = [&](const Call&) {
    if (left-- > 0) machine.put(0, 2, 1000, 0);
  };
  machine.put(0, 2, 1000, 0);
  machine.run();
  EXPECT_EQ(machine.nic(2).requests.size(), 51U);
}

}  // namespace
}  // namespace gemini_test
