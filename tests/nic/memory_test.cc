// Memory registration: handles, bounds, permissions, stale handles.
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>

#include "tests/nic/test_machine.h"

namespace nic_test {
namespace {

TEST(MemoryTest, RegisterCodes) {
  run_rank([] {
    Side side(1);
    gni_mem_handle_t handle = {1, 2};
    const std::uint64_t at = side.base();
    auto reg = [&](gni_nic_handle_t nic, std::uint64_t address, std::uint64_t length,
                   gni_cq_handle_t queue, std::uint32_t flags) {
      return GNI_MemRegister(nic, address, length, queue, flags, no_index, &handle);
    };
    EXPECT_EQ(GNI_RC_INVALID_PARAM, reg(nullptr, at, 1, nullptr, 0));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, reg(side.nic, at, 0, nullptr, 0));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, reg(side.nic, 0, 10, nullptr, 0));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, reg(side.nic, at, ~std::uint64_t{0}, nullptr, 0));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, reg(side.nic, at, 1, nullptr, 0x80000000));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, reg(side.nic, at, 1, nullptr, GNI_MEM_USE_VMDH));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, reg(side.nic, at, 1, nullptr, GNI_MEM_CUDA));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, reg(side.nic, at, 1, side.tx, 0));  // serves local events
    EXPECT_EQ(GNI_RC_PERMISSION_ERROR, reg(side.nic, at, 1, nullptr, GNI_MEM_PHYS_CONT));
    EXPECT_EQ(1U, handle.qword1);  // untouched by failures
    EXPECT_EQ(2U, handle.qword2);
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_MemRegister(side.nic, at, 1, nullptr, 0, no_index, nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, reg(side.nic, at + 1, 1, nullptr, 0));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemDeregister(side.nic, &handle));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MemDeregister(side.nic, &handle));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MemDeregister(side.nic, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MemDeregister(nullptr, &side.handle));
  });
}

TEST(MemoryTest, PagesThatCannotBeReachedAreRefused) {
  run_rank([] {
    Side side(1);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    // Three pages: for reading and writing, for reading, for nothing.
    void* const mapped =
        mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(MAP_FAILED, mapped);
    auto* const pages = static_cast<std::byte*>(mapped);
    pages[page - 1] = std::byte{77};
    mprotect(pages + page, page, PROT_READ);
    mprotect(pages + 2 * page, page, PROT_NONE);
    gni_mem_handle_t handle = {1, 2};
    const auto reg = [&](std::size_t from, std::size_t to, std::uint32_t flags) {
      return GNI_MemRegister(side.nic, reinterpret_cast<std::uint64_t>(pages + from), to - from,
                             nullptr, flags, no_index, &handle);
    };
    EXPECT_EQ(GNI_RC_PERMISSION_ERROR, reg(page, 2 * page, GNI_MEM_READWRITE));
    EXPECT_EQ(GNI_RC_PERMISSION_ERROR, reg(0, page + 1, GNI_MEM_READWRITE));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, reg(page, 2 * page + 1, GNI_MEM_READ_ONLY));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, reg(2 * page, 3 * page, GNI_MEM_READWRITE));
    EXPECT_EQ(1U, handle.qword1);
    EXPECT_EQ(GNI_RC_SUCCESS, reg(0, page, GNI_MEM_READWRITE));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemDeregister(side.nic, &handle));
    EXPECT_EQ(GNI_RC_SUCCESS, reg(0, 2 * page, GNI_MEM_READ_ONLY));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemDeregister(side.nic, &handle));
    EXPECT_EQ(std::byte{77}, pages[page - 1]);
    munmap(mapped, 3 * page);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, reg(0, page, GNI_MEM_READWRITE));
  });
}

TEST(MemoryTest, RangesWithHolesAreRefused) {
  run_rank([] {
    Side side(1);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const mapped =
        mmap(nullptr, 5 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(MAP_FAILED, mapped);
    const auto base = reinterpret_cast<std::uint64_t>(mapped);
    gni_mem_handle_t handle = {};
    const auto reg = [&](std::uint64_t from, std::uint64_t to) {
      return GNI_MemRegister(side.nic, base + from, to - from, nullptr, GNI_MEM_READWRITE, no_index,
                             &handle);
    };
    ASSERT_EQ(GNI_RC_SUCCESS, reg(8, 5 * page - 8));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_MemDeregister(side.nic, &handle));
    munmap(static_cast<std::byte*>(mapped) + 2 * page, page);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, reg(8, 5 * page - 8));
    EXPECT_EQ(GNI_RC_SUCCESS, reg(8, 2 * page));
    munmap(mapped, 5 * page);
  });
}

