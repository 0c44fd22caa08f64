// What names memory: NIC, protection domain and MDH, whichever communication domain registered it.
#include <set>

#include "tests/nic/test_machine.h"

namespace nic_test {
namespace {

constexpr std::uint32_t nobody = 4711;

/// The endpoint's posts go to the peer's NIC; its id is no domain's.
void aim(const Side& side, const Side& peer) {
  ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpBind(side.ep, peer.address, nobody));
}

std::uint64_t word_at(const Side& side, std::size_t offset) {
  return looking([&] {
    std::uint64_t word = 0;
    std::memcpy(&word, side.memory.data() + offset, sizeof word);
    return word;
  });
}

TEST(Identity, PostsThroughOneDomainUseMemoryOfAnother) {
  run_rank([] {
    Side registers(1);
    Side other(3);
    Side posts(2);
    aim(posts, registers);
    for (const gni_post_type_t type : {GNI_POST_FMA_PUT, GNI_POST_RDMA_PUT}) {
      auto put = registers.descriptor(type, other, 512, 1024, 2048);
      ASSERT_EQ(GNI_RC_SUCCESS, type == GNI_POST_FMA_PUT ? GNI_PostFma(posts.ep, &put)
                                                         : GNI_PostRdma(posts.ep, &put));
      EXPECT_EQ(GNI_RC_SUCCESS, complete(posts, put));
      EXPECT_EQ(0, std::memcmp(registers.memory.data() + 1024, other.memory.data() + 2048, 512));
      registers.memory[1024] ^= std::byte{0xFF};
    }
    for (const gni_post_type_t type : {GNI_POST_FMA_GET, GNI_POST_RDMA_GET}) {
      auto get = registers.descriptor(type, other, 512, 4096, 8192);
      ASSERT_EQ(GNI_RC_SUCCESS, type == GNI_POST_FMA_GET ? GNI_PostFma(posts.ep, &get)
                                                         : GNI_PostRdma(posts.ep, &get));
      EXPECT_EQ(GNI_RC_SUCCESS, complete(posts, get));
      EXPECT_EQ(0, std::memcmp(registers.memory.data() + 4096, other.memory.data() + 8192, 512));
      other.memory[8192] ^= std::byte{0xFF};
    }
    const std::uint64_t before = word_at(other, 64);
    auto add = registers.descriptor(GNI_POST_AMO, other, 8, 128, 64);
    add.amo_cmd = GNI_FMA_ATOMIC_FADD;
    add.first_operand = 5;
    add.remote_addr = add.remote_addr & ~std::uint64_t{7};
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(posts.ep, &add));
    EXPECT_EQ(GNI_RC_SUCCESS, complete(posts, add));
    EXPECT_EQ(before, word_at(registers, 128));
    EXPECT_EQ(before + 5, word_at(other, 64));
  });
}

TEST(Identity, EventsGoToTheQueueOfTheDomainThatRegistered) {
  run_rank([] {
    Side registers(1);
    Side posts(2);
    aim(posts, registers);
    gni_cq_entry_t event = 0;
    auto put = posts.descriptor(GNI_POST_FMA_PUT, registers, 64);
    put.cq_mode = GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(posts.ep, &put));
    ASSERT_EQ(GNI_RC_SUCCESS, next_event(posts.tx, event));
    EXPECT_EQ(nobody, GNI_CQ_GET_INST_ID(event));  // what the endpoint is bound to
    gni_post_descriptor_t* done = nullptr;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetCompleted(posts.tx, event, &done));
    ASSERT_EQ(GNI_RC_SUCCESS, next_event(registers.rx, event));
    EXPECT_EQ(2U, GNI_CQ_GET_INST_ID(event));  // the initiator's instance
    EXPECT_EQ(2U, GNI_CQ_GET_REM_INST_ID(event));

    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpSetEventData(posts.ep, 77, 88));
    gni_post_descriptor_t write = {};
    write.type = GNI_POST_CQWRITE;
    write.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
    write.cqwrite_value = 0xABCDEF123456;
    write.remote_mem_hndl = registers.handle;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostCqWrite(posts.ep, &write));
    ASSERT_EQ(GNI_RC_SUCCESS, next_event(posts.tx, event));
    EXPECT_EQ(77U, GNI_CQ_GET_INST_ID(event));
    ASSERT_EQ(GNI_RC_SUCCESS, next_event(registers.rx, event));
    EXPECT_EQ(0xABCDEF123456U, GNI_CQ_GET_DATA(event));
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqGetEvent(posts.rx, &event));
  });
}

gni_smsg_attr_t mailbox(Side& side, const Side& registered, std::uint32_t offset) {
  gni_smsg_attr_t attr = {};
  attr.msg_type = GNI_SMSG_TYPE_MBOX_AUTO_RETRANSMIT;
  attr.msg_buffer = side.memory.data();
  attr.mem_hndl = registered.handle;
  attr.mbox_offset = offset;
  attr.mbox_maxcredit = 2;
  attr.msg_maxsize = 256;
  attr.buff_size = 8192;
  return attr;
}

