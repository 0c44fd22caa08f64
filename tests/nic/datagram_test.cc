// Datagrams: matching, wildcards, waiting, probing, cancelling.
#include "tests/nic/test_machine.h"

namespace nic_test {
namespace {

constexpr auto no_time_out = static_cast<std::uint32_t>(-1);

/// An endpoint of a side, bound to a peer or not.
gni_ep_handle_t endpoint(const Side& side, const Side* peer) {
  gni_ep_handle_t ep = nullptr;
  EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(side.nic, nullptr, &ep));
  if (peer != nullptr) {
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpBind(ep, peer->address, peer->instance));
  }
  return ep;
}

struct Result {
  gni_return_t code = GNI_RC_NOT_DONE;
  gni_post_state_t state = GNI_POST_PENDING;
  std::uint32_t address = 99;
  std::uint32_t instance = 99;
};

Result wait_id(gni_ep_handle_t ep, std::uint64_t id) {
  Result result;
  result.code =
      GNI_EpPostDataWaitById(ep, id, no_time_out, &result.state, &result.address, &result.instance);
  return result;
}

Result test_id(gni_ep_handle_t ep, std::uint64_t id) {
  Result result;
  result.code = GNI_EpPostDataTestById(ep, id, &result.state, &result.address, &result.instance);
  return result;
}

TEST(DatagramTest, Codes) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    gni_ep_handle_t ep = endpoint(side, &peer);
    char in[200] = {};
    char out[200] = {};
    gni_post_state_t state = GNI_POST_ERROR;
    std::uint32_t a = 0;
    std::uint32_t i = 0;
    std::uint64_t id = 0;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpPostData(nullptr, in, 4, out, 4));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpPostData(ep, nullptr, 4, out, 4));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpPostData(ep, in, 4, nullptr, 4));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpPostDataWId(ep, in, 4, out, 4, ~std::uint64_t{0}));
    EXPECT_EQ(GNI_RC_SIZE_ERROR, GNI_EpPostData(ep, in, 129, out, 4));
    EXPECT_EQ(GNI_RC_SIZE_ERROR, GNI_EpPostDataWId(ep, in, 4, out, 129, 7));
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_EpPostDataTest(ep, &state, &a, &i));
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_EpPostDataTestById(ep, 7, &state, &a, &i));
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_EpPostDataWait(ep, 1, &state, &a, &i));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpPostDataWait(ep, 0, &state, &a, &i));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpPostDataWaitById(ep, 7, 0, &state, &a, &i));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpPostDataTest(ep, nullptr, &a, &i));
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_EpPostDataCancel(ep));
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_EpPostDataCancelById(ep, 7));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpPostDataCancel(nullptr));
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_PostDataProbe(side.nic, &a, &i));
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_PostDataProbeById(side.nic, &id));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostDataProbe(side.nic, nullptr, &i));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostDataProbeById(nullptr, &id));
    EXPECT_EQ(GNI_RC_TIMEOUT, GNI_PostdataProbeWaitById(side.nic, 2, &id));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostdataProbeWaitById(side.nic, 2, nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(ep, in, 4, out, 4, 7));
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_EpPostDataWId(ep, in, 4, out, 4, 8));
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_EpUnbind(ep));
    EXPECT_EQ(GNI_RC_TIMEOUT, GNI_EpPostDataWaitById(ep, 7, 2, &state, &a, &i));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataTestById(ep, 7, &state, &a, &i));
    EXPECT_EQ(GNI_POST_PENDING, state);  // nobody ever came
  });
}

