// DMAPP: queues of messages.
#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "tests/dmapp/job.h"

namespace castor_test {
namespace {

/// What has come, by the PE that sent it.
struct Inbox {
  std::map<int, std::vector<std::vector<std::byte>>> from;
  std::size_t count = 0;
  static int take(void* context, void* data, std::uint32_t length, dmapp_pe_t rank) {
    auto& own = *static_cast<Inbox*>(context);
    const auto* bytes = static_cast<const std::byte*>(data);
    own.from[rank].emplace_back(bytes, bytes + length);
    ++own.count;
    return 0;
  }
};

/// Message `number` of a PE: of 0 to 20 words.
std::vector<std::byte> message(int pe, int number) {
  std::vector<std::byte> bytes(static_cast<std::size_t>((pe * 7 + number) % 21) * 8);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = pattern(static_cast<unsigned>(pe * 1000 + number), i);
  }
  return bytes;
}

dmapp_return_t send(dmapp_queue_handle_t queue, std::vector<std::byte> bytes, int pe) {
  return dmapp_queue_put(queue, bytes.data(), bytes.size() / 8, DMAPP_QW, pe, 0);
}

// More than the queues hold, from all to all and to themselves.
TEST(Queues, MessagesOfOnePeComeInOrder) {
  constexpr int ranks = 4;
  constexpr int each = 30;
  dmapp_rma_attrs_ext_t attributes{};
  attributes.queue_depth = 5;
  attributes.queue_nelems = 20;
  run_dmapp(
      small_job(ranks, 2),
      [](int pe) {
        Inbox inbox;
        dmapp_queue_handle_t queue = nullptr;
        ASSERT_EQ(DMAPP_RC_SUCCESS,
                  dmapp_queue_attach(Inbox::take, &inbox, DMAPP_QUEUE_ASYNC_PROGRESS, &queue));
        barrier();
        for (int number = 0; number < each; ++number) {
          for (int to = 0; to < ranks; ++to) {
            ASSERT_EQ(DMAPP_RC_SUCCESS, send(queue, message(pe, number), to));
          }
        }
        while (inbox.count < ranks * each) ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_progress());
        barrier();
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_progress());
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_queue_detach(queue, 0));
        for (int from = 0; from < ranks; ++from) {
          ASSERT_EQ(static_cast<std::size_t>(each), inbox.from[from].size());
          for (int number = 0; number < each; ++number) {
            EXPECT_EQ(message(from, number), inbox.from[from][static_cast<std::size_t>(number)]);
          }
        }
        barrier();
      },
      attributes);
}

/// Answers each message by one to its sender.
struct Echo {
  Inbox inbox;
  dmapp_queue_handle_t queue = nullptr;
  int depth = 0;
  static int take(void* context, void* data, std::uint32_t length, dmapp_pe_t rank) {
    auto& own = *static_cast<Echo*>(context);
    EXPECT_EQ(1, ++own.depth);  // one at a time
    Inbox::take(&own.inbox, data, length, rank);
    std::int64_t word = 0;
    std::memcpy(&word, data, sizeof word);
    if (word > 0) {
      --word;
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_queue_put(own.queue, &word, 1, DMAPP_QW, rank, 0));
    }
    EXPECT_EQ(DMAPP_RC_BUSY, dmapp_queue_detach(own.queue, 0));
    --own.depth;
    return 0;
  }
};

TEST(Queues, ACallbackMaySend) {
  run_dmapp(small_job(2), [](int pe) {
    constexpr std::int64_t rounds = 9;
    Echo echo;
    ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_queue_attach(Echo::take, &echo, 0, &echo.queue));
    barrier();
    std::int64_t word = rounds;
    if (pe == 0) {
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_queue_put(echo.queue, &word, 1, DMAPP_QW, 1, 0));
    }
    while (echo.inbox.count < (rounds + 1) / 2) {
      EXPECT_EQ(DMAPP_RC_SUCCESS, pe == 0 ? dmapp_progress() : dmapp_gsync_wait());
    }
    barrier();
    EXPECT_EQ(static_cast<std::size_t>((rounds + 1) / 2), echo.inbox.count);
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_queue_detach(echo.queue, 0));
  });
}

