// Completion queues: events, overrun, slots, entries, error texts.
#include "tests/nic/test_machine.h"
#include "ugni_emu/doors/doors.h"

namespace nic_test {
namespace {

TEST(CompletionQueueTest, CreateCodes) {
  run_rank([] {
    Side side(1);
    gni_cq_handle_t queue = nullptr;
    auto create = [&](gni_nic_handle_t nic, std::uint32_t entries, gni_cq_mode_t mode) {
      return GNI_CqCreate(nic, entries, 0, mode, nullptr, nullptr, &queue);
    };
    EXPECT_EQ(GNI_RC_INVALID_PARAM, create(nullptr, 1, GNI_CQ_NOBLOCK));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, create(side.nic, 0, GNI_CQ_NOBLOCK));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, create(side.nic, 1, GNI_CQ_EMULATED_INVALID));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, create(side.nic, 1, 0x100));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqCreate(side.nic, 1, 0, 0, nullptr, nullptr, nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, create(side.nic, 40960, GNI_CQ_BLOCKING));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqDestroy(queue));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqDestroy(nullptr));
  });
}

TEST(CompletionQueueTest, EmptyQueue) {
  run_rank([] {
    Side side(1);
    gni_cq_entry_t entry = 5;
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqGetEvent(side.tx, &entry));
    EXPECT_EQ(0U, entry);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqGetEvent(side.tx, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqGetEvent(nullptr, &entry));
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqTestEvent(side.tx));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqTestEvent(nullptr));
  });
}

TEST(CompletionQueueTest, RemoteOverrunIsSeenAndHarmsNobody) {
  run_rank([] {
    Side side(1);
    Side peer(2, 0, 0, 2);  // queues of two entries
    side.bind(peer);
    for (int i = 0; i < 4; ++i) {
      auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 8, static_cast<std::uint64_t>(i) * 8,
                                 static_cast<std::uint64_t>(i) * 8);
      put.cq_mode = GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT;
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &put));
      gni_cq_entry_t done = 0;
      ASSERT_EQ(GNI_RC_SUCCESS, next_event(side.tx, done));
      EXPECT_EQ(i >= 2, GNI_CQ_REM_OVERRUN(done) != 0) << i;  // the target's queue was full
      gni_post_descriptor_t* found = nullptr;
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetCompleted(side.tx, done, &found));
    }
    EXPECT_EQ(0, std::memcmp(side.memory.data(), peer.memory.data(), 32));
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_CqTestEvent(peer.rx));
    gni_cq_entry_t entry = 0;
    for (int lost = 0; lost < 2; ++lost) {  // as many answers as events
      EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_CqGetEvent(peer.rx, &entry));
      EXPECT_TRUE(GNI_CQ_OVERRUN(entry));
      EXPECT_TRUE(GNI_CQ_STATUS_OK(entry));
      char text[256] = "";
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqErrorStr(entry, text, sizeof text));
      EXPECT_NE(nullptr, std::strstr(text, "overrun")) << text;
      std::uint32_t recoverable = 7;
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqErrorRecoverable(entry, &recoverable));
      EXPECT_EQ(0U, recoverable);
    }
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqTestEvent(peer.rx));
    for (int kept = 0; kept < 2; ++kept) {
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqGetEvent(peer.rx, &entry));
      EXPECT_FALSE(GNI_CQ_OVERRUN(entry));
      EXPECT_EQ(1U, GNI_CQ_GET_INST_ID(entry));
    }
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqGetEvent(peer.rx, &entry));
  });
}

TEST(CompletionQueueTest, UnmanagedQueueSwallowsEverything) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    gni_cq_handle_t sink = nullptr;
    ASSERT_EQ(GNI_RC_SUCCESS,
              GNI_CqCreate(peer.nic, 1, 0, GNI_CQ_UNMANAGED, nullptr, nullptr, &sink));
    gni_mem_handle_t handle;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_MemRegister(peer.nic, peer.base(), 1000, sink, 0, 0, &handle));
    for (int i = 0; i < 3; ++i) {
      auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 8);
      put.remote_mem_hndl = handle;
      put.cq_mode |= GNI_CQMODE_REMOTE_EVENT;
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &put));
      EXPECT_EQ(GNI_RC_SUCCESS, complete(side, put));
    }
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqTestEvent(sink));
  });
}

TEST(CompletionQueueTest, UnmanagedQueueTakesAnyNumberOfLocalEvents) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    gni_cq_handle_t sink = nullptr;
    gni_ep_handle_t ep = nullptr;
    ASSERT_EQ(GNI_RC_SUCCESS,
              GNI_CqCreate(side.nic, 2, 0, GNI_CQ_UNMANAGED, nullptr, nullptr, &sink));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(side.nic, sink, &ep));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpBind(ep, peer.address, peer.instance));
    auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 8);
    auto refused = put;
    refused.remote_mem_hndl = {};
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(ep, &put));
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(ep, &refused));
    }
    sleep_us(50);
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqTestEvent(sink));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpIdle(ep));
  });
}

