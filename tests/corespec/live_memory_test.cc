// Node memory of processes: by name, by rank, and what dead processes leave behind.
#include <sys/mman.h>
#include <sys/stat.h>

#include <csignal>
#include <cstring>
#include <random>
#include <stdexcept>

#include "tests/corespec/live_rig.h"
#include "tests/support/unmapped_memory.h"

namespace castor_test {
namespace {

using corespec::SharedNodeMemory;
using corespec::Signal;

std::vector<std::byte> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(count);
  for (std::byte& each : bytes) each = static_cast<std::byte>(random());
  return bytes;
}

/// Words that a test's processes share apart from what is tested.
struct Shared {
  Shared()
      : words(static_cast<std::atomic<std::uint64_t>*>(
            mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~Shared() { munmap(words, 4096); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  std::atomic<std::uint64_t>& operator[](int i) const { return words[i]; }
  std::atomic<std::uint64_t>* words;
};

TEST(LiveMemoryTest, ProcessesFindTheSameBytesByName) {
  const NodeFile file;
  const auto memory = file.open();
  const std::vector<std::byte> first = random_bytes(100'003, 1);
  const std::vector<std::byte> second = random_bytes(70'001, 2);
  std::byte* a = memory->segment("first", first.size());
  EXPECT_EQ(a[0], std::byte{0});
  EXPECT_EQ(a[first.size() - 1], std::byte{0});
  std::memcpy(a, first.data(), first.size());
  const pid_t child = in_child([&] {
    const auto own = file.open();
    std::byte* there = own->segment("first", first.size());
    EXPECT_NE(there, a);
    EXPECT_EQ(std::memcmp(there, first.data(), first.size()), 0);
    std::memcpy(own->segment("second", second.size()), second.data(), second.size());
    own->signal("bell").notify();
    own->signal("bell").notify();
    EXPECT_THROW(own->segment("first", 5), std::invalid_argument);
  });
  ASSERT_EQ(wait_for(child), 0);
  EXPECT_EQ(std::memcmp(memory->segment("second", second.size()), second.data(), second.size()), 0);
  EXPECT_EQ(std::memcmp(a, first.data(), first.size()), 0);
  EXPECT_EQ(memory->signal("bell").epoch(), 2U);
  EXPECT_EQ(memory->signal("other").epoch(), 0U);
  EXPECT_EQ(&memory->signal("bell"), &memory->signal("bell"));
  EXPECT_EQ(memory->segment("first", first.size()), a);
}

TEST(LiveMemoryTest, WhatNobodyTouchesIsNotThere) {
  const NodeFile file;
  const auto memory = file.open();
  constexpr std::size_t large = std::size_t{64} << 30;
  std::byte* base = memory->segment("large", large);
  base[0] = std::byte{1};
  base[large - 1] = std::byte{2};
  struct stat status {};
  ASSERT_EQ(fstat(file.fd, &status), 0);
  EXPECT_GE(status.st_size, static_cast<off_t>(large));
  EXPECT_LT(status.st_blocks * 512, 1 << 20);
}

TEST(LiveMemoryTest, RemovedNamesAreFreeAgainAndEmpty) {
  const NodeFile file;
  const auto memory = file.open();
  const auto other = file.open();
  std::byte* base = memory->segment("gone", 100'000);
  base[7] = std::byte{7};
  std::byte* seen = other->segment("gone", 100'000);
  EXPECT_EQ(seen[7], std::byte{7});
  memory->remove("gone");
  memory->remove("never was");
  // Another size under that name, for both, although one of them still knows the old one.
  std::byte* fresh = other->segment("gone", 5000);
  EXPECT_EQ(fresh[7], std::byte{0});
  fresh[8] = std::byte{8};
  EXPECT_EQ(memory->segment("gone", 5000)[8], std::byte{8});
  EXPECT_EQ(seen[7], std::byte{0});  // still mapped, nothing in it
  memory->signal("gone").notify();
  EXPECT_EQ(other->signal("gone").epoch(), 1U);
  struct stat status {};
  ASSERT_EQ(fstat(file.fd, &status), 0);
  EXPECT_LT(status.st_blocks * 512, 100'000);
}

TEST(LiveMemoryTest, ManyProcessesAskAtOnce) {
  const NodeFile file;
  constexpr int processes = 4;
  constexpr int names = 40;
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    children.push_back(in_child([&] {
      const auto own = file.open();
      for (int name = 0; name < names; ++name) {
        const std::size_t bytes = sizeof(std::uint64_t) * static_cast<std::size_t>(name + 1);
        std::byte* base = own->segment("s" + std::to_string(name), bytes);
        reinterpret_cast<std::atomic<std::uint64_t>*>(base)[name].fetch_add(1);
        own->signal("n" + std::to_string(name)).notify();
      }
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  const auto memory = file.open();
  for (int name = 0; name < names; ++name) {
    const std::size_t bytes = sizeof(std::uint64_t) * static_cast<std::size_t>(name + 1);
    std::byte* base = memory->segment("s" + std::to_string(name), bytes);
    EXPECT_EQ(reinterpret_cast<std::atomic<std::uint64_t>*>(base)[name].load(), processes);
    EXPECT_EQ(memory->signal("n" + std::to_string(name)).epoch(), processes);
  }
}

TEST(LiveMemoryTest, AProcessThatDiesBusyDoesNotStopTheOthers) {
  const NodeFile file;
  const auto memory = file.open();
  for (int round = 0; round < 20; ++round) {
    const Shared shared;
    const pid_t child = in_child([&] {
      const auto own = file.open();
      for (int i = 0;; ++i) {
        own->segment("busy." + std::to_string(i), 10);
        own->remove("busy." + std::to_string(i));
        shared[0] = static_cast<std::uint64_t>(i);
      }
    });
    until([&] { return shared[0] > 5; });
    kill(child, SIGKILL);
    EXPECT_EQ(wait_for(child), -SIGKILL);
    memory->segment("after." + std::to_string(round), 10)[0] = std::byte{1};
  }
}

TEST(LiveMemoryTest, NamesThatAreTooLongAndMemoryThatIsNotThereAreNamed) {
  const NodeFile file;
  const auto memory = file.open();
  EXPECT_THROW(memory->segment(std::string(80, 'x'), 10), std::invalid_argument);
  memory->segment(std::string(79, 'x'), 10);
  try {
    SharedNodeMemory none(getpid(), 987654, {0}, {getpid()});
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/fd/987654"), std::string::npos);
  }
}

TEST(LiveMemoryTest, RanksReadEachOthersOwnMemory) {
  const Shared shared;
  const NodeFile file;
  std::vector<std::byte> theirs(3'000'017);
  const pid_t child = in_child([&] {
    const auto own = file.open({4, 9});
    const std::vector<std::byte> bytes = random_bytes(theirs.size(), 5);
    shared[1] = reinterpret_cast<std::uint64_t>(bytes.data());
    shared[0] = 1;
    until([&] { return shared[0] == 2; });
  });
  const auto memory = file.open({4, 9}, {getpid(), child});
  until([&] { return shared[0] == 1; });
  const auto* there = reinterpret_cast<const std::byte*>(shared[1].load());
  memory->copy_from_rank(9, theirs.data(), there, theirs.size());
  EXPECT_EQ(theirs, random_bytes(theirs.size(), 5));
  const std::vector<std::byte> mine = random_bytes(1000, 6);
  memory->copy_from_rank(4, theirs.data(), mine.data(), mine.size());
  EXPECT_EQ(std::memcmp(theirs.data(), mine.data(), mine.size()), 0);
  memory->copy_from_rank(9, theirs.data(), there, 0);
  EXPECT_THROW(memory->copy_from_rank(5, theirs.data(), there, 1), std::runtime_error);
  try {
    memory->copy_from_rank(9, theirs.data(), nullptr, 10);
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("rank 9 has no memory at 0x0"), std::string::npos);
  }
  // But this process's own memory, if it is not there, is a fault as any other.
  EXPECT_DEATH(memory->copy_from_rank(9, static_cast<std::byte*>(unmapped_memory()), there, 10000),
               "");
  shared[0] = 2;
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_THROW(memory->copy_from_rank(9, theirs.data(), there, 10), std::runtime_error);
}

}  // namespace
}  // namespace castor_test