/// False before Linux 6.11, which does not say what lies between a range's ends.
bool kernel_tells_of_mappings() {
  utsname kernel{};
  int major = 0;
  int minor = 0;
  uname(&kernel);
  std::sscanf(kernel.release, "%d.%d", &major, &minor);
  return major > 6 || (major == 6 && minor >= 11);
}

// A PUT there would end the owner, or whoever moves the data.
TEST(MemoryTest, PagesInBetweenCountToo) {
  if (!kernel_tells_of_mappings()) GTEST_SKIP() << "the kernel does not tell";
  run_rank([] {
    Side side(1);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const mapped =
        mmap(nullptr, 7 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(MAP_FAILED, mapped);
    auto* const pages = static_cast<std::byte*>(mapped);
    gni_mem_handle_t handle = {1, 2};
    const auto reg = [&](std::size_t from, std::size_t to, std::uint32_t flags) {
      return GNI_MemRegister(side.nic, reinterpret_cast<std::uint64_t>(pages + from), to - from,
                             nullptr, flags, no_index, &handle);
    };
    const auto good = [&](std::size_t from, std::size_t to, std::uint32_t flags) {
      EXPECT_EQ(GNI_RC_SUCCESS, reg(from, to, flags));
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemDeregister(side.nic, &handle));
    };
    // Never touched, in mappings of different kinds.
    mprotect(pages + 2 * page, page, PROT_READ | PROT_WRITE | PROT_EXEC);
    good(8, 7 * page - 8, GNI_MEM_READWRITE);
    mprotect(pages + 3 * page, page, PROT_READ);
    handle = {1, 2};
    EXPECT_EQ(GNI_RC_PERMISSION_ERROR, reg(0, 7 * page, GNI_MEM_READWRITE));
    EXPECT_EQ(GNI_RC_PERMISSION_ERROR, reg(3 * page - 1, 4 * page + 1, GNI_MEM_READWRITE));
    EXPECT_EQ(1U, handle.qword1);
    good(0, 3 * page, GNI_MEM_READWRITE);
    good(4 * page, 7 * page, GNI_MEM_READWRITE);
    good(0, 7 * page, GNI_MEM_READ_ONLY);
    mprotect(pages + 4 * page, page, PROT_NONE);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, reg(0, 7 * page, GNI_MEM_READWRITE));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, reg(0, 7 * page, GNI_MEM_READ_ONLY));
    munmap(mapped, 7 * page);
  });
}

TEST(MemoryTest, FourThousandNinetySixHandlesAndNoMore) {
  run_rank([] {
    Side side(1);
    std::vector<gni_mem_handle_t> handles;
    gni_mem_handle_t handle;
    gni_return_t result = GNI_RC_SUCCESS;
    while (true) {
      result = GNI_MemRegister(side.nic, side.base(), 100, nullptr, 0, no_index, &handle);
      if (result != GNI_RC_SUCCESS) break;
      handles.push_back(handle);
    }
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, result);
    EXPECT_EQ(4095U, handles.size());  // and the side's own
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemDeregister(side.nic, &handles[17]));
    EXPECT_EQ(GNI_RC_SUCCESS,
              GNI_MemRegister(side.nic, side.base(), 100, nullptr, 0, no_index, &handle));
  });
}

TEST(MemoryTest, HandleBits) {
  run_rank([] {
    Side side(1);
    const std::uint64_t mask = (std::uint64_t{1} << 52) - 1;
    EXPECT_EQ(side.base() >> 12, side.handle.qword1 & mask);
    const std::uint64_t pages =
        ((side.base() + Side::memory_bytes - 1) >> 12) - (side.base() >> 12) + 1;
    EXPECT_EQ(pages, side.handle.qword2 & 0xFFFFFFF);
    EXPECT_EQ(12U, side.handle.qword2 >> 28 & 0x3F);
    EXPECT_EQ(0U, side.handle.qword2 >> 34 & 0xFF);
  });
}

TEST(MemoryTest, QueryAttributes) {
  run_rank([] {
    Side side(1);
    gni_mem_handle_t read_only;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_MemRegister(side.nic, side.base(), 64, nullptr, GNI_MEM_READ_ONLY,
                                              no_index, &read_only));
    int yes = -1;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemHndlQueryAttr(&read_only, GNI_MEMHNDL_ATTR_READONLY, &yes));
    EXPECT_EQ(1, yes);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemHndlQueryAttr(&side.handle, GNI_MEMHNDL_ATTR_READONLY, &yes));
    EXPECT_EQ(0, yes);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemHndlQueryAttr(&side.handle, GNI_MEMHNDL_ATTR_VMDH, &yes));
    EXPECT_EQ(0, yes);
    gni_mem_handle_t nothing = {};
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_MemHndlQueryAttr(&nothing, GNI_MEMHNDL_ATTR_READONLY, &yes));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MemHndlQueryAttr(nullptr, GNI_MEMHNDL_ATTR_READONLY, &yes));
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_MemHndlQueryAttr(&read_only, GNI_MEMHNDL_ATTR_READONLY, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_MemHndlQueryAttr(&read_only, static_cast<gni_mem_handle_attr_t>(8), &yes));
  });
}