TEST(DatagramTest, BoundPostsMatchInEitherOrder) {
  for (const double delay : {0.0, 0.5, 50.0}) {
    run_rank([delay] {
      Side side(1);
      Side peer(2);
      gni_ep_handle_t ours = endpoint(side, &peer);
      gni_ep_handle_t theirs = endpoint(peer, &side);
      char a[16] = "from side";
      char b[16] = "peer";
      char at_side[16] = {};
      char at_peer[16] = {};
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostData(theirs, b, 5, at_peer, 16));
      sleep_us(delay);
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostData(ours, a, 10, at_side, 16));
      a[0] = 'X';  // was copied
      Result result;
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWait(ours, no_time_out, &result.state,
                                                   &result.address, &result.instance));
      EXPECT_EQ(GNI_POST_COMPLETED, result.state);
      EXPECT_EQ(2U, result.instance);
      EXPECT_STREQ("peer", at_side);
      std::uint32_t address = 9;
      std::uint32_t instance = 9;
      sleep_us(20);
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostDataProbe(peer.nic, &address, &instance));
      EXPECT_EQ(1U, instance);
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataTest(theirs, &result.state, &address, &instance));
      EXPECT_EQ(GNI_POST_COMPLETED, result.state);
      EXPECT_STREQ("from side", at_peer);
      EXPECT_EQ(GNI_RC_NO_MATCH, GNI_EpPostDataTest(theirs, &result.state, &address, &instance));
      EXPECT_EQ(GNI_RC_NO_MATCH, GNI_PostDataProbe(peer.nic, &address, &instance));
      // Nothing is left over that the next exchange could meet.
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(theirs, b, 5, at_peer, 16, 1));
      sleep_us(50);
      EXPECT_EQ(GNI_POST_PENDING, test_id(theirs, 1).state);
    });
  }
}

TEST(DatagramTest, WildcardLearnsWhoConnected) {
  run_rank([] {
    Side server(1);
    Side one(2);
    Side two(3);
    gni_ep_handle_t any = endpoint(server, nullptr);
    gni_ep_handle_t any2 = endpoint(server, nullptr);
    char welcome[8] = "hello";
    char got[2][8] = {};
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(any, welcome, 6, got[0], 8, 100));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(any2, welcome, 6, got[1], 8, 101));
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_EpBind(any, 0, 2));
    char name[2][8] = {"one", "two"};
    char reply[2][8] = {};
    gni_ep_handle_t eps[2] = {endpoint(one, &server), endpoint(two, &server)};
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(eps[0], name[0], 4, reply[0], 8, 5));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(eps[1], name[1], 4, reply[1], 8, 5));
    for (std::uint64_t i = 0; i < 2; ++i) {
      std::uint64_t id = 0;
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostdataProbeWaitById(server.nic, no_time_out, &id));
      EXPECT_EQ(100 + i, id);
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostDataProbeById(server.nic, &id));  // still there
      EXPECT_EQ(100 + i, id);
      const Result result = wait_id(i == 0 ? any : any2, id);
      EXPECT_EQ(GNI_RC_SUCCESS, result.code);
      EXPECT_EQ(GNI_POST_COMPLETED, result.state);
      EXPECT_EQ(2 + i, result.instance);
      EXPECT_STREQ(name[i], got[i]);
      EXPECT_EQ(GNI_RC_SUCCESS, wait_id(eps[i], 5).code);
      EXPECT_STREQ("hello", reply[i]);
    }
  });
}

TEST(DatagramTest, AnOfferMayWaitForTheDomainAndForTheWildcard) {
  run_rank([] {
    Side client(2);
    gni_ep_handle_t ep = nullptr;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(client.nic, nullptr, &ep));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpBind(ep, 0, 77));
    char text[8] = "early";
    char reply[8] = {};
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(ep, text, 6, reply, 8, 1));
    sleep_us(50);
    Side server(77);
    sleep_us(50);
    char got[8] = {};
    char welcome[8] = "hi";
    gni_ep_handle_t any = endpoint(server, nullptr);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(any, welcome, 3, got, 8, 1));
    EXPECT_EQ(GNI_POST_COMPLETED, test_id(any, 1).state);  // at once
    EXPECT_STREQ("early", got);
    EXPECT_EQ(GNI_POST_COMPLETED, wait_id(ep, 1).state);
    EXPECT_STREQ("hi", reply);
  });
}