// What has come before is delivered; the memory is the heap's again.
TEST(Queues, DetachingDelivers) {
  run_dmapp(small_job(2), [](int pe) {
    dmapp_sheap_stats_t before{};
    dmapp_sheap_stats_t after{};
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_sheap_stats(&before));
    Inbox inbox;
    dmapp_queue_handle_t queue = nullptr;
    ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_queue_attach(Inbox::take, &inbox, 0, &queue));
    barrier();
    EXPECT_EQ(DMAPP_RC_SUCCESS, send(queue, message(pe, 3), 1 - pe));
    barrier();
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_queue_detach(queue, 0));
    ASSERT_EQ(1U, inbox.count);
    EXPECT_EQ(message(1 - pe, 3), inbox.from[1 - pe][0]);
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_sheap_stats(&after));
    EXPECT_EQ(before.used, after.used);
    barrier();
    // Another one lies where the first lay.
    ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_queue_attach(Inbox::take, &inbox, 0, &queue));
    barrier();
    EXPECT_EQ(DMAPP_RC_SUCCESS, send(queue, message(pe, 4), 1 - pe));
    barrier();
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_queue_detach(queue, 0));
    EXPECT_EQ(2U, inbox.count);
  });
}

TEST(Queues, ArgumentsAreChecked) {
  dmapp_rma_attrs_ext_t attributes{};
  attributes.queue_nelems = 4;
  run_dmapp(
      small_job(2),
      [](int pe) {
        const auto bad = DMAPP_RC_INVALID_PARAM;
        Inbox inbox;
        std::int64_t words[8] = {};
        dmapp_queue_handle_t queue = nullptr;
        dmapp_queue_handle_t second = nullptr;
        EXPECT_EQ(bad, dmapp_queue_put(nullptr, words, 1, DMAPP_QW, 0, 0));
        EXPECT_EQ(bad, dmapp_queue_detach(nullptr, 0));
        EXPECT_EQ(bad, dmapp_queue_attach(nullptr, nullptr, 0, &queue));
        EXPECT_EQ(bad, dmapp_queue_attach(Inbox::take, &inbox, 8, &queue));
        EXPECT_EQ(bad, dmapp_queue_attach(Inbox::take, &inbox, 0, nullptr));
        barrier();
        if (pe == 0) {
          ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_queue_attach(Inbox::take, &inbox, 0, &queue));
          EXPECT_EQ(DMAPP_RC_BUSY, dmapp_queue_attach(Inbox::take, &inbox, 0, &second));
          EXPECT_EQ(bad, dmapp_queue_put(queue, words, 1, DMAPP_QW, 2, 0));
          EXPECT_EQ(bad, dmapp_queue_put(queue, words, 1, DMAPP_QW, -1, 0));
          EXPECT_EQ(bad, dmapp_queue_put(queue, words, 1, DMAPP_QW, 1, 1));
          EXPECT_EQ(bad, dmapp_queue_put(queue, words, 1, static_cast<dmapp_type_t>(9), 1, 0));
          EXPECT_EQ(bad, dmapp_queue_put(queue, nullptr, 1, DMAPP_QW, 1, 0));
          EXPECT_EQ(DMAPP_RC_NOT_FOUND, dmapp_queue_put(queue, words, 1, DMAPP_QW, 1, 0));
          EXPECT_EQ(DMAPP_RC_NO_SPACE, dmapp_queue_put(queue, words, 5, DMAPP_QW, 0, 0));
          EXPECT_EQ(DMAPP_RC_NO_SPACE, dmapp_queue_put(queue, words, 33, DMAPP_BYTE, 0, 0));
          EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_queue_put(queue, words, 32, DMAPP_BYTE, 0, 0));
          EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_queue_put(queue, words, 2, DMAPP_DQW, 0, 0));
          EXPECT_EQ(bad, dmapp_queue_detach(queue, 1));
          EXPECT_EQ(bad, dmapp_queue_detach(reinterpret_cast<dmapp_queue_handle_t>(words), 0));
          EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_queue_detach(queue, 0));
          EXPECT_EQ(bad, dmapp_queue_detach(queue, 0));
          EXPECT_EQ(2U, inbox.count);
        }
        barrier();
      },
      attributes);
}

TEST(Queues, NeedRoomInTheHeap) {
  dmapp_rma_attrs_ext_t attributes{};
  attributes.queue_depth = DMAPP_QUEUE_MAX_DEPTH;
  attributes.queue_nelems = DMAPP_QUEUE_MAX_NELEMS;
  run_dmapp(
      small_job(1),
      [](int) {
        dmapp_queue_handle_t queue = nullptr;
        EXPECT_EQ(DMAPP_RC_NO_SPACE, dmapp_queue_attach(Inbox::take, nullptr, 0, &queue));
      },
      attributes);
}

}  // namespace
}  // namespace castor_test
