// Error events: subscriptions, masks, what is told, waiting for it.
#include <unistd.h>

#include "tests/nic/test_machine.h"
#include "ugni_emu/nic/cq_entry_bits.h"

namespace nic_test {
namespace {

constexpr gni_error_mask_t everything = 0xFF;
constexpr gni_mem_handle_t no_handle = {1, 1};

gni_err_handle_t subscribe(const Side& side, gni_error_mask_t mask = everything,
                           std::uint32_t size = 0) {
  gni_err_handle_t errors = nullptr;
  EXPECT_EQ(GNI_RC_SUCCESS, GNI_SubscribeErrors(side.nic, 0, mask, size, &errors));
  return errors;
}

/// A put from `side` to `peer` that fails: behind the region's end, or under a handle of nothing.
void fail(const Side& side, const Side& peer, bool handle = false) {
  auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 64, 0, Side::memory_bytes - 8);
  if (handle) put.remote_mem_hndl = no_handle;
  ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &put));
  EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, complete(side, put));
}

/// While it exists the process is not root's.
class NotRoot {
 public:
  NotRoot() { EXPECT_EQ(0, seteuid(65534)); }
  ~NotRoot() { EXPECT_EQ(0, seteuid(0)); }
  NotRoot(const NotRoot&) = delete;
  NotRoot& operator=(const NotRoot&) = delete;
};

TEST(ErrorEventsTest, Codes) {
  run_rank([] {
    Side side(1);
    gni_err_handle_t errors = nullptr;
    gni_error_event_t event = {};
    gni_error_mask_t mask = 0;
    std::uint32_t count = 0;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SubscribeErrors(side.nic, 0, everything, 0, nullptr));
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_SubscribeErrors(side.nic, 1, everything, 0, &errors));
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_SubscribeErrors(side.nic, 0, everything, 1025, &errors));
    EXPECT_EQ(nullptr, errors);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_ReleaseErrors(nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetErrorMask(nullptr, &mask));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SetErrorMask(nullptr, 1, &mask));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetErrorEvent(nullptr, &event));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_WaitErrorEvents(nullptr, &event, 1, 1, &count));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SetErrorPtag(nullptr, 1));
    errors = subscribe(side, GNI_ERRMASK_TRANSACTION);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetErrorMask(errors, nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetErrorMask(errors, &mask));
    EXPECT_EQ(GNI_ERRMASK_TRANSACTION, mask);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SetErrorMask(errors, GNI_ERRMASK_TRANSIENT, &mask));
    EXPECT_EQ(GNI_ERRMASK_TRANSACTION, mask);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SetErrorMask(errors, everything, nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetErrorMask(errors, &mask));
    EXPECT_EQ(everything, mask);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetErrorEvent(errors, nullptr));
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_GetErrorEvent(errors, &event));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_WaitErrorEvents(errors, nullptr, 1, 1, &count));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_WaitErrorEvents(errors, &event, 0, 1, &count));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_WaitErrorEvents(errors, &event, 1, 1, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SetErrorPtag(errors, 0));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_ReleaseErrors(errors));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_ReleaseErrors(errors));
  });
}

TEST(ErrorEventsTest, ANodeHasSixtyFourSubscriptions) {
  run_rank([] {
    Side side(1);
    std::vector<gni_err_handle_t> all;
    for (int i = 0; i < 64; ++i) all.push_back(subscribe(side));
    gni_err_handle_t more = nullptr;
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_SubscribeErrors(side.nic, 0, everything, 0, &more));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_ReleaseErrors(all[10]));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SubscribeErrors(side.nic, 0, everything, 0, &more));
    Side other(2);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmDestroy(side.cdm));  // its subscriptions go with it
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_ReleaseErrors(more));
    for (int i = 0; i < 64; ++i) subscribe(other);
  });
}

TEST(ErrorEventsTest, OnlyRootHearsOfAll) {
  run_rank([] {
    if (geteuid() != 0) GTEST_SKIP() << "of root's rights";
    Side side(1);
    side.bind(side);
    gni_err_handle_t all = nullptr;
    gni_err_handle_t own = subscribe(side);
    {
      const NotRoot not_root;
      EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SubscribeErrors(nullptr, 0, everything, 0, &all));
      EXPECT_EQ(GNI_RC_PERMISSION_ERROR, GNI_SetErrorPtag(own, 7));
    }
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SubscribeErrors(nullptr, 0, everything, 0, &all));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SetErrorPtag(own, 7));
    fail(side, side);
    gni_error_event_t event = {};
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_GetErrorEvent(own, &event));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetErrorEvent(all, &event));
    EXPECT_EQ(Side::tag, event.ptag);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SetErrorPtag(own, Side::tag));
    fail(side, side);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetErrorEvent(own, &event));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_ReleaseErrors(all));
  });
}

