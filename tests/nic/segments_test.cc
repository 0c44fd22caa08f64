// Regions of several segments, virtual MDHs, reserved regions, the list of a domain's regions.
#include <sys/mman.h>

#include "tests/nic/test_machine.h"

namespace nic_test {
namespace {

constexpr std::uint64_t page = 4096;

/// Pages, of which some are to be segments, in any order.
class Pages {
 public:
  explicit Pages(std::size_t count, unsigned seed) : bytes_(count * page) {
    void* const mapped =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    data_ = static_cast<std::byte*>(mapped);
    const auto random = random_bytes(bytes_, seed);
    std::memcpy(data_, random.data(), bytes_);
  }
  ~Pages() { munmap(data_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  std::byte* at(std::size_t number) const { return data_ + number * page; }
  std::uint64_t address(std::size_t number) const {
    return reinterpret_cast<std::uint64_t>(at(number));
  }

 private:
  std::size_t bytes_;
  std::byte* data_ = nullptr;
};

gni_return_t run_post(const Side& side, gni_post_descriptor_t& descriptor) {
  const bool fma = descriptor.type >= GNI_POST_FMA_PUT;
  const gni_return_t posted =
      fma ? GNI_PostFma(side.ep, &descriptor) : GNI_PostRdma(side.ep, &descriptor);
  return posted != GNI_RC_SUCCESS ? posted : complete(side, descriptor);
}

/// Every kind of transfer into and out of segments by offset: bytes land where they belong.
TEST(Segments, AreAddressedByOffset) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    const Pages pages(8, 77);
    gni_mem_segment_t segments[3] = {
        {pages.address(5), 2 * page}, {pages.address(1), page}, {pages.address(3), 1000}};
    gni_mem_handle_t handle = {};
    ASSERT_EQ(GNI_RC_SUCCESS,
              GNI_MemRegisterSegments(peer.nic, segments, 3, peer.rx, 0, no_index, &handle));
    for (const gni_post_type_t type : {GNI_POST_FMA_PUT, GNI_POST_RDMA_PUT}) {
      const auto data = random_bytes(10000, static_cast<unsigned>(type));
      std::memcpy(side.memory.data(), data.data(), data.size());
      auto put = side.descriptor(type, peer, 10000, 0, 0);
      put.cq_mode |= GNI_CQMODE_REMOTE_EVENT;
      put.remote_mem_hndl = handle;
      put.remote_addr = 3000;
      EXPECT_EQ(GNI_RC_SUCCESS, run_post(side, put));
      EXPECT_EQ(0, std::memcmp(pages.at(5) + 3000, data.data(), 5192));
      EXPECT_EQ(0, std::memcmp(pages.at(1), data.data() + 5192, 4096));
      EXPECT_EQ(0, std::memcmp(pages.at(3), data.data() + 9288, 712));
      gni_cq_entry_t event = 0;
      EXPECT_EQ(GNI_RC_SUCCESS, next_event(peer.rx, event));
    }
    for (const gni_post_type_t type : {GNI_POST_FMA_GET, GNI_POST_RDMA_GET}) {
      pages.at(1)[100] ^= std::byte{0xFF};
      auto get = side.descriptor(type, peer, 8192, 20000, 0);
      get.remote_mem_hndl = handle;
      get.remote_addr = 4096;
      EXPECT_EQ(GNI_RC_SUCCESS, run_post(side, get));
      EXPECT_EQ(0, std::memcmp(side.memory.data() + 20000, pages.at(6), 4096));
      EXPECT_EQ(0, std::memcmp(side.memory.data() + 24096, pages.at(1), 4096));
    }
    std::uint64_t word = 41;
    std::memcpy(pages.at(3) + 8, &word, sizeof word);
    auto add = side.descriptor(GNI_POST_AMO, peer, 8);
    add.amo_cmd = GNI_FMA_ATOMIC_ADD;
    add.first_operand = 1;
    add.remote_mem_hndl = handle;
    add.remote_addr = 3 * page + 8;
    EXPECT_EQ(GNI_RC_SUCCESS, run_post(side, add));
    std::memcpy(&word, pages.at(3) + 8, sizeof word);
    EXPECT_EQ(42U, word);
    // Beyond the last segment, and by virtual address: refused.
    auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 8);
    put.remote_mem_hndl = handle;
    for (const std::uint64_t address : {3 * page + 1000, pages.address(5)}) {
      put.remote_addr = address;
      EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, run_post(side, put));
    }
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemDeregister(peer.nic, &handle));
  });
}