TEST(DatagramTest, CancelledPostsMatchNothing) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    gni_ep_handle_t ours = endpoint(side, &peer);
    char text[8] = "x";
    char out[8] = {};
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(ours, text, 2, out, 8, 6));
    sleep_us(20);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataCancelById(ours, 6));
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_EpPostDataCancelById(ours, 6));
    std::uint64_t id = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostDataProbeById(side.nic, &id));
    EXPECT_EQ(6U, id);
    EXPECT_EQ(GNI_POST_TERMINATED, test_id(ours, 6).state);
    EXPECT_EQ(GNI_RC_NO_MATCH, test_id(ours, 6).code);
    sleep_us(20);
    gni_ep_handle_t any = endpoint(peer, nullptr);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(any, text, 2, out, 8, 1));
    sleep_us(20);
    EXPECT_EQ(GNI_POST_PENDING, test_id(any, 1).state);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpDestroy(any));
  });
}

// Its owner cannot know that it has been answered: it is the owner's until it has been taken.
TEST(DatagramTest, ACompletedPostMayBeCancelledAndStaysCompleted) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    char text[8] = "x";
    char at_side[8] = {};
    char at_peer[8] = {};
    gni_ep_handle_t ours = endpoint(side, &peer);
    gni_ep_handle_t any = endpoint(peer, nullptr);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostData(any, text, 2, at_peer, 8));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(ours, text, 2, at_side, 8, 6));
    std::uint64_t id = 0;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostdataProbeWaitById(side.nic, no_time_out, &id));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataCancelById(ours, 6));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataCancelById(ours, 6));
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_EpPostDataCancelById(ours, 7));
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_EpPostDataCancel(ours));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostDataProbeById(side.nic, &id));
    EXPECT_EQ(6U, id);
    EXPECT_EQ(GNI_POST_COMPLETED, wait_id(ours, 6).state);
    EXPECT_STREQ("x", at_side);
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_EpPostDataCancelById(ours, 6));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataCancel(any));
    gni_post_state_t state = GNI_POST_PENDING;
    std::uint32_t address = 0;
    std::uint32_t instance = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataTest(any, &state, &address, &instance));
    EXPECT_EQ(GNI_POST_COMPLETED, state);
    EXPECT_EQ(1U, instance);
    EXPECT_STREQ("x", at_peer);
  });
}

// An id may stand for several wildcards: one that is pending is ended.
TEST(DatagramTest, CancelEndsAPendingPostBesideACompletedOne) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    char text[8] = "x";
    char out[2][8] = {};
    gni_ep_handle_t any = endpoint(peer, nullptr);
    for (char* each : out) {
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(any, text, 2, each, 8, 9));
    }
    gni_ep_handle_t ours = endpoint(side, &peer);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostData(ours, text, 2, text, 8));
    std::uint64_t id = 0;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostdataProbeWaitById(peer.nic, no_time_out, &id));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataCancelById(any, 9));
    EXPECT_EQ(GNI_POST_COMPLETED, test_id(any, 9).state);
    EXPECT_EQ(GNI_POST_TERMINATED, test_id(any, 9).state);
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_EpPostDataCancelById(any, 9));
  });
}

TEST(DatagramTest, CancelWakesAProber) {
  TestMachine machine;
  Gate posted;
  std::unique_ptr<Side> side;
  gni_ep_handle_t ep = nullptr;
  char text[8] = "x";
  char out[8] = {};
  machine.start(0, [&] {
    side = std::make_unique<Side>(1);
    ep = endpoint(*side, nullptr);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(ep, text, 2, out, 8, 6));
    posted.open();
    sleep_us(100);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataCancelById(ep, 6));
  });
  bool woken = false;
  machine.start(
      0,
      [&] {
        sleep_us(10);
        posted.await();
        std::uint64_t id = 0;
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostdataProbeWaitById(side->nic, no_time_out, &id));
        EXPECT_EQ(6U, id);
        EXPECT_TRUE(is_time(test_us(100), now()));
        woken = true;
      },
      corespec::ThreadRole::progress);
  machine.run();
  EXPECT_TRUE(woken);
}

TEST(DatagramTest, TooLongForTheBuffer) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    gni_ep_handle_t ours = endpoint(side, &peer);
    gni_ep_handle_t theirs = endpoint(peer, &side);
    char text[16] = "0123456789";
    char small[4] = {};
    char large[16] = {};
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(ours, text, 11, small, 3, 1));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(theirs, text, 11, large, 16, 2));
    EXPECT_EQ(GNI_RC_SUCCESS, wait_id(theirs, 2).code);
    const Result result = wait_id(ours, 1);
    EXPECT_EQ(GNI_RC_SIZE_ERROR, result.code);
    EXPECT_STREQ("012", small);
    EXPECT_STREQ(text, large);
  });
}