TEST(ErrorEventsTest, SayWhatHappened) {
  run_rank([] {
    Side side(1);
    side.bind(side);
    fail(side, side);  // before: it is not told
    const gni_err_handle_t errors = subscribe(side);
    gni_error_event_t event = {};
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_GetErrorEvent(errors, &event));
    const Time before = now();
    fail(side, side);
    fail(side, side, true);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_GetErrorEvent(errors, &event));
    EXPECT_EQ(GNI_ERRMASK_ADDRESS_TRANSLATION, event.error_category);
    EXPECT_EQ(static_cast<unsigned>(ugni::ResponseStatus::out_of_bounds), event.error_code);
    EXPECT_EQ(Side::tag, event.ptag);
    EXPECT_EQ(1U, event.serial_number);
    EXPECT_EQ(side.base() + Side::memory_bytes - 8, event.info_mmrs[0]);
    EXPECT_EQ(side.handle.qword1, event.info_mmrs[1]);
    EXPECT_EQ(64U, event.info_mmrs[2]);
    EXPECT_EQ(std::uint64_t{side.address} << 32 | side.instance, event.info_mmrs[3]);
    // 64 bytes in 1 ns each, there and back in 1 us each.
    const Time told = Time::nanoseconds(static_cast<std::int64_t>(event.timestamp));
    EXPECT_TRUE(is_time(test_us(2.064), told - before));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_GetErrorEvent(errors, &event));
    EXPECT_EQ(static_cast<unsigned>(ugni::ResponseStatus::invalid_handle), event.error_code);
    EXPECT_EQ(2U, event.serial_number);
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_GetErrorEvent(errors, &event));

    // Registered for reading: no fault of the address.
    gni_mem_handle_t read_only;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemRegister(side.nic, side.base(), 4096, nullptr,
                                              GNI_MEM_READ_ONLY, no_index, &read_only));
    auto put = side.descriptor(GNI_POST_FMA_PUT, side, 8);
    put.remote_mem_hndl = read_only;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &put));
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, complete(side, put));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_GetErrorEvent(errors, &event));
    EXPECT_EQ(GNI_ERRMASK_TRANSACTION, event.error_category);
  });
}

TEST(ErrorEventsTest, WhatIsLostIsTransient) {
  corespec::Parameters parameters = free_software();
  parameters.lost_transactions = 1;  // each
  run_rank(
      [] {
        Side side(1);
        side.bind(side);
        const gni_err_handle_t errors = subscribe(side);
        auto put = side.descriptor(GNI_POST_FMA_PUT, side, 8);
        ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &put));
        EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, complete(side, put));
        gni_error_event_t event = {};
        ASSERT_EQ(GNI_RC_SUCCESS, GNI_GetErrorEvent(errors, &event));
        EXPECT_EQ(GNI_ERRMASK_TRANSIENT, event.error_category);
        EXPECT_EQ(GNI_RC_NOT_DONE, GNI_GetErrorEvent(errors, &event));
      },
      parameters);
}

TEST(ErrorEventsTest, MasksChoose) {
  run_rank([] {
    Side side(1);
    side.bind(side);
    const gni_err_handle_t others = subscribe(side, everything & ~GNI_ERRMASK_ADDRESS_TRANSLATION);
    const gni_err_handle_t own = subscribe(side, GNI_ERRMASK_ADDRESS_TRANSLATION);
    fail(side, side);
    gni_error_event_t event = {};
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_GetErrorEvent(others, &event));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetErrorEvent(own, &event));
    gni_error_mask_t before = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SetErrorMask(own, 0, &before));
    fail(side, side);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SetErrorMask(own, before, nullptr));
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_GetErrorEvent(own, &event));
    fail(side, side);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetErrorEvent(own, &event));
    EXPECT_EQ(3U, event.serial_number);
  });
}

