// FMA and RDMA posts: codes, data, events, atomics.
#include <type_traits>

#include "tests/nic/test_machine.h"
#include "ugni_emu/include/dmapp.h"

namespace nic_test {
namespace {

TEST(PostTest, BadParameters) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 64);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostFma(side.ep, &put));  // not bound
    side.bind(peer);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostFma(nullptr, &put));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostFma(side.ep, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostRdma(side.ep, &put));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostRdma(side.ep, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostCqWrite(side.ep, &put));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostCqWrite(side.ep, nullptr));
    for (gni_post_type_t type : {GNI_POST_FMA_PUT, GNI_POST_FMA_GET, GNI_POST_RDMA_PUT,
                                 GNI_POST_RDMA_GET, GNI_POST_FMA_PUT_W_SYNCFLAG}) {
      SCOPED_TRACE(type);
      auto spoil = [&](auto change) {
        auto descriptor = side.descriptor(type, peer, 64);
        descriptor.sync_flag_addr = peer.base() & ~std::uint64_t{7};
        change(descriptor);
        return post(side, descriptor);
      };
      using D = gni_post_descriptor_t;
      EXPECT_EQ(GNI_RC_INVALID_PARAM, spoil([](D& d) { d.cq_mode = 8; }));
      EXPECT_EQ(GNI_RC_INVALID_PARAM, spoil([](D& d) { d.cq_mode = GNI_CQMODE_DUAL_EVENTS; }));
      EXPECT_EQ(GNI_RC_INVALID_PARAM, spoil([](D& d) { d.dlvr_mode = 0x200; }));
      EXPECT_EQ(GNI_RC_INVALID_PARAM, spoil([](D& d) { d.local_addr = 0; }));
      EXPECT_EQ(GNI_RC_INVALID_PARAM, spoil([](D& d) { d.length = std::uint64_t{1} << 32; }));
      EXPECT_EQ(GNI_RC_INVALID_PARAM, spoil([&](D& d) { d.src_cq_hndl = peer.tx; }));
      EXPECT_EQ(GNI_RC_INVALID_PARAM, spoil([&](D& d) { d.src_cq_hndl = side.rx; }));
      const bool get = type == GNI_POST_FMA_GET || type == GNI_POST_RDMA_GET;
      const bool rdma = type == GNI_POST_RDMA_PUT || type == GNI_POST_RDMA_GET;
      if (get || rdma) {
        EXPECT_EQ(GNI_RC_INVALID_PARAM, spoil([](D& d) { d.length = 0; }));
      }
      if (get) {
        EXPECT_EQ(GNI_RC_ALIGNMENT_ERROR, spoil([](D& d) { d.local_addr += 2; }));
        EXPECT_EQ(GNI_RC_ALIGNMENT_ERROR, spoil([](D& d) { d.remote_addr += 1; }));
        EXPECT_EQ(GNI_RC_ALIGNMENT_ERROR, spoil([](D& d) { d.length = 63; }));
      }
      if (get || rdma) {
        EXPECT_EQ(GNI_RC_INVALID_PARAM, spoil([](D& d) { d.local_mem_hndl = {}; }));
        EXPECT_EQ(GNI_RC_INVALID_PARAM, spoil([](D& d) { d.local_addr -= 4; }));
      }
      if (rdma) {
        EXPECT_EQ(GNI_RC_INVALID_PARAM, spoil([](D& d) { d.rdma_mode = 8; }));
        EXPECT_EQ(GNI_RC_PERMISSION_ERROR,
                  spoil([](D& d) { d.rdma_mode = GNI_RDMAMODE_PHYS_ADDR; }));
      }
      if (type == GNI_POST_FMA_PUT_W_SYNCFLAG) {
        EXPECT_EQ(GNI_RC_ALIGNMENT_ERROR, spoil([](D& d) { d.sync_flag_addr += 4; }));
      }
    }
    for (gni_post_type_t type : {GNI_POST_CE, GNI_POST_FMA_GET_W_FLAG, GNI_POST_AMO_W_FLAG}) {
      auto aries = side.descriptor(type, peer, 8);
      EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostFma(side.ep, &aries));
    }
    gni_mem_handle_t read_only;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_MemRegister(side.nic, side.base(), 64, nullptr, GNI_MEM_READ_ONLY,
                                              0, &read_only));
    auto get = side.descriptor(GNI_POST_RDMA_GET, peer, 64);
    get.local_mem_hndl = read_only;
    EXPECT_EQ(GNI_RC_PERMISSION_ERROR, GNI_PostRdma(side.ep, &get));
    get.type = GNI_POST_FMA_GET;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostFma(side.ep, &get));
  });
}