/// Ways to name memory that the target must refuse, and what the error text mentions.
struct Refusal {
  const char* name;
  std::function<void(gni_post_descriptor_t&, Side& peer)> spoil;
  const char* text;
};

TEST(MemoryTest, TheTargetRefusesAndNothingIsTouched) {
  const Refusal refusals[] = {
      {"stale handle",
       [](gni_post_descriptor_t&, Side& peer) { GNI_MemDeregister(peer.nic, &peer.handle); },
       "memory handle"},
      {"invented handle",
       [](gni_post_descriptor_t& d, Side&) {
         d.remote_mem_hndl = {0x123456, 0x789};
       },
       "memory handle"},
      {"beyond the end",
       [](gni_post_descriptor_t& d, Side& peer) {
         d.remote_addr = peer.base() + Side::memory_bytes - d.length + 4;
       },
       "outside"},
      {"before the start",
       [](gni_post_descriptor_t& d, Side& peer) { d.remote_addr = peer.base() - 4; }, "outside"},
      {"read-only",
       [](gni_post_descriptor_t& d, Side& peer) {
         GNI_MemRegister(peer.nic, peer.base(), 64000, nullptr, GNI_MEM_READ_ONLY, no_index,
                         &d.remote_mem_hndl);
       },
       "permit"}};
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.name);
    run_rank([&] {
      Side side(1);
      Side peer(2);
      side.bind(peer);
      const auto before = peer.memory;
      auto put = side.descriptor(GNI_POST_RDMA_PUT, peer, 2500);  // three segments
      refusal.spoil(put, peer);
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(side.ep, &put));
      gni_cq_entry_t entry = 0;
      EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, next_event(side.tx, entry));
      EXPECT_FALSE(GNI_CQ_STATUS_OK(entry));
      char text[256];
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqErrorStr(entry, text, sizeof text));
      EXPECT_NE(nullptr, std::strstr(text, refusal.text)) << text;
      std::uint32_t recoverable = 9;
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqErrorRecoverable(entry, &recoverable));
      EXPECT_EQ(0U, recoverable);
      gni_post_descriptor_t* found = nullptr;
      EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, GNI_GetCompleted(side.tx, entry, &found));
      EXPECT_EQ(&put, found);
      EXPECT_EQ(before, peer.memory);
      EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqGetEvent(side.tx, &entry));
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpUnbind(side.ep));
    });
  }
}

TEST(MemoryTest, AGetMayReadReadOnlyMemory) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    auto get = side.descriptor(GNI_POST_RDMA_GET, peer, 2500 / 4 * 4);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_MemRegister(peer.nic, peer.base(), 64000, nullptr,
                                              GNI_MEM_READ_ONLY, no_index, &get.remote_mem_hndl));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(side.ep, &get));
    EXPECT_EQ(GNI_RC_SUCCESS, complete(side, get));
    EXPECT_EQ(0, std::memcmp(side.memory.data(), peer.memory.data(), 2500));
  });
}

TEST(MemoryTest, RegistrationCostsByPage) {
  if (live()) GTEST_SKIP() << "live it costs what it costs";
  corespec::Parameters parameters = free_software();
  parameters.register_base = Time::microseconds(5);
  parameters.register_page = Time::nanoseconds(250);
  parameters.deregister = Time::microseconds(2);
  run_rank(
      [] {
        Side side(1);
        const Time start = now();
        gni_mem_handle_t handle;
        // 4,098 bytes: two pages' worth, wherever they begin.
        const std::uint64_t page = (side.base() + 8191) / 4096 * 4096;
        ASSERT_EQ(GNI_RC_SUCCESS,
                  GNI_MemRegister(side.nic, page - 1, 4098, nullptr, 0, no_index, &handle));
        EXPECT_EQ(Time::nanoseconds(5500).ps(), (now() - start).ps());
        ASSERT_EQ(GNI_RC_SUCCESS, GNI_MemDeregister(side.nic, &handle));
        EXPECT_EQ(Time::nanoseconds(7500).ps(), (now() - start).ps());
      },
      parameters);
}

}  // namespace
}  // namespace nic_test
