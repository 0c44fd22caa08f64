// The queues of a host: order, wrapping, room, and what a killed writer leaves.
#include "ugni_emu/fabric/host/host_queue.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "ugni_emu/fabric/host/host_transport.h"

namespace wire_test {
namespace {

using ugni::fabric::Buffer;
using ugni::fabric::HostQueue;
using ugni::fabric::HostQueueReader;
using ugni::fabric::HostQueueWriter;
using ugni::fabric::HostTransport;
using ugni::fabric::Outcome;

/// A message that says which one it is, all through.
std::vector<std::byte> message(std::size_t number, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(number * 31 + i * 7);
  return bytes;
}

bool equal(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

/// Shared with children, zero at first.
class Mapped {
 public:
  explicit Mapped(std::size_t bytes)
      : bytes_(bytes),
        at_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (at_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~Mapped() { munmap(at_, bytes_); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  std::byte* bytes() { return static_cast<std::byte*>(at_); }
  HostQueue::Shared& queue() { return *static_cast<HostQueue::Shared*>(at_); }

 private:
  std::size_t bytes_;
  void* at_;
};

TEST(HostQueue, AnEmptyOneHasNothing) {
  Mapped memory(sizeof(HostQueue::Shared));
  HostQueueReader reader(memory.queue());
  EXPECT_TRUE(reader.look().empty());
}

TEST(HostQueue, MessagesOfAllSizesComeInOrderThroughManyLaps) {
  Mapped memory(sizeof(HostQueue::Shared));
  HostQueueWriter writer(memory.queue());
  HostQueueReader reader(memory.queue());
  std::mt19937 random(7);
  std::size_t written = 0, read = 0;
  std::vector<std::size_t> sizes;
  while (read < 20000) {
    for (std::size_t burst = random() % 40; burst > 0; --burst) {
      const std::size_t size =
          random() % 3 == 0 ? 1 + random() % HostQueue::limit : 1 + random() % 400;
      if (!writer.write(message(written, size))) break;
      sizes.push_back(size);
      ++written;
    }
    for (std::size_t burst = random() % 40; burst > 0 && read < written; --burst) {
      const auto found = reader.look();
      ASSERT_TRUE(equal(found, message(read, sizes[read]))) << read << " of " << found.size();
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(found.data()) % ugni::fabric::message_alignment,
                0U);
      reader.next();
      ++read;
    }
    if (read == written) {
      ASSERT_TRUE(reader.look().empty());
    }
  }
}

TEST(HostQueue, AFullOneTakesNothingUntilSomethingHasBeenRead) {
  Mapped memory(sizeof(HostQueue::Shared));
  HostQueueWriter writer(memory.queue());
  HostQueueReader reader(memory.queue());
  constexpr std::size_t size = 8000;
  std::size_t written = 0;
  while (writer.write(message(written, size))) ++written;
  EXPECT_EQ(written, HostQueue::Shared::room / (size + HostQueue::line));
  EXPECT_FALSE(writer.write(message(0, size)));
  EXPECT_TRUE(equal(reader.look(), message(0, size)));
  EXPECT_FALSE(writer.write(message(0, size))) << "it is still being looked at";
  reader.next();
  EXPECT_TRUE(writer.write(message(written, size)));
  for (std::size_t i = 1; i <= written; ++i) {
    ASSERT_TRUE(equal(reader.look(), message(i, size))) << i;
    reader.next();
  }
  EXPECT_TRUE(reader.look().empty());
}

/// Data that looks like the words before messages is not taken for them.
TEST(HostQueue, WhatIsReadLeavesNothingBehind) {
  Mapped memory(sizeof(HostQueue::Shared));
  HostQueueWriter writer(memory.queue());
  HostQueueReader reader(memory.queue());
  const std::vector<std::byte> ones(5000, std::byte{1});
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(writer.write(ones));
    ASSERT_TRUE(equal(reader.look(), ones));
    reader.next();
    ASSERT_TRUE(reader.look().empty()) << i;
    ASSERT_TRUE(writer.write(std::span(ones).first(1)));
    reader.look();
    reader.next();
    ASSERT_TRUE(reader.look().empty()) << i;
  }
}

/// Another process writes and is killed at work: all that it has finished is there, in order, and
/// whole, and nothing else; others go on.
TEST(HostQueue, AKilledWriterLeavesOnlyWholeMessages) {
  for (unsigned round = 0; round < 20; ++round) {
    Mapped memory(HostTransport::memory_bytes(3));
    HostTransport transport(3, 0);
    transport.share(memory.bytes());
    const auto begin = [&](std::size_t own) {
      auto other = std::make_unique<HostTransport>(3, own);
      other->share(memory.bytes());
      other->add(transport.address(), getpid());
      return other;
    };
    const auto send = [](HostTransport& from, std::size_t number) {
      Buffer& buffer = from.take();
      const auto bytes = message(number, 1 + number * 37 % 8000);
      std::memcpy(buffer.bytes, bytes.data(), bytes.size());
      buffer.size = bytes.size();
      const Outcome outcome = from.send(0, buffer);
      if (outcome == Outcome::again) from.put_back(buffer);
      return outcome == Outcome::done;
    };
    const pid_t child = fork();
    if (child == 0) {
      const auto own = begin(1);
      for (std::size_t number = 0;;) number += send(*own, number) ? 1 : 0;
    }
    struct Client final : ugni::fabric::TransportClient {
      std::size_t from_killed = 0;
      std::size_t from_other = 0;
      bool other_next = false;
      bool well = true;
      void received(std::span<const std::byte> bytes, std::uint64_t /*from*/) override {
        std::size_t& number = other_next ? from_other : from_killed;
        well = well && equal(bytes, message(number, 1 + number * 37 % 8000));
        ++number;
      }
      void movement_ended(ugni::fabric::Movement&, bool) override {}
      void send_failed(int) override {}
    } client;
    std::mt19937 random(round);
    const std::size_t enough = 200 + random() % 200;
    while (client.from_killed < enough) transport.poll(client);
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    while (transport.poll(client)) {
    }
    ASSERT_TRUE(client.well) << round;
    client.other_next = true;
    const auto other = begin(2);
    for (std::size_t number = 0; number < 500; ++number) {
      ASSERT_TRUE(send(*other, number));
      ASSERT_TRUE(transport.poll(client));
    }
    EXPECT_EQ(client.from_other, 500U);
    EXPECT_TRUE(client.well);
  }
}

TEST(HostQueue, ManyWritersAreAllHeard) {
  constexpr std::size_t members = 200;
  Mapped memory(HostTransport::memory_bytes(members));
  HostTransport reader(members, 130);
  reader.share(memory.bytes());
  std::vector<std::unique_ptr<HostTransport>> writers(members);
  struct Client final : ugni::fabric::TransportClient {
    std::vector<int> heard = std::vector<int>(members);
    void received(std::span<const std::byte> bytes, std::uint64_t /*from*/) override {
      ++heard[static_cast<std::size_t>(bytes[0])];
    }
    void movement_ended(ugni::fabric::Movement&, bool) override {}
    void send_failed(int) override {}
  } client;
  for (std::size_t own = 0; own < members; ++own) {
    if (own == 130) continue;
    writers[own] = std::make_unique<HostTransport>(members, own);
    writers[own]->share(memory.bytes());
    writers[own]->add(reader.address(), getpid());
  }
  for (int round = 0; round < 3; ++round) {
    for (std::size_t own = 0; own < members; ++own) {
      if (own == 130) continue;
      Buffer& buffer = writers[own]->take();
      buffer.bytes[0] = static_cast<std::byte>(own);
      buffer.size = 1;
      ASSERT_EQ(writers[own]->send(130, buffer), Outcome::done);
    }
    while (reader.poll(client)) {
    }
  }
  for (std::size_t own = 0; own < members; ++own) EXPECT_EQ(client.heard[own], own == 130 ? 0 : 3);
}

}  // namespace
}  // namespace wire_test
