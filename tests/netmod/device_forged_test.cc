// A rank that sends control packets which no rank sends: its peer says so, and believes nothing.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "corespec/threads/thread.h"
#include "netmod/device/between_nodes/connection.h"
#include "netmod/device/interface/device.h"
#include "netmod/device/messages/request_names.h"
#include "tests/support/virtual_job.h"

namespace castor_test {
namespace {

using netmod::ControlPacket;
using netmod::PacketKind;
using netmod::RequestImpl;
using netmod::RequestNames;

/// Connections of a rank that has no device behind them.
class Liar final : public netmod::ConnectionClient {
 public:
  explicit Liar(corespec::Process& process)
      : settings_(netmod::make_settings(process.job().parameters(), process.job().size(),
                                        netmod::ThreadLevel::single)),
        memory_(process, 1),
        port_(process, settings_, memory_, statistics_),
        connections_(process, settings_, port_, memory_, statistics_, *this) {}

  void send(int peer, ControlPacket packet) {
    connections_.send_control(connections_.to(peer), packet);
  }
  /// The packet of the kind that has come; until then it takes in what comes.
  ControlPacket await(PacketKind kind) {
    for (;;) {
      for (const ControlPacket& packet : arrived_) {
        if (packet.header.kind == kind) return packet;
      }
      look();
    }
  }
  void look() {
    corespec::Thread& thread = corespec::this_thread();
    const std::uint64_t epoch = port_.arrival_signal().epoch();
    const std::size_t before = arrived_.size();
    connections_.poll_datagrams();
    connections_.drain_all();
    connections_.flush();
    port_.reap_messages();
    if (arrived_.size() != before) return;
    thread.spin(port_.arrival_signal(), epoch, settings_.parameters->poll_period, nullptr);
  }

 private:
  bool transmit(netmod::Connection&, RequestImpl&) override { return true; }
  void envelope_arrived(netmod::Connection&, const netmod::PacketHeader& header,
                        const netmod::MemoryReference& memory, const std::byte*,
                        ugni::Payload&) override {
    arrived_.push_back({header, memory});
  }
  void control_arrived(netmod::Connection&, const ControlPacket& packet) override {
    arrived_.push_back(packet);
  }
  bool satisfied() const override { return false; }

  netmod::Settings settings_;
  netmod::DeviceStatistics statistics_;
  netmod::MemorySlice memory_;
  netmod::RankPort port_;
  netmod::Connections connections_;
  std::vector<ControlPacket> arrived_;
};

constexpr std::size_t message_bytes = 4 << 20;  // in chunks

/// Rank 1 sends a long message to rank 0, which answers its RTS with what `forge` makes of it.
void expect_refused(const std::function<ControlPacket(const ControlPacket& rts)>& forge) {
  testing::internal::CaptureStderr();
  const JobOutcome outcome = run_job(small_job(2), [&](corespec::Process& process) {
    if (process.rank() == 0) {
      Liar liar(process);
      liar.send(1, forge(liar.await(PacketKind::rts)));
      for (;;) liar.look();
    }
    const auto device = netmod::Device::open(process, netmod::ThreadLevel::single);
    std::vector<std::byte> data(message_bytes);
    netmod::Request* const sent =
        device->send(data.data(), data.size(), 0, {0, 1, 0}, netmod::SendMode::standard,
                     netmod::DataStays::until_complete);
    device->wait_until(netmod::Condition(*sent));
    return 0;
  });
  const std::string errors = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(outcome.end.aborted);
  EXPECT_EQ(outcome.end.ended, 0);
  EXPECT_NE(errors.find("rank 0 has sent what no rank sends"), std::string::npos) << errors;
}

ControlPacket answer(const ControlPacket& rts, PacketKind kind) {
  ControlPacket packet;
  packet.header.kind = kind;
  packet.header.send_request = rts.header.send_request;
  packet.header.receive_request = 1;
  return packet;
}

TEST(Forged, NamesOfNoRequestAreRefused) {
  for (const PacketKind kind : {PacketKind::cts, PacketKind::receive_done, PacketKind::cancelled,
                                PacketKind::kept, PacketKind::send_done}) {
    for (const std::uint64_t name : {std::uint64_t{0}, std::uint64_t{1} << 32 | 1000,
                                     std::uint64_t{0x7fff00001000}, ~std::uint64_t{0}}) {
      expect_refused([&](const ControlPacket& rts) {
        ControlPacket packet = answer(rts, kind);
        packet.header.send_request = packet.header.receive_request = name;
        return packet;
      });
    }
  }
}

TEST(Forged, AnAnswerToASendIsNotOneToAReceive) {
  expect_refused([&](const ControlPacket& rts) {
    ControlPacket packet = answer(rts, PacketKind::send_done);
    packet.header.receive_request = rts.header.send_request;
    packet.header.bytes = 1;
    return packet;
  });
}

TEST(Forged, BytesThatTheMessageDoesNotHaveAreRefused) {
  struct Chunk {
    std::uint64_t offset, bytes;
  };
  for (const Chunk chunk :
       {Chunk{0, message_bytes + 1}, Chunk{message_bytes, 1}, Chunk{message_bytes + 1, 0},
        Chunk{~std::uint64_t{0}, 2}, Chunk{1, ~std::uint64_t{0}}}) {
    expect_refused([&](const ControlPacket& rts) {
      ControlPacket packet = answer(rts, PacketKind::cts);
      packet.header.bytes = chunk.bytes;
      packet.memory.offset = chunk.offset;
      return packet;
    });
  }
}

TEST(RequestNames, OldOnesFindNothing) {
  RequestNames names;
  RequestImpl first, second;
  const std::uint64_t one = names.add(first);
  const std::uint64_t two = names.add(second);
  EXPECT_NE(one, 0u);
  EXPECT_EQ(names.find(one), &first);
  EXPECT_EQ(names.find(two), &second);
  names.remove(one);
  EXPECT_EQ(names.find(one), nullptr);
  const std::uint64_t again = names.add(second);
  EXPECT_NE(again, one);
  EXPECT_EQ(names.find(one), nullptr);
  EXPECT_EQ(names.find(again), &second);
  for (const std::uint64_t none : {std::uint64_t{0}, std::uint64_t{2}, ~std::uint64_t{0}}) {
    EXPECT_EQ(names.find(none), nullptr);
  }
}

}  // namespace
}  // namespace castor_test