TEST(DatagramTest, PiecesAreOneDatagram) {
  for (const std::uint64_t piece : {1, 7, 64, 127}) {
    TestMachine machine(2);
    machine.wire.segment_bytes = piece;
    Gate attached[2];
    std::unique_ptr<Side> sides[2];
    Gate done[2];
    for (std::size_t rank : {0, 1}) {
      machine.start(static_cast<int>(rank), [&, rank] {
        sides[rank] = std::make_unique<Side>(static_cast<std::uint32_t>(rank) + 1);
        Side other(static_cast<std::uint32_t>(rank) + 11);  // its pieces come between
        attached[rank].open();
        attached[1 - rank].await();
        const Side& peer = *sides[1 - rank];
        const gni_ep_handle_t bound = endpoint(*sides[rank], &peer);
        const gni_ep_handle_t any = endpoint(*sides[rank], nullptr);
        const gni_ep_handle_t to_any = endpoint(other, &peer);
        const std::vector<std::byte> mine = random_bytes(128, static_cast<unsigned>(rank));
        const std::vector<std::byte> theirs = random_bytes(128, static_cast<unsigned>(1 - rank));
        std::vector<std::byte> got(3 * 128);
        const auto post = [&](gni_ep_handle_t ep, std::uint64_t id) {
          auto copy = mine;
          ASSERT_EQ(GNI_RC_SUCCESS,
                    GNI_EpPostDataWId(ep, copy.data(), 128, got.data() + id * 128, 128, id));
        };
        post(bound, 0);
        post(any, 1);
        post(to_any, 2);
        for (const auto& [ep, id] : {std::pair(bound, 0U), {any, 1U}, {to_any, 2U}}) {
          EXPECT_EQ(GNI_RC_SUCCESS, wait_id(ep, id).code);
          EXPECT_EQ(0, std::memcmp(theirs.data(), got.data() + id * 128, 128)) << id;
        }
        done[rank].open();
        done[1 - rank].await();
      });
    }
    machine.run();
  }
}

TEST(DatagramTest, ManyCrossingPairsAllMatch) {
  corespec::Parameters parameters = free_software();
  parameters.datagram = Time::nanoseconds(700);
  run_rank(
      [] {
        Side side(1);
        Side peer(2);
        std::mt19937 generator(8);
        std::vector<std::pair<gni_ep_handle_t, const Side*>> posts;
        for (int i = 0; i < 20; ++i) {
          posts.emplace_back(endpoint(side, &peer), &side);
          posts.emplace_back(endpoint(peer, &side), &peer);
        }
        posts.emplace_back(endpoint(side, &side), &side);  // and two to oneself
        posts.emplace_back(endpoint(side, &side), &side);
        std::shuffle(posts.begin(), posts.end(), generator);
        std::vector<std::uint32_t> out(posts.size());
        for (std::size_t i = 0; i < posts.size(); ++i) {
          auto value = static_cast<std::uint32_t>(i);
          ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(posts[i].first, &value, 4, &out[i], 4, i));
          sleep_us(static_cast<double>(generator() % 4));
        }
        for (std::size_t i = 0; i < posts.size(); ++i) {
          ASSERT_EQ(GNI_POST_COMPLETED, wait_id(posts[i].first, i).state);
        }
        // Who got whose data is mutual.
        for (std::size_t i = 0; i < posts.size(); ++i) EXPECT_EQ(i, out[out[i]]);
      },
      parameters);
}

/// A domain that ends and begins anew, beside a peer; posts carry one character.
class AnewTest : public testing::Test {
 protected:
  struct Post {
    char in[1] = {};
    char out[1] = {};
    gni_ep_handle_t ep = nullptr;
  };
  static void post(Post& post, const Side& side, const Side* to, char what) {
    post.ep = endpoint(side, to);
    post.in[0] = what;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(post.ep, post.in, 1, post.out, 1, 7));
  }
  static void expect(Post& post, char what) {
    for (int i = 0; i < 200; ++i) {
      const Result result = test_id(post.ep, 7);
      if (result.state == GNI_POST_COMPLETED) break;
      sleep_us(1);
    }
    EXPECT_EQ(what, post.out[0]);
  }
  static void expect_nothing(const Post& post) {
    sleep_us(50);
    EXPECT_EQ(GNI_POST_PENDING, test_id(post.ep, 7).state);
  }
};