TEST(CompletionQueueTest, WhatFailsClaimsNoQueue) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    gni_cq_handle_t queue = nullptr;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_CqCreate(side.nic, 8, 0, 0, nullptr, nullptr, &queue));
    static const char constant[] = "constant";
    gni_mem_handle_t handle = {};
    EXPECT_EQ(GNI_RC_PERMISSION_ERROR,
              GNI_MemRegister(side.nic, reinterpret_cast<std::uint64_t>(constant), 4, queue,
                              GNI_MEM_READWRITE, static_cast<std::uint32_t>(-1), &handle));
    auto get = side.descriptor(GNI_POST_FMA_GET, peer, 8, 1);
    get.src_cq_hndl = queue;
    EXPECT_EQ(GNI_RC_ALIGNMENT_ERROR, GNI_PostFma(side.ep, &get));
    // It may still be either.
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemRegister(side.nic, side.base(), 64, queue, GNI_MEM_READWRITE,
                                              static_cast<std::uint32_t>(-1), &handle));
    get = side.descriptor(GNI_POST_FMA_GET, peer, 8);
    get.src_cq_hndl = queue;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostFma(side.ep, &get));
  });
}

TEST(CompletionQueueTest, AHandlerMayDestroyItsQueue) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    for (const bool good : {true, false}) {
      struct Parts {
        gni_ep_handle_t ep = nullptr;
        gni_cq_handle_t queue = nullptr;
        int gone = 0;
      } parts;
      auto handler = [](gni_cq_entry_t*, void* context) {
        auto& own = *static_cast<Parts*>(context);
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpDestroy(own.ep));
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqDestroy(own.queue));
        ++own.gone;
      };
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_CqCreate(side.nic, 4, 0, 0, handler, &parts, &parts.queue));
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(side.nic, parts.queue, &parts.ep));
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpBind(parts.ep, peer.address, peer.instance));
      auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 8);
      if (!good) put.remote_mem_hndl = {};
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(parts.ep, &put));
      gni_cq_entry_t entry = 0;
      EXPECT_EQ(good ? GNI_RC_SUCCESS : GNI_RC_TRANSACTION_ERROR, next_event(parts.queue, entry));
      EXPECT_EQ(1, parts.gone);
    }
  });
}

TEST(CompletionQueueTest, PostsUnderWayTakeSlots) {
  run_rank([] {
    Side side(1, GNI_CDM_MODE_DUAL_EVENTS, 0, 3);
    Side peer(2);
    side.bind(peer);
    auto first = side.descriptor(GNI_POST_FMA_PUT, peer, 8);
    auto second = first;
    second.cq_mode = GNI_CQMODE_DUAL_EVENTS;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &first));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &second));
    auto third = first;
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_PostFma(side.ep, &third));
    auto silent = first;
    silent.cq_mode = GNI_CQMODE_SILENT;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &silent));
    sleep_us(10);
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_PostFma(side.ep, &third));  // the events are still there
    gni_cq_entry_t entry = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqGetEvent(side.tx, &entry));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &third));
  });
}

TEST(CompletionQueueTest, EventsComeOutInOrderHoweverMany) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.connect(peer);
    std::vector<gni_post_descriptor_t> posts(100, side.descriptor(GNI_POST_FMA_PUT, peer, 8));
    std::size_t posted = 0;
    std::size_t completed = 0;
    for (std::size_t burst : {1, 2, 3, 1, 9, 2, 40, 1, 30, 5}) {
      for (std::size_t i = 0; i < burst; ++i) {
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &posts[posted++]));
      }
      sleep_us(10);
      const std::size_t left = burst > 30 ? 7 : 0;  // the next burst meets a ring part full
      while (completed + left < posted) {
        EXPECT_EQ(GNI_RC_SUCCESS, complete(side, posts[completed++]));
      }
    }
  });
}

TEST(CompletionQueueTest, AQuietQueueDoesNotDisturbWhoPolls) {
  run_rank([] {
    Side side(1, 0, 0, 2);
    Side peer(2);
    side.connect(peer);
    doors::nobody_waits_for(side.tx);
    const corespec::Signal& arrivals = doors::arrival_signal(side.nic);
    std::vector<gni_post_descriptor_t> posts(3, side.descriptor(GNI_POST_FMA_PUT, peer, 8));
    std::uint64_t epoch = arrivals.epoch();
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &posts[0]));
    sleep_us(10);
    EXPECT_TRUE(doors::has_event(side.tx));
    EXPECT_EQ(epoch, arrivals.epoch());
    // Who found no room waits for it: the first event tells, those behind it do not.
    EXPECT_EQ(GNI_RC_SUCCESS, complete(side, posts[0]));
    const Time answered = now() + test_us(2);  // or later
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &posts[0]));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &posts[1]));
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_PostFma(side.ep, &posts[2]));
    const bool in_time = now() < answered;
    sleep_us(10);
    if (in_time) {
      EXPECT_EQ(epoch + 1, arrivals.epoch());
    }
    EXPECT_EQ(GNI_RC_SUCCESS, complete(side, posts[0]));
    EXPECT_EQ(GNI_RC_SUCCESS, complete(side, posts[1]));
    // So does an error.
    epoch = arrivals.epoch();
    posts[2].remote_addr = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &posts[2]));
    sleep_us(10);
    EXPECT_EQ(epoch + 1, arrivals.epoch());
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, complete(side, posts[2]));
  });
}