// An enumeration of the interface holds whatever a program gives: it is read before it is refused.
// (Without a type of its own it would hold what its names need: undefined behaviour else.)
static_assert(std::is_same_v<std::underlying_type_t<gni_fma_cmd_type_t>, int>);
static_assert(std::is_same_v<std::underlying_type_t<gni_post_type_t>, int>);
static_assert(std::is_same_v<std::underlying_type_t<gni_smsg_type_t>, int>);
static_assert(std::is_same_v<std::underlying_type_t<gni_dev_res_t>, int>);
static_assert(std::is_same_v<std::underlying_type_t<gni_job_res_t>, int>);
static_assert(std::is_same_v<std::underlying_type_t<gni_statistic_t>, int>);
static_assert(std::is_same_v<std::underlying_type_t<dmapp_type_t>, int>);

TEST(PostTest, CommandsAndTypesThatAreNone) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    for (const int none : {-1, 0, 0x7, 0x20, 0x1000, 0x7FFFFFFF, static_cast<int>(0x80000008)}) {
      SCOPED_TRACE(none);
      auto amo = side.descriptor(GNI_POST_AMO, peer, 8);
      std::memcpy(&amo.amo_cmd, &none, sizeof none);
      EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostFma(side.ep, &amo));
      auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 8);
      std::memcpy(&put.type, &none, sizeof none);
      EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostFma(side.ep, &put));
      EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostRdma(side.ep, &put));
      gni_dev_res_desc_t resources;
      EXPECT_EQ(GNI_RC_INVALID_PARAM,
                GNI_GetDevResInfo(0, static_cast<gni_dev_res_t>(0x1000 | none), &resources));
    }
  });
}

TEST(PostTest, NoQueueNoEvent) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    gni_ep_handle_t ep = nullptr;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(side.nic, nullptr, &ep));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpBind(ep, peer.address, peer.instance));
    auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 64);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostFma(ep, &put));
    put.src_cq_hndl = side.tx;  // the descriptor may name one
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(ep, &put));
    EXPECT_EQ(GNI_RC_SUCCESS, complete(side, put));
  });
}

TEST(PostTest, DataArriveWholeAndWhereTheyShould) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    std::mt19937 generator(3);
    for (int round = 0; round < 60; ++round) {
      const gni_post_type_t types[] = {GNI_POST_FMA_PUT, GNI_POST_FMA_GET, GNI_POST_RDMA_PUT,
                                       GNI_POST_RDMA_GET};
      const gni_post_type_t type = types[generator() % 4];
      const bool get = type == GNI_POST_FMA_GET || type == GNI_POST_RDMA_GET;
      const std::uint64_t unit = get ? 4 : 1;
      const std::uint64_t length = (generator() % 6000 + 1) * unit;
      const std::uint64_t from = generator() % 8000 * unit;
      const std::uint64_t to = generator() % 8000 * unit;
      auto descriptor = side.descriptor(type, peer, length, from, to);
      auto expected_peer = peer.memory;
      auto expected_side = side.memory;
      if (get) {
        std::memcpy(expected_side.data() + from, peer.memory.data() + to, length);
      } else {
        std::memcpy(expected_peer.data() + to, side.memory.data() + from, length);
      }
      ASSERT_EQ(GNI_RC_SUCCESS, post(side, descriptor));
      ASSERT_EQ(GNI_RC_SUCCESS, complete(side, descriptor));
      ASSERT_EQ(expected_peer, peer.memory);
      ASSERT_EQ(expected_side, side.memory);
    }
  });
}

TEST(PostTest, FmaPutCapturesItsSourceRdmaPutDoesNot) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    const auto original = side.memory;
    auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 1500);
    ASSERT_EQ(GNI_RC_SUCCESS, post(side, put));
    std::fill(side.memory.begin(), side.memory.end(), std::byte{0});
    EXPECT_EQ(GNI_RC_SUCCESS, complete(side, put));
    EXPECT_EQ(0, std::memcmp(original.data(), peer.memory.data(), 1500));
    auto rdma = side.descriptor(GNI_POST_RDMA_PUT, peer, 1500);
    looking([&] {  // before the engine reads
      ASSERT_EQ(GNI_RC_SUCCESS, post(side, rdma));
      std::fill(side.memory.begin(), side.memory.end(), std::byte{0x77});
    });
    EXPECT_EQ(GNI_RC_SUCCESS, complete(side, rdma));
    EXPECT_EQ(0, std::memcmp(side.memory.data(), peer.memory.data(), 1500));
  });
}