TEST(Segments, AreALocalEnd) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    const Pages pages(4, 78);
    gni_mem_segment_t segments[2] = {{pages.address(2), page}, {pages.address(0), page}};
    gni_mem_handle_t handle = {};
    ASSERT_EQ(GNI_RC_SUCCESS,
              GNI_MemRegisterSegments(side.nic, segments, 2, nullptr, 0, no_index, &handle));
    auto put = side.descriptor(GNI_POST_RDMA_PUT, peer, 5000, 0, 0);
    put.local_mem_hndl = handle;
    put.local_addr = 1000;
    EXPECT_EQ(GNI_RC_SUCCESS, run_post(side, put));
    EXPECT_EQ(0, std::memcmp(peer.memory.data(), pages.at(2) + 1000, 3096));
    EXPECT_EQ(0, std::memcmp(peer.memory.data() + 3096, pages.at(0), 1904));
    for (const gni_post_type_t type : {GNI_POST_FMA_GET, GNI_POST_RDMA_GET}) {
      auto get = side.descriptor(type, peer, 8192, 0, 0);
      get.local_mem_hndl = handle;
      get.local_addr = 0;
      get.remote_addr = (peer.base() + 8003) / 4 * 4;
      EXPECT_EQ(GNI_RC_SUCCESS, run_post(side, get));
      const auto* from = reinterpret_cast<const std::byte*>(get.remote_addr);
      EXPECT_EQ(0, std::memcmp(pages.at(2), from, 4096));
      EXPECT_EQ(0, std::memcmp(pages.at(0), from + 4096, 4096));
      pages.at(0)[0] ^= std::byte{0xFF};
    }
  });
}

TEST(Segments, Codes) {
  run_rank([] {
    Side side(1);
    const Pages pages(4, 79);
    gni_mem_segment_t segments[2] = {{pages.address(2), page}, {pages.address(0), page}};
    gni_mem_handle_t handle = {1, 2};
    const auto add = [&](std::uint32_t count, std::uint32_t flags = 0) {
      return GNI_MemRegisterSegments(side.nic, segments, count, nullptr, flags, no_index, &handle);
    };
    EXPECT_EQ(GNI_RC_INVALID_PARAM, add(1));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, add(2, 0x80000000));
    EXPECT_EQ(GNI_RC_PERMISSION_ERROR, add(2, GNI_MEM_PHYS_SEGMENTS));
    segments[1].length = 0;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, add(2));
    segments[1].length = page;
    mprotect(pages.at(0), page, PROT_READ);
    EXPECT_EQ(GNI_RC_PERMISSION_ERROR, add(2));
    EXPECT_EQ(1U, handle.qword1);
    EXPECT_EQ(GNI_RC_SUCCESS, add(2, GNI_MEM_READ_ONLY));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemDeregister(side.nic, &handle));
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_MemRegisterSegments(nullptr, segments, 2, nullptr, 0, no_index, &handle));
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_MemRegisterSegments(side.nic, nullptr, 2, nullptr, 0, no_index, &handle));
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_MemRegisterSegments(side.nic, segments, 2, nullptr, 0, no_index, nullptr));
  });
}

/// Symmetric layouts: a handle of one region makes those of others, without an exchange.
TEST(VirtualMdh, IsChosenByTheProcess) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    gni_mem_handle_t handles[2] = {};
    const auto add = [&](std::uint32_t index, gni_mem_handle_t& handle) {
      return GNI_MemRegister(peer.nic, peer.base(), Side::memory_bytes, nullptr, GNI_MEM_USE_VMDH,
                             index, &handle);
    };
    EXPECT_EQ(GNI_RC_INVALID_PARAM, add(3, handles[0]));  // there are none
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SetMddResources(nullptr, 4));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SetMddResources(peer.nic, 0));
    EXPECT_EQ(GNI_RC_ERROR_NOMEM, GNI_SetMddResources(peer.nic, 5000));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SetMddResources(peer.nic, 4));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, add(4, handles[0]));
    ASSERT_EQ(GNI_RC_SUCCESS, add(3, handles[0]));
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, add(3, handles[1]));
    int yes = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemHndlQueryAttr(&handles[0], GNI_MEMHNDL_ATTR_VMDH, &yes));
    EXPECT_EQ(1, yes);
    EXPECT_EQ(3U, handles[0].qword1 >> 52);
    auto put = side.descriptor(GNI_POST_RDMA_PUT, peer, 5000, 0, 100);
    put.remote_mem_hndl = handles[0];
    EXPECT_EQ(GNI_RC_SUCCESS, run_post(side, put));
    EXPECT_EQ(0, std::memcmp(side.memory.data(), peer.memory.data() + 100, 5000));
    // Rebuilt for an index that has no region yet, then has one.
    gni_mem_handle_t rebuilt = {};
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_RebuildMemHndl(&handles[0], 1, &rebuilt));
    put.remote_mem_hndl = rebuilt;
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, run_post(side, put));
    ASSERT_EQ(GNI_RC_SUCCESS, add(1, handles[1]));
    EXPECT_EQ(handles[1].qword1, rebuilt.qword1);
    EXPECT_EQ(handles[1].qword2, rebuilt.qword2);
    put.remote_addr += 20000;
    EXPECT_EQ(GNI_RC_SUCCESS, run_post(side, put));
    // Made by the program, without an address: addresses count from the region's first page.
    gni_mem_handle_t made = {};
    constexpr std::uint64_t all_pages = (std::uint64_t{1} << 28) - 1;
    made.qword1 = std::uint64_t{1} << 52;
    made.qword2 = all_pages | std::uint64_t{12} << 28 | std::uint64_t{0x02} << 34;
    put.remote_mem_hndl = made;
    put.remote_addr = peer.base() % 4096 + 40000;
    side.memory[0] ^= std::byte{0xFF};
    for (const gni_post_type_t type : {GNI_POST_FMA_PUT, GNI_POST_RDMA_PUT}) {
      put.type = type;
      EXPECT_EQ(GNI_RC_SUCCESS, run_post(side, put));
      EXPECT_EQ(0, std::memcmp(side.memory.data(), peer.memory.data() + 40000, 5000));
      side.memory[1] ^= std::byte{0xFF};
    }
    put.remote_addr += Side::memory_bytes;
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, run_post(side, put));
    EXPECT_EQ(GNI_RC_INVALID_STATE, GNI_RebuildMemHndl(&peer.handle, 1, &rebuilt));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_RebuildMemHndl(nullptr, 1, &rebuilt));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_RebuildMemHndl(&handles[0], 4096, &rebuilt));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_RebuildMemHndl(&handles[0], 1, nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemDeregister(peer.nic, &handles[0]));
    EXPECT_EQ(GNI_RC_SUCCESS, add(3, handles[0]));
  });
}