TEST_F(AnewTest, WhatTheOldDomainOfferedIsTakenBack) {
  run_rank([] {
    Side peer(2);
    Post old, own, wildcard;
    {
      Side side(1);
      post(old, side, &peer, 'o');
      sleep_us(10);
    }
    sleep_us(10);
    post(wildcard, peer, nullptr, 'w');
    expect_nothing(wildcard);
    Side side(1);
    post(own, side, &peer, 'n');
    expect(wildcard, 'n');
    expect(own, 'w');
  });
}

TEST_F(AnewTest, WhatTheOldDomainWasOfferedIsTheNewOnes) {
  run_rank([] {
    Side peer(2);
    Post theirs, own;
    {
      Side side(1);
      post(theirs, peer, &side, 't');
      sleep_us(10);
    }
    Side side(1);
    post(own, side, &peer, 'o');
    expect(own, 't');
    expect(theirs, 'o');
  });
}

TEST_F(AnewTest, AnAnswerToTheOldDomainIsNoneToTheNewOne) {
  run_rank([] {
    Side peer(2);
    Side other(3);
    Post old, own, theirs;
    post(theirs, peer, nullptr, 't');
    {
      Side side(1);
      post(old, side, &peer, 'o');
    }  // the answer is on its way
    Side side(1);
    post(own, side, &other, 'n');
    expect_nothing(own);
  });
}

/// What is pending on an endpoint ends with it; probes, waiting ones too, tell of it once.
TEST(DatagramTest, ADestroyedEndpointTerminatesItsDatagram) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    std::uint64_t id = 0;
    for (const bool bound : {true, false}) {
      const gni_ep_handle_t ep = endpoint(side, bound ? &peer : nullptr);
      std::uint32_t word = 5;
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(ep, &word, sizeof word, &word, sizeof word, 77));
      EXPECT_EQ(GNI_RC_NO_MATCH, GNI_PostDataProbeById(side.nic, &id));
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpDestroy(ep));
      EXPECT_EQ(GNI_RC_SUCCESS, bound ? GNI_PostdataProbeWaitById(side.nic, 500, &id)
                                      : GNI_PostDataProbeById(side.nic, &id));
      EXPECT_EQ(77U, id);
      EXPECT_EQ(GNI_RC_NO_MATCH, GNI_PostDataProbeById(side.nic, &id));
    }
    const gni_ep_handle_t plain = endpoint(side, &peer);
    std::uint32_t address = 99;
    std::uint32_t instance = 99;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpPostData(plain, nullptr, 0, nullptr, 0));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpDestroy(plain));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostDataProbe(side.nic, &address, &instance));
    EXPECT_EQ(2U, instance);
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_PostDataProbe(side.nic, &address, &instance));
    // The peer's post finds none of them.
    sleep_us(50);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(endpoint(peer, &side), nullptr, 0, nullptr, 0, 5));
    sleep_us(50);
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_PostDataProbeById(peer.nic, &id));
  });
}

TEST(DatagramTest, ADestroyedEndpointWakesTheProbe) {
  TestMachine machine;
  gni_nic_handle_t nic = nullptr;
  Gate waiting;
  machine.start(0, [&] {
    Side side(1);
    nic = side.nic;
    waiting.open();
    sleep_us(50);
    const gni_ep_handle_t ep = endpoint(side, &side);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(ep, nullptr, 0, nullptr, 0, 0xDEAD));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpDestroy(ep));
    sleep_us(500);
  });
  machine.start(0, [&] {
    waiting.await();
    std::uint64_t id = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostdataProbeWaitById(nic, no_time_out, &id));
    EXPECT_EQ(0xDEADU, id);
  });
  machine.run();
}

}  // namespace
}  // namespace nic_test