TEST(PostTest, TargetMemoryChangesAtTheModelledTime) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    const auto before = peer.memory;
    const Time start = now();
    auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 500);
    ASSERT_EQ(GNI_RC_SUCCESS, post(side, put));
    const Time posted = now();
    sleep_until(start + test_us(1.499));
    EXPECT_TRUE(is_before(start + test_us(1.5), true,
                          [&] { return looking([&] { return before == peer.memory; }); }));
    sleep_until(posted + test_us(1.501));
    EXPECT_EQ(0, std::memcmp(side.memory.data(), peer.memory.data(), 500));
    EXPECT_TRUE(is_before(start + test_us(2.5), GNI_RC_NOT_DONE,  // the answer takes 1 us more
                          [&] { return GNI_CqTestEvent(side.tx); }));
    sleep_until(posted + test_us(2.501));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqTestEvent(side.tx));
  });
}

TEST(PostTest, LocalComesBeforeGlobalAndBothWithDualEvents) {
  run_rank([] {
    Side side(1, GNI_CDM_MODE_DUAL_EVENTS);
    Side peer(2);
    side.bind(peer);
    auto put = side.descriptor(GNI_POST_RDMA_PUT, peer, 500);
    put.cq_mode = GNI_CQMODE_DUAL_EVENTS;
    const Time start = now();
    ASSERT_EQ(GNI_RC_SUCCESS, post(side, put));
    gni_cq_entry_t entry = 0;
    sleep_until(start + test_us(1.501));  // startup + bytes
    EXPECT_EQ(GNI_RC_SUCCESS, complete(side, put));
    EXPECT_EQ(GNI_CQMODE_LOCAL_EVENT, put.cq_mode_complete);
    EXPECT_TRUE(
        is_before(start + test_us(3.5), GNI_RC_NOT_DONE, [&] { return GNI_CqTestEvent(side.tx); }));
    sleep_until(start + test_us(3.501));
    EXPECT_EQ(GNI_RC_SUCCESS, complete(side, put));
    EXPECT_EQ(GNI_CQMODE_DUAL_EVENTS, put.cq_mode_complete);
    EXPECT_EQ(static_cast<std::uint64_t>(GNI_RC_SUCCESS), put.status);
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqGetEvent(side.tx, &entry));
  });
}

TEST(PostTest, FailureAfterTheLocalEventIsStillReported) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 500);
    put.cq_mode = GNI_CQMODE_LOCAL_EVENT;
    put.remote_mem_hndl = {1, 1};
    ASSERT_EQ(GNI_RC_SUCCESS, post(side, put));
    EXPECT_EQ(GNI_RC_SUCCESS, complete(side, put));
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, complete(side, put));
    auto silent = put;
    silent.cq_mode = GNI_CQMODE_SILENT;
    ASSERT_EQ(GNI_RC_SUCCESS, post(side, silent));
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, complete(side, silent));
  });
}

TEST(PostTest, NobodyThere) {
  run_rank([] {
    Side side(1);
    for (std::uint32_t address : {0U, 3U}) {  // a NIC without such a region; no NIC at all
      gni_ep_handle_t ep = nullptr;
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(side.nic, side.tx, &ep));
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpBind(ep, address, 1));
      auto put = side.descriptor(GNI_POST_FMA_PUT, side, 500);
      put.remote_mem_hndl.qword1 ^= std::uint64_t{0x800} << 52;
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(ep, &put));
      EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, complete(side, put));
    }
  });
}

TEST(PostTest, SyncFlagFollowsTheData) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    auto put = side.descriptor(GNI_POST_FMA_PUT_W_SYNCFLAG, peer, 3000, 0, 8);
    put.sync_flag_addr = (peer.base() + 4000) & ~std::uint64_t{7};
    put.sync_flag_value = 0x1122334455667788;
    auto flag = [&] {
      return looking([&] {
        std::uint64_t value = 0;
        std::memcpy(&value, reinterpret_cast<void*>(put.sync_flag_addr), 8);
        return value;
      });
    };
    ASSERT_EQ(GNI_RC_SUCCESS, post(side, put));
    while (flag() != put.sync_flag_value) sleep_us(0.05);
    EXPECT_EQ(0, std::memcmp(side.memory.data(), peer.memory.data() + 8, 3000));
    EXPECT_EQ(GNI_RC_SUCCESS, complete(side, put));
    // A flag outside the region: neither data nor flag.
    const auto before = peer.memory;
    std::reverse(side.memory.begin(), side.memory.end());
    put.sync_flag_addr = (peer.base() + Side::memory_bytes + 64) & ~std::uint64_t{7};
    ASSERT_EQ(GNI_RC_SUCCESS, post(side, put));
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, complete(side, put));
    EXPECT_EQ(before, peer.memory);
  });
}

