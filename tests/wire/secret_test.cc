// What opens a libfabric endpoint's messages and memory to a peer: its secret, and keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "tests/wire/job_of_processes.h"
#include "ugni_emu/fabric/libfabric/libfabric_transport.h"

namespace wire_test {
namespace {

using ugni::fabric::Buffer;
using ugni::fabric::LibfabricTransport;
using ugni::fabric::Movement;
using ugni::fabric::Outcome;
using ugni::fabric::RemoteMemory;
using ugni::fabric::Secret;
using ugni::fabric::Transport;
using ugni::fabric::TransportClient;

class Client final : public TransportClient {
 public:
  std::vector<std::vector<std::byte>> messages;
  std::optional<bool> moved;

 private:
  void received(std::span<const std::byte> message, std::uint64_t) override {
    messages.emplace_back(message.begin(), message.end());
  }
  void movement_ended(Movement&, bool well) override { moved = well; }
  void send_failed(int) override { ADD_FAILURE() << "a send has failed"; }
};

/// Two processes' ends, whose doors let each other in; the second has been told another secret than
/// the first one's where `knows` is false.
class Ends {
 public:
  explicit Ends(bool knows) {
    std::vector<std::byte> address = first_.address();
    if (!knows) address.back() ^= std::byte{1};
    to_first_ = second_.add(address, 0);
    first_.add(second_.address(), 0);
    first_.all_added();
    second_.all_added();
  }
  void send(std::span<const std::byte> message) {
    Buffer& buffer = second_.take();
    std::copy(message.begin(), message.end(), buffer.bytes);
    buffer.size = message.size();
    Outcome outcome = Outcome::again;
    while (outcome == Outcome::again) {
      outcome = second_.send(to_first_, buffer);
      poll();
    }
    ASSERT_EQ(outcome, Outcome::done);
  }
  template <typename Happened>
  void until(const Happened& happened) {
    for (int i = 0; i < 1'000'000 && !happened(); ++i) poll();
    EXPECT_TRUE(happened());
  }
  /// What the second end is told of reading a word.
  bool reads(RemoteMemory memory, std::uint64_t& word) {
    Movement movement;
    received_.moved.reset();
    Outcome outcome = Outcome::again;
    while (outcome == Outcome::again) {
      outcome =
          second_.read(to_first_, std::as_writable_bytes(std::span(&word, 1)), memory, movement);
      poll();
    }
    until([&] { return received_.moved.has_value(); });
    return received_.moved == true;
  }

  LibfabricTransport& first() { return first_; }
  Client& client() { return client_; }

 private:
  void poll() {
    first_.poll(client_);
    second_.poll(received_);
  }
  LibfabricTransport first_{{"tcp;ofi_rxm", "", true, 1}};
  LibfabricTransport second_{{"tcp;ofi_rxm", "", true, 1}};
  Client client_;    ///< the first's
  Client received_;  ///< the second's
  Transport::Address to_first_ = 0;
};

TEST(Secret, WithoutItNothingOfAMessageIsLookedAt) {
  Ends ends(false);
  const std::vector<std::byte> random = random_bytes(8000, 5);
  const std::vector<std::size_t> sizes{0, 1, 7, 16, 100, 8000};
  for (const std::size_t size : sizes) ends.send(std::span(random).first(size));
  ends.until([&] { return ends.first().refused() == sizes.size(); });
  EXPECT_TRUE(ends.client().messages.empty());
}

TEST(Secret, WithItMessagesArriveAsTheyWere) {
  Ends ends(true);
  const std::vector<std::byte> random = random_bytes(8000, 5);
  for (const std::size_t size : {1, 7, 16, 100, 8000}) {
    const auto message = std::span(random).first(static_cast<std::size_t>(size));
    ends.send(message);
    ends.until([&] { return !ends.client().messages.empty(); });
    EXPECT_TRUE(std::equal(message.begin(), message.end(), ends.client().messages.at(0).begin(),
                           ends.client().messages.at(0).end()));
    ends.client().messages.clear();
  }
  EXPECT_EQ(ends.first().refused(), 0U);
}

/// A message arrives first, for a read makes no connection that could not be made otherwise.
TEST(Keys, AreNotThereToBeCounted) {
  Ends ends(true);
  constexpr std::uint64_t planted = 0x5345435245544B45;
  std::vector<std::uint64_t> memory(16, planted);
  auto* const bytes = reinterpret_cast<std::byte*>(memory.data());
  const auto region = ends.first().expose(bytes, memory.size() * sizeof planted);
  ASSERT_NE(region, nullptr);
  std::uint64_t word = 0;
  EXPECT_TRUE(ends.reads(region->remote(bytes), word));
  EXPECT_EQ(word, planted);
  for (std::uint64_t key = 0; key < 8; ++key) {
    word = 0;
    EXPECT_FALSE(ends.reads({region->remote(bytes).address, key}, word));
    EXPECT_EQ(word, 0U);
  }
}

}  // namespace
}  // namespace wire_test