TEST(ReservedRegion, GetsItsMemoryLater) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    gni_mem_handle_t handle = {};
    const auto add = [&](std::uint32_t flags) {
      return GNI_MemRegister(peer.nic, peer.base(), 8192, nullptr, flags, no_index, &handle);
    };
    EXPECT_EQ(GNI_RC_INVALID_PARAM, add(GNI_MEM_UPDATE_REGION));  // nothing was reserved
    EXPECT_EQ(GNI_RC_INVALID_PARAM, add(GNI_MEM_RESERVE_REGION | GNI_MEM_UPDATE_REGION));
    ASSERT_EQ(GNI_RC_SUCCESS, add(GNI_MEM_RESERVE_REGION));
    const std::uint64_t mdh = handle.qword1 >> 52;
    auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 500, 0, 100);
    put.remote_mem_hndl = handle;
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, run_post(side, put));
    ASSERT_EQ(GNI_RC_SUCCESS, add(GNI_MEM_UPDATE_REGION));
    EXPECT_EQ(mdh, handle.qword1 >> 52);
    put.remote_mem_hndl = handle;
    EXPECT_EQ(GNI_RC_SUCCESS, run_post(side, put));
    EXPECT_EQ(0, std::memcmp(side.memory.data(), peer.memory.data() + 100, 500));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, add(GNI_MEM_UPDATE_REGION));  // it has its memory
  });
}

TEST(QueryHandles, WalksADomainsRegions) {
  run_rank([] {
    Side side(1);
    Side other(2);
    gni_mem_handle_t more = {};
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_MemRegister(side.nic, side.base() + 4096, 100, nullptr,
                                              GNI_MEM_READ_ONLY, no_index, &more));
    gni_mem_handle_t handle = {};
    std::uint64_t address = 0;
    std::uint64_t length = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemQueryHndls(side.nic, 0, &handle, &address, &length));
    EXPECT_EQ(side.base(), address);
    EXPECT_EQ(std::uint64_t{Side::memory_bytes}, length);
    EXPECT_EQ(side.handle.qword1, handle.qword1);
    EXPECT_EQ(side.handle.qword2, handle.qword2);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemQueryHndls(side.nic, 0, &handle, &address, &length));
    EXPECT_EQ(side.base() + 4096, address);
    EXPECT_EQ(100U, length);
    EXPECT_EQ(more.qword2, handle.qword2);
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_MemQueryHndls(side.nic, 0, &handle, &address, &length));
    EXPECT_EQ(GNI_RC_INVALID_STATE,
              GNI_MemQueryHndls(side.nic, 0, &other.handle, &address, &length));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MemQueryHndls(nullptr, 0, &handle, &address, &length));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MemQueryHndls(side.nic, 0, nullptr, &address, &length));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MemQueryHndls(side.nic, 0, &handle, nullptr, &length));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MemQueryHndls(side.nic, 0, &handle, &address, nullptr));
  });
}

}  // namespace
}  // namespace nic_test
