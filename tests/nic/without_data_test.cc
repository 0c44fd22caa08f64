// Transfers of memory without data: between two such ranges they succeed and move nothing, between
// one and ordinary memory they fail and change nothing.
#include "corespec/host/without_data.h"
#include "tests/nic/test_machine.h"

namespace nic_test {
namespace {

namespace without_data = corespec::without_data;

constexpr std::uint64_t range_bytes = 1 << 20;

/// The range's first megabyte as memory of a side's.
gni_mem_handle_t range_of(const Side& side) {
  gni_mem_handle_t handle = {};
  EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemRegister(side.nic, without_data::first_address, range_bytes,
                                            side.rx, GNI_MEM_READWRITE, no_index, &handle));
  return handle;
}

/// The transfer's error is that of the two kinds of memory.
void expect_refused(const Side& side, gni_post_descriptor_t& descriptor) {
  ASSERT_EQ(GNI_RC_SUCCESS, post(side, descriptor));
  gni_cq_entry_t entry = 0;
  ASSERT_EQ(GNI_RC_TRANSACTION_ERROR, next_event(side.tx, entry));
  char text[256] = "";
  EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqErrorStr(entry, text, sizeof text));
  EXPECT_EQ(std::string(text).find("transaction error: memory without data"), 0U) << text;
  gni_post_descriptor_t* found = nullptr;
  EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, GNI_GetCompleted(side.tx, entry, &found));
}

TEST(WithoutDataTest, TransfersAreBetweenTwoRangesOfOneKind) {
  ASSERT_TRUE(without_data::reserve());
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    const gni_mem_handle_t own = range_of(side);
    const gni_mem_handle_t others = range_of(peer);
    const auto before = std::pair(side.memory, peer.memory);
    for (gni_post_type_t type :
         {GNI_POST_FMA_PUT, GNI_POST_FMA_GET, GNI_POST_RDMA_PUT, GNI_POST_RDMA_GET}) {
      for (const std::uint64_t length : {8, 1500, 60000}) {
        SCOPED_TRACE(testing::Message() << type << ", " << length << " bytes");
        auto both = side.descriptor(type, peer, length / 4 * 4);
        both.local_addr = both.remote_addr = without_data::first_address + 4096;
        both.local_mem_hndl = own;
        both.remote_mem_hndl = others;
        ASSERT_EQ(GNI_RC_SUCCESS, post(side, both));
        EXPECT_EQ(GNI_RC_SUCCESS, complete(side, both));
        auto from_none = side.descriptor(type, peer, length / 4 * 4);
        from_none.local_addr = without_data::first_address;
        from_none.local_mem_hndl = own;
        expect_refused(side, from_none);
        auto to_none = side.descriptor(type, peer, length / 4 * 4);
        to_none.remote_addr = without_data::first_address;
        to_none.remote_mem_hndl = others;
        expect_refused(side, to_none);
      }
    }
    EXPECT_EQ(before, std::pair(side.memory, peer.memory));
  });
}

TEST(WithoutDataTest, HasNoWords) {
  ASSERT_TRUE(without_data::reserve());
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    const gni_mem_handle_t own = range_of(side);
    const gni_mem_handle_t others = range_of(peer);
    auto flag = side.descriptor(GNI_POST_FMA_PUT_W_SYNCFLAG, peer, 64);
    flag.local_addr = flag.remote_addr = without_data::first_address;
    flag.local_mem_hndl = own;
    flag.remote_mem_hndl = others;
    flag.sync_flag_addr = without_data::first_address + 64;
    expect_refused(side, flag);
    auto atomic = side.descriptor(GNI_POST_AMO, peer, 8);
    atomic.amo_cmd = GNI_FMA_ATOMIC_ADD;
    atomic.remote_addr = without_data::first_address;
    atomic.remote_mem_hndl = others;
    expect_refused(side, atomic);
  });
}

TEST(WithoutDataTest, IsRegisteredWithinItsRangeAndInOnePiece) {
  ASSERT_TRUE(without_data::reserve());
  run_rank([] {
    const Side side(1);
    gni_mem_handle_t handle = {};
    const std::uint64_t last = without_data::first_address + without_data::range_bytes - 4096;
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_MemRegister(side.nic, last, 4097, nullptr, GNI_MEM_READWRITE, no_index, &handle));
    EXPECT_EQ(GNI_RC_SUCCESS,
              GNI_MemRegister(side.nic, last, 4096, nullptr, GNI_MEM_READWRITE, no_index, &handle));
    gni_mem_segment_t segments[2] = {{side.base(), 4096}, {last, 4096}};
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MemRegisterSegments(side.nic, segments, 2, nullptr,
                                                            GNI_MEM_READWRITE, no_index, &handle));
  });
}

}  // namespace
}  // namespace nic_test