// As GASNet's messages without data are.
TEST(PostTest, SyncFlagAlone) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    auto put = side.descriptor(GNI_POST_FMA_PUT_W_SYNCFLAG, peer, 0);
    put.cq_mode = GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT;
    put.sync_flag_addr = (peer.base() + 4000) & ~std::uint64_t{7};
    put.sync_flag_value = 0x1122334455667788;
    const auto words = [&] {
      std::vector<std::byte> expected(peer.memory.begin(), peer.memory.end());
      std::memcpy(expected.data() + (put.sync_flag_addr - peer.base()), &put.sync_flag_value, 8);
      return expected;
    };
    for (const std::uint64_t address : {peer.base(), std::uint64_t{0}}) {
      put.local_addr = put.remote_addr = address;
      ++put.sync_flag_value;
      const std::vector<std::byte> expected = words();
      ASSERT_EQ(GNI_RC_SUCCESS, post(side, put));
      EXPECT_EQ(GNI_RC_SUCCESS, complete(side, put));
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), peer.memory.begin()));
      gni_cq_entry_t entry = 0;
      EXPECT_EQ(GNI_RC_SUCCESS, next_event(peer.rx, entry));
    }
    put.sync_flag_addr = (peer.base() + Side::memory_bytes + 64) & ~std::uint64_t{7};
    ASSERT_EQ(GNI_RC_SUCCESS, post(side, put));
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, complete(side, put));
  });
}

TEST(PostTest, AtomicOperations) {
  struct Case {
    gni_fma_cmd_type_t command;
    std::uint64_t first, second, expected;
    bool fetches;
  };
  constexpr std::uint64_t old = 0xF0F0;
  const Case cases[] = {{GNI_FMA_ATOMIC_FADD, 5, 0, old + 5, true},
                        {GNI_FMA_ATOMIC_ADD, 5, 0, old + 5, false},
                        {GNI_FMA_ATOMIC_FAND, 0xFF00, 0, 0xF000, true},
                        {GNI_FMA_ATOMIC_OR_C, 0x000F, 0, 0xF0FF, false},
                        {GNI_FMA_ATOMIC_FXOR_C, 0xFFFF, 0, 0x0F0F, true},
                        {GNI_FMA_ATOMIC_AX, 0xFF00, 0x1, 0xF001, false},
                        {GNI_FMA_ATOMIC_CSWAP, old, 9, 9, true},
                        {GNI_FMA_ATOMIC_CSWAP, 1, 9, old, true}};
  run_rank([&] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    auto* word = reinterpret_cast<std::uint64_t*>((peer.base() + 15) & ~std::uint64_t{7});
    auto* result = reinterpret_cast<std::uint64_t*>((side.base() + 15) & ~std::uint64_t{7});
    for (const Case& c : cases) {
      SCOPED_TRACE(c.command);
      *word = old;
      *result = 1;
      auto amo = side.descriptor(GNI_POST_AMO, peer, 8);
      amo.remote_addr = reinterpret_cast<std::uint64_t>(word);
      amo.local_addr = reinterpret_cast<std::uint64_t>(result);
      amo.amo_cmd = c.command;
      amo.first_operand = c.first;
      amo.second_operand = c.second;
      ASSERT_EQ(GNI_RC_SUCCESS, post(side, amo));
      ASSERT_EQ(GNI_RC_SUCCESS, complete(side, amo));
      EXPECT_EQ(c.expected, *word);
      EXPECT_EQ(c.fetches ? old : 1, *result);
      amo.length = 4;
      EXPECT_EQ(GNI_RC_INVALID_PARAM, post(side, amo));
      amo.length = 8;
      amo.remote_addr += 4;
      EXPECT_EQ(GNI_RC_ALIGNMENT_ERROR, post(side, amo));
      amo.amo_cmd = GNI_FMA_ATOMIC2_FFPADD;  // Aries only
      EXPECT_EQ(GNI_RC_INVALID_PARAM, post(side, amo));
    }
  });
}

}  // namespace
}  // namespace nic_test
