// DMAPP: atomics and locks.
#include <set>

#include "tests/dmapp/job.h"

namespace castor_test {
namespace {

TEST(Atomics, DoWhatTheirNamesSay) {
  run_dmapp(small_job(2), [](int pe) {
    auto* word = static_cast<std::int64_t*>(dmapp_sheap_malloc(8));
    *word = 0;
    dmapp_seg_desc_t heap = job_info().sheap_seg;
    barrier();
    if (pe == 0) {
      constexpr std::int64_t a = 0x0ff0'1234'5678'9abc;
      constexpr std::int64_t b = 0x00ff'ffff'0000'ff00;
      std::int64_t old = -1;
      const auto set = [&](std::int64_t value) {
        std::int64_t now = value;
        ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_put(word, &heap, 1, &now, 1, DMAPP_QW));
      };
      const auto value = [&] {
        std::int64_t now = -1;
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_get(&now, word, &heap, 1, 1, DMAPP_QW));
        return now;
      };
      const auto plain = [&](auto function, std::int64_t expected) {
        set(a);
        EXPECT_EQ(DMAPP_RC_SUCCESS, function(word, &heap, 1, b));
        EXPECT_EQ(expected, value());
      };
      plain(dmapp_aadd_qw, a + b);
      plain(dmapp_aand_qw, a & b);
      plain(dmapp_aor_qw, a | b);
      plain(dmapp_axor_qw, a ^ b);
      const auto fetching = [&](auto function, std::int64_t expected) {
        set(a);
        EXPECT_EQ(DMAPP_RC_SUCCESS, function(&old, word, &heap, 1, b));
        EXPECT_EQ(a, old);
        EXPECT_EQ(expected, value());
      };
      fetching(dmapp_afadd_qw, a + b);
      fetching(dmapp_afand_qw, a & b);
      fetching(dmapp_afor_qw, a | b);
      fetching(dmapp_afxor_qw, a ^ b);
      set(a);
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_afax_qw(&old, word, &heap, 1, b, 5));
      EXPECT_EQ(a, old);
      EXPECT_EQ((a & b) ^ 5, value());
      set(a);
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_acswap_qw(&old, word, &heap, 1, a + 1, b));
      EXPECT_EQ(a, old);
      EXPECT_EQ(a, value());
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_acswap_qw(&old, word, &heap, 1, a, b));
      EXPECT_EQ(a, old);
      EXPECT_EQ(b, value());
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_aadd_qw_nbi(word, &heap, 1, 1));
      dmapp_syncid_handle_t id = nullptr;
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_gsync_wait());
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_afadd_qw_nb(&old, word, &heap, 1, 1, &id));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_syncid_wait(&id));
      EXPECT_EQ(b + 1, old);
    }
    barrier();
  });
}

TEST(Atomics, NumbersDrawnByAllAreDrawnOnce) {
  constexpr int ranks = 6;
  constexpr int draws = 30;
  run_dmapp(small_job(ranks, 2), [](int pe) {
    auto* counter = static_cast<std::int64_t*>(dmapp_sheap_malloc(8));
    auto* drawn = static_cast<std::int64_t*>(dmapp_sheap_malloc(ranks * draws * 8));
    *counter = 0;
    dmapp_seg_desc_t heap = job_info().sheap_seg;
    barrier();
    std::vector<std::int64_t> own(draws);
    for (std::int64_t& number : own) {
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_afadd_qw(&number, counter, &heap, 0, 1));
    }
    EXPECT_EQ(DMAPP_RC_SUCCESS,
              dmapp_put(drawn + pe * draws, &heap, 0, own.data(), draws, DMAPP_QW));
    barrier();
    if (pe == 0) {
      EXPECT_EQ(ranks * draws, *counter);
      EXPECT_EQ(static_cast<std::size_t>(ranks * draws),
                std::set<std::int64_t>(drawn, drawn + ranks * draws).size());
    }
    barrier();
  });
}

TEST(Locks, LetOneInAtATime) {
  constexpr int ranks = 4;
  constexpr int turns = 10;
  run_dmapp(small_job(ranks, 2), [](int pe) {
    auto* lock = static_cast<dmapp_lock_desc_t*>(dmapp_sheap_malloc(sizeof(dmapp_lock_desc_t)));
    auto* count = static_cast<std::int64_t*>(dmapp_sheap_malloc(8));
    *lock = {};
    *count = 0;
    dmapp_seg_desc_t heap = job_info().sheap_seg;
    barrier();
    for (int turn = 0; turn < turns; ++turn) {
      dmapp_lock_handle_t handle = nullptr;
      if (turn % 3 == 2) {
        while (dmapp_lock_try(lock, &heap, 1, 0, &handle) == DMAPP_RC_NOT_DONE) {
        }
      } else {
        ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_lock_acquire(lock, &heap, 1, 0, &handle));
      }
      std::int64_t value = 0;  // not atomic: the lock makes it so
      ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_get(&value, count, &heap, 2, 1, DMAPP_QW));
      ++value;
      ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_put_nbi(count, &heap, 2, &value, 1, DMAPP_QW));
      ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_lock_release(handle, 0));
      EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_lock_release(handle, 0));
    }
    barrier();
    if (pe == 2) {
      EXPECT_EQ(ranks * turns, *count);
    }
    barrier();
  });
}

TEST(Locks, AreNotTakenTwice) {
  launch::JobRequest request = small_job(2);
  request.settings.emplace_back("DMAPP_MAX_LOCKS", "2");
  run_dmapp(request, [](int pe) {
    auto* locks =
        static_cast<dmapp_lock_desc_t*>(dmapp_sheap_malloc(3 * sizeof(dmapp_lock_desc_t)));
    std::fill(locks, locks + 3, dmapp_lock_desc_t{});
    dmapp_seg_desc_t heap = job_info().sheap_seg;
    barrier();
    if (pe == 0) {
      dmapp_lock_handle_t first = nullptr;
      dmapp_lock_handle_t second = nullptr;
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_lock_try(&locks[0], &heap, 1, 0, &first));
      EXPECT_EQ(DMAPP_RC_NOT_DONE, dmapp_lock_try(&locks[0], &heap, 1, 0, &second));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_lock_try(&locks[1], &heap, 1, 0, &second));
      dmapp_lock_handle_t third = nullptr;
      EXPECT_EQ(DMAPP_RC_RESOURCE_ERROR, dmapp_lock_acquire(&locks[2], &heap, 1, 0, &third));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_lock_release(first, 0));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_lock_acquire(&locks[2], &heap, 1, 0, &third));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_lock_release(third, 0));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_lock_release(second, 0));
    }
    barrier();
  });
}

}  // namespace
}  // namespace castor_test