TEST(ErrorEventsTest, AFullQueueDropsTheLatest) {
  run_rank([] {
    Side side(1);
    side.bind(side);
    const gni_err_handle_t two = subscribe(side, everything, 2);
    const gni_err_handle_t usual = subscribe(side);
    for (int i = 0; i < 66; ++i) fail(side, side);
    gni_error_event_t event = {};
    for (std::uint32_t serial : {1U, 2U}) {
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetErrorEvent(two, &event));
      EXPECT_EQ(serial, event.serial_number);
    }
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_GetErrorEvent(two, &event));
    for (std::uint32_t serial = 1; serial <= 64; ++serial) {
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetErrorEvent(usual, &event));
      EXPECT_EQ(serial, event.serial_number);
    }
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_GetErrorEvent(usual, &event));
    fail(side, side);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetErrorEvent(two, &event));
    EXPECT_EQ(67U, event.serial_number);
  });
}

TEST(ErrorEventsTest, AWaitTakesWhatComesWithinItsTime) {
  TestMachine machine;
  std::unique_ptr<Side> side;
  gni_err_handle_t errors = nullptr;
  Gate made;
  Time first;
  machine.start(0, [&] {
    side = std::make_unique<Side>(1);
    side->bind(*side);
    errors = subscribe(*side);
    made.open();
    sleep_us(20);
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_ReleaseErrors(errors));  // a thread waits
    auto put = side->descriptor(GNI_POST_FMA_PUT, *side, 8, 0, Side::memory_bytes);
    put.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
    first = now() + test_us(2.008);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side->ep, &put));
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, complete(*side, put));
    fail(*side, *side);
  });
  machine.start(0, [&] {
    made.await();
    std::array<gni_error_event_t, 5> events{};
    std::uint32_t count = 9;
    const std::uint32_t timeout_ms = live() ? 400 : 40;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_WaitErrorEvents(errors, events.data(), 5, timeout_ms, &count));
    EXPECT_EQ(2U, count);
    EXPECT_EQ(1U, events[0].serial_number);
    EXPECT_EQ(2U, events[1].serial_number);
    EXPECT_TRUE(is_time(first + Time::microseconds(1000) * std::int64_t{timeout_ms}, now()));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_ReleaseErrors(errors));
  });
  machine.run();
}

TEST(ErrorEventsTest, AWaitEndsWhenItsArrayIsFull) {
  run_rank([] {
    Side side(1);
    side.bind(side);
    const gni_err_handle_t errors = subscribe(side);
    for (int i = 0; i < 3; ++i) fail(side, side);
    std::array<gni_error_event_t, 2> events{};
    std::uint32_t count = 0;
    const Time before = now();
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_WaitErrorEvents(errors, events.data(), 2, 5000, &count));
    EXPECT_EQ(2U, count);
    EXPECT_LT((now() - before).us(), 5'000'000);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_WaitErrorEvents(errors, events.data(), 2, 0, &count));
    EXPECT_EQ(1U, count);
  });
}

// Two ranks of different nodes: each hears of its own node's.
TEST(ErrorEventsTest, AreThoseOfTheInitiatorsNode) {
  TestMachine machine(2);
  std::unique_ptr<Side> sides[2];
  gni_err_handle_t errors[2] = {};
  Gate made;
  machine.start(0, [&] {
    sides[0] = std::make_unique<Side>(0);
    errors[0] = subscribe(*sides[0]);
    made.await();
    sides[0]->bind(*sides[1]);
    fail(*sides[0], *sides[1]);
    gni_error_event_t event = {};
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetErrorEvent(errors[0], &event));
    EXPECT_EQ(sides[1]->address, event.info_mmrs[3] >> 32);
  });
  machine.start(1, [&] {
    sides[1] = std::make_unique<Side>(1);
    errors[1] = subscribe(*sides[1]);
    made.open();
    sleep_us(50);
    gni_error_event_t event = {};
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_GetErrorEvent(errors[1], &event));
  });
  machine.run();
}

TEST(ErrorEventsTest, TheDomainsEndEndsAWait) {
  TestMachine machine;
  std::unique_ptr<Side> side;
  gni_err_handle_t errors = nullptr;
  Gate made;
  machine.start(0, [&] {
    side = std::make_unique<Side>(1);
    errors = subscribe(*side);
    made.open();
    sleep_us(50);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmDestroy(side->cdm));
  });
  machine.start(0, [&] {
    made.await();
    gni_error_event_t event = {};
    std::uint32_t count = 9;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_WaitErrorEvents(errors, &event, 1, 1, &count));
    EXPECT_EQ(0U, count);
  });
  machine.run();
}

}  // namespace
}  // namespace nic_test