/// Mailboxes lie in memory of a third domain, and the endpoints' ids are no instances.
TEST(Identity, MessagesFindTheirMailbox) {
  run_rank([] {
    Side memory(1);
    Side one(2);
    Side two(3);
    aim(one, two);
    aim(two, one);
    gni_smsg_attr_t first = mailbox(memory, memory, 0);
    gni_smsg_attr_t second = mailbox(memory, memory, 16384);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_SmsgInit(one.ep, &first, &second));
    const auto send = [](Side& from, std::uint32_t value) {
      return GNI_SmsgSendWTag(from.ep, &value, sizeof value, nullptr, 0, value, 3);
    };
    EXPECT_EQ(GNI_RC_SUCCESS, send(one, 100));  // before the other side has opened its mailbox
    sleep_us(20);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_SmsgInit(two.ep, &second, &first));
    for (std::uint32_t value = 100; value < 120; ++value) {
      Side& from = value % 2 == 0 ? one : two;
      Side& to = value % 2 == 0 ? two : one;
      if (value != 100) {
        gni_return_t sent = GNI_RC_NOT_DONE;
        for (int i = 0; i < 1000 && sent == GNI_RC_NOT_DONE; ++i) {
          sleep_us(1);
          sent = send(from, value);  // needs the credits that have come back
        }
        ASSERT_EQ(GNI_RC_SUCCESS, sent) << value;
      }
      void* header = nullptr;
      std::uint8_t tag = GNI_SMSG_ANY_TAG;
      gni_return_t got = GNI_RC_NOT_DONE;
      for (int i = 0; i < 1000 && got == GNI_RC_NOT_DONE; ++i) {
        sleep_us(1);
        got = GNI_SmsgGetNextWTag(to.ep, &header, &tag);
      }
      ASSERT_EQ(GNI_RC_SUCCESS, got) << value;
      EXPECT_EQ(0, std::memcmp(header, &value, sizeof value));
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgRelease(to.ep));
      gni_cq_entry_t event = 0;
      ASSERT_EQ(GNI_RC_SUCCESS, next_event(memory.rx, event));
      EXPECT_EQ(from.instance, GNI_CQ_GET_INST_ID(event));
    }
    // The memory's domain goes: the mailboxes with it.
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmDestroy(memory.cdm));
    void* header = nullptr;
    EXPECT_EQ(GNI_RC_INVALID_STATE, GNI_SmsgGetNext(one.ep, &header));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpDestroy(two.ep));
  });
}

TEST(Identity, OtherTagsAndCookiesStayApart) {
  run_rank([] {
    Side side(1);
    for (const bool tag_differs : {true, false}) {
      gni_cdm_handle_t cdm = nullptr;
      gni_nic_handle_t nic = nullptr;
      std::uint32_t address = 0;
      const auto tag = static_cast<std::uint8_t>(tag_differs ? Side::tag + 1 : Side::tag);
      ASSERT_EQ(GNI_RC_SUCCESS,
                GNI_CdmCreate(2, tag, tag_differs ? Side::cookie : Side::cookie + 1, 0, &cdm));
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_CdmAttach(cdm, 0, &address, &nic));
      gni_mem_handle_t handle = {};
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_MemRegister(nic, side.base(), 4096, nullptr, GNI_MEM_READWRITE,
                                                no_index, &handle));
      auto put = side.descriptor(GNI_POST_RDMA_PUT, side, 64);
      put.remote_mem_hndl = handle;
      gni_ep_handle_t ep = nullptr;
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(side.nic, side.tx, &ep));
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpBind(ep, address, 2));
      put.local_mem_hndl = handle;  // the same address, and an MDH that means nothing here
      put.local_mem_hndl.qword1 ^= std::uint64_t{0x800} << 52;
      EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostRdma(ep, &put));
      put.local_mem_hndl = side.handle;
      put.remote_mem_hndl.qword1 ^= std::uint64_t{0x800} << 52;
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(ep, &put));
      EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, complete(side, put));
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmDestroy(cdm));
    }
  });
}

/// The index space is the NIC's: 4,096 regions, whichever domain has them.
TEST(Identity, ADomainMayHaveWhatAnotherLeaves) {
  run_rank([] {
    Side one(1);
    Side two(2);
    std::vector<gni_mem_handle_t> handles;
    std::set<std::uint64_t> numbers{one.handle.qword1 >> 52, two.handle.qword1 >> 52};
    gni_return_t code = GNI_RC_SUCCESS;
    while (code == GNI_RC_SUCCESS && handles.size() < 5000) {
      gni_mem_handle_t handle = {};
      code = GNI_MemRegister(handles.size() % 3 == 0 ? one.nic : two.nic, one.base(), 64, nullptr,
                             GNI_MEM_READWRITE, no_index, &handle);
      if (code != GNI_RC_SUCCESS) break;
      handles.push_back(handle);
      EXPECT_TRUE(numbers.insert(handle.qword1 >> 52).second);
    }
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, code);
    EXPECT_EQ(4094U, handles.size());
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemDeregister(one.nic, &one.handle));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemRegister(two.nic, two.base(), 64, nullptr, GNI_MEM_READWRITE,
                                              no_index, &one.handle));
    gni_mem_handle_t handle = {};
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_MemRegister(one.nic, two.base(), 64, nullptr,
                                                     GNI_MEM_READWRITE, no_index, &handle));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmDestroy(one.cdm));  // and all that it has
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemRegister(two.nic, two.base(), 64, nullptr, GNI_MEM_READWRITE,
                                              no_index, &handle));
  });
}

/// A client's own handle, rebuilt from address, MDH and flags, names the same region.
TEST(Identity, ARebuiltHandleIsAsGood) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    aim(side, peer);
    auto put = side.descriptor(GNI_POST_RDMA_PUT, peer, 4096, 512, 1024);
    constexpr std::uint64_t all_pages = (std::uint64_t{1} << 28) - 1;
    put.remote_mem_hndl.qword2 = all_pages | std::uint64_t{12} << 28;
    put.local_mem_hndl.qword2 = put.remote_mem_hndl.qword2;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(side.ep, &put));
    EXPECT_EQ(GNI_RC_SUCCESS, complete(side, put));
    EXPECT_EQ(0, std::memcmp(side.memory.data() + 512, peer.memory.data() + 1024, 4096));
  });
}

}  // namespace
}  // namespace nic_test