TEST(CompletionQueueTest, HandlerRunsOncePerEntry) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    struct Seen {
      int count = 0;
      gni_cq_entry_t last = 0;
    } seen;
    auto handler = [](gni_cq_entry_t* entry, void* context) {
      auto* record = static_cast<Seen*>(context);
      ++record->count;
      record->last = *entry;
    };
    gni_cq_handle_t queue = nullptr;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_CqCreate(side.nic, 10, 0, 0, handler, &seen, &queue));
    gni_ep_handle_t ep = nullptr;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(side.nic, queue, &ep));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpBind(ep, peer.address, peer.instance));
    auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 8);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(ep, &put));
    gni_cq_entry_t entry = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, next_event(queue, entry));
    EXPECT_EQ(1, seen.count);
    EXPECT_EQ(entry, seen.last);
  });
}

TEST(CompletionQueueTest, GetCompletedCodes) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 8);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &put));
    gni_cq_entry_t entry = 0;
    ASSERT_EQ(GNI_RC_SUCCESS, next_event(side.tx, entry));
    gni_post_descriptor_t* found = &put;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetCompleted(nullptr, entry, &found));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetCompleted(side.tx, entry, nullptr));
    EXPECT_EQ(GNI_RC_DESCRIPTOR_ERROR, GNI_GetCompleted(peer.tx, entry, &found));
    EXPECT_EQ(nullptr, found);
    gni_cq_entry_t message = entry;
    GNI_CQ_SET_TYPE(message, GNI_CQ_EVENT_TYPE_SMSG);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetCompleted(side.tx, message, &found));
    gni_cq_entry_t invented = entry;
    GNI_CQ_SET_TID(invented, 0xFFFFF);
    EXPECT_EQ(GNI_RC_DESCRIPTOR_ERROR, GNI_GetCompleted(side.tx, invented, &found));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetCompleted(side.tx, entry, &found));
    EXPECT_EQ(&put, found);
    EXPECT_EQ(GNI_RC_DESCRIPTOR_ERROR, GNI_GetCompleted(side.tx, entry, &found));  // only once
    EXPECT_EQ(nullptr, found);
  });
}

TEST(CompletionQueueTest, ErrorTexts) {
  gni_cq_entry_t fine = 0;
  std::uint32_t recoverable = 0;
  EXPECT_EQ(GNI_RC_INVALID_STATE, GNI_CqErrorRecoverable(fine, &recoverable));
  EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqErrorRecoverable(fine, nullptr));
  char text[256];
  EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqErrorStr(fine, text, sizeof text));
  EXPECT_EQ(GNI_RC_SIZE_ERROR, GNI_CqErrorStr(fine, text, 3));
  EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqErrorStr(fine, nullptr, 256));
  EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqErrorStr(fine, text, 0));
}

TEST(CompletionQueueTest, EntryFieldsDoNotDisturbEachOther) {
  gni_cq_entry_t entry = 0;
  GNI_CQ_SET_INST_ID(entry, 0xFFFFFFFF);
  EXPECT_EQ(0U, GNI_CQ_GET_TID(entry));
  GNI_CQ_SET_TID(entry, 0xABCDE);
  GNI_CQ_SET_TYPE(entry, GNI_CQ_EVENT_TYPE_MSGQ);
  EXPECT_EQ(0xFFFFFFFFU, GNI_CQ_GET_INST_ID(entry));
  EXPECT_EQ(0xABCDEU, GNI_CQ_GET_TID(entry));
  EXPECT_EQ(GNI_CQ_EVENT_TYPE_MSGQ, GNI_CQ_GET_TYPE(entry));
  EXPECT_TRUE(GNI_CQ_STATUS_OK(entry));
  GNI_CQ_CLR_STATUS(entry);
  EXPECT_EQ(0xABCDEU, GNI_CQ_GET_TID(entry));
  GNI_CQ_SET_MSG_ID(entry, 7);
  EXPECT_EQ(7U, GNI_CQ_GET_MSG_ID(entry));
}

}  // namespace
}  // namespace nic_test
