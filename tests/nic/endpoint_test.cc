// Endpoints: life, binding, idleness.
#include "tests/nic/test_machine.h"

namespace nic_test {
namespace {

TEST(EndpointTest, ManyComeAndGo) {
  run_rank([] {
    Side side(1);
    std::vector<gni_ep_handle_t> endpoints(1000);
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < endpoints.size(); ++i) {
        ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(side.nic, side.tx, &endpoints[i]));
        ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpBind(endpoints[i], 0, static_cast<std::uint32_t>(i)));
      }
      for (std::size_t i = 0; i < endpoints.size(); ++i) {
        ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpIdle(endpoints[i]));
        // Neither a place within an object nor an object of another kind is one.
        auto* within =
            reinterpret_cast<gni_ep_handle_t>(reinterpret_cast<char*>(endpoints[i]) + 64);
        ASSERT_EQ(GNI_RC_INVALID_PARAM, GNI_EpIdle(within));
        ASSERT_EQ(GNI_RC_INVALID_PARAM,
                  GNI_CqDestroy(reinterpret_cast<gni_cq_handle_t>(endpoints[i])));
      }
      for (gni_ep_handle_t endpoint : endpoints) {
        ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpDestroy(endpoint));
        ASSERT_EQ(GNI_RC_INVALID_PARAM, GNI_EpIdle(endpoint));
      }
    }
  });
}

TEST(EndpointTest, Codes) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    gni_ep_handle_t ep = nullptr;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpCreate(nullptr, side.tx, &ep));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpCreate(side.nic, side.tx, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpCreate(side.nic, peer.tx, &ep));  // another domain's
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpCreate(side.nic, side.rx, &ep));  // serves remote events
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(side.nic, nullptr, &ep));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpSetEventData(ep, 1, 2));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpSetEventData(nullptr, 1, 2));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpBind(nullptr, 0, 1));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpBind(ep, 0, 1));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpBind(ep, 0, 1));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpIdle(ep));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpIdle(nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpUnbind(ep));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpUnbind(nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpBind(ep, 0, 2));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpDestroy(ep));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpDestroy(ep));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpUnbind(ep));
  });
}

/// Runs `body` on a rank whose endpoint has a put of 100 bytes under way, until `answered` at
/// least.
void run_with_put(const std::function<void(Side&, gni_post_descriptor_t&, Time answered)>& body) {
  run_rank([&] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 100);
    const Time start = now();
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &put));
    body(side, put, start + test_us(2.1));
  });
}

TEST(EndpointTest, BusyUntilEverythingIsAnswered) {
  run_with_put([](Side& side, gni_post_descriptor_t& put, Time answered) {
    EXPECT_TRUE(is_before(answered, GNI_RC_NOT_DONE, [&] { return GNI_EpIdle(side.ep); }));
    const gni_return_t early = GNI_EpUnbind(side.ep);
    EXPECT_TRUE(is_before(answered, GNI_RC_NOT_DONE, [&] { return early; }));
    EXPECT_EQ(GNI_RC_SUCCESS, complete(side, put));
    if (early == GNI_RC_NOT_DONE) {
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpUnbind(side.ep));
    }
  });
}

TEST(EndpointTest, MayGoBeforeItsTransactionsDo) {
  run_with_put([](Side& side, gni_post_descriptor_t& put, Time) {
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_CqDestroy(side.tx));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpDestroy(side.ep));
    EXPECT_EQ(GNI_RC_SUCCESS, complete(side, put));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqDestroy(side.tx));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqDestroy(side.tx));
  });
}

}  // namespace
}  // namespace nic_test
