// DMAPP where transactions fail: what is posted again, in which order, and what a program is told.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "tests/dmapp/job.h"
#include "tests/support/test_clock.h"

namespace castor_test {
namespace {

launch::JobRequest with_faults(const std::string& plan, const std::string& tries = "10") {
  launch::JobRequest request = small_job(2);
  request.settings.emplace_back("CASTOR_FAULTS", plan);
  request.settings.emplace_back("CASTOR_POST_TRIES", tries);
  return request;
}

TEST(Faults, WhatMayBeDoneTwiceIsPostedAgain) {
  run_dmapp(with_faults("post-fails kind=put,get p=.2 done=yes; post-fails p=.2; "
                        "post-refused p=.2 for=5us"),
            [](int pe) {
              constexpr std::size_t most = 100'000;
              auto* there = static_cast<std::byte*>(dmapp_sheap_malloc(most));
              dmapp_seg_desc_t heap = job_info().sheap_seg;
              unsigned seed = 0;
              for (const std::size_t bytes : {1UL, 8UL, 77UL, 4096UL, 4097UL, most}) {
                std::vector<std::byte> own(bytes), back(bytes);
                for (int i = 0; i < 8; ++i) {
                  ++seed;
                  for (std::size_t at = 0; at < bytes; ++at) {
                    own[at] = pattern(seed + static_cast<unsigned>(pe) * 1000, at);
                  }
                  ASSERT_EQ(DMAPP_RC_SUCCESS,
                            dmapp_put(there, &heap, 1 - pe, own.data(), bytes, DMAPP_BYTE));
                  ASSERT_EQ(DMAPP_RC_SUCCESS,
                            dmapp_get(back.data(), there, &heap, 1 - pe, bytes, DMAPP_BYTE));
                  ASSERT_EQ(own, back) << bytes << " bytes";
                }
              }
            });
}

TEST(Faults, PutsInOrderStayInOrder) {
  dmapp_rma_attrs_ext_t attributes{};
  attributes.put_relaxed_ordering = DMAPP_ROUTING_IN_ORDER;
  run_dmapp(
      with_faults("post-fails p=.3; post-refused p=.2"),
      [](int pe) {
        constexpr int turns = 100;
        constexpr int puts = 4;
        auto* word = static_cast<std::int64_t*>(dmapp_sheap_malloc(sizeof(std::int64_t)));
        dmapp_seg_desc_t heap = job_info().sheap_seg;
        for (int turn = 0; turn < turns; ++turn) {
          std::array<std::int64_t, puts> values{};
          for (std::int64_t& value : values) {
            value = turn * puts + (&value - values.data());
            ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_put_nbi(word, &heap, 1 - pe, &value, 1, DMAPP_QW));
          }
          ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_gsync_wait());
          std::int64_t found = -1;
          ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_get(&found, word, &heap, 1 - pe, 1, DMAPP_QW));
          ASSERT_EQ(values.back(), found);
        }
      },
      attributes);
}

TEST(Faults, TheProgramIsToldWhenTriesAreUsedUp) {
  const auto puts = [](dmapp_return_t first) {
    return [first](int pe) {
      auto* word = static_cast<std::int64_t*>(dmapp_sheap_malloc(sizeof(std::int64_t)));
      dmapp_seg_desc_t heap = job_info().sheap_seg;
      *word = 5;
      barrier();
      if (pe == 0) {
        std::int64_t value = 12;
        std::int64_t found = 0;
        EXPECT_EQ(first, dmapp_put(word, &heap, 1, &value, 1, DMAPP_QW));
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_get(&found, word, &heap, 1, 1, DMAPP_QW));
        EXPECT_EQ(first == DMAPP_RC_SUCCESS ? 12 : 5, found);
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_put(word, &heap, 1, &value, 1, DMAPP_QW));
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_get(&found, word, &heap, 1, 1, DMAPP_QW));
        EXPECT_EQ(12, found);
      }
    };
  };
  const std::string twice = "post-fails kind=put nth=1 times=2";
  const std::string once = "post-fails kind=put nth=1 times=1";
  run_dmapp(with_faults(once, "0"), puts(DMAPP_RC_TRANSACTION_ERROR));
  run_dmapp(with_faults(twice, "1"), puts(DMAPP_RC_TRANSACTION_ERROR));
  run_dmapp(with_faults(twice, "2"), puts(DMAPP_RC_SUCCESS));
  run_dmapp(with_faults(once + " error=fatal"), puts(DMAPP_RC_TRANSACTION_ERROR));
}

TEST(Faults, WhatMayHaveBeenDoneIsNotDoneTwice) {
  run_dmapp(with_faults("post-fails kind=amo nth=1 times=1 done=yes"), [](int pe) {
    auto* word = static_cast<std::int64_t*>(dmapp_sheap_malloc(sizeof(std::int64_t)));
    dmapp_seg_desc_t heap = job_info().sheap_seg;
    *word = 5;
    barrier();
    if (pe == 0) {
      EXPECT_EQ(DMAPP_RC_TRANSACTION_ERROR, dmapp_aadd_qw(word, &heap, 1, 3));
      std::int64_t found = 0;
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_afadd_qw(&found, word, &heap, 1, 1));
      EXPECT_EQ(8, found);
    }
  });
}

TEST(Faults, AnEventThatIsLostComesAgain) {
  run_dmapp(with_faults("cq-overrun p=.2; post-fails p=.1"), [](int pe) {
    dmapp_c_pset_desc_t description{};
    description.type = DMAPP_C_PSET_DELIMITER_STRIDED;
    description.u.stride_type = {2, 0, 1};
    dmapp_c_pset_handle_t set = nullptr;
    ASSERT_EQ(DMAPP_RC_SUCCESS,
              dmapp_c_pset_create(&description, 7, DMAPP_C_PSET_MODE_CONCAT, nullptr, &set));
    barrier();
    ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_export(set));
    for (std::int64_t turn = 0; turn < 100; ++turn) {
      std::int64_t own = turn + 10 * pe;
      std::int64_t sum = 0;
      ASSERT_EQ(DMAPP_RC_SUCCESS,
                dmapp_c_greduce_start(set, &own, &sum, 1, DMAPP_C_INT64, DMAPP_C_SUM));
      ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_wait(set));
      ASSERT_EQ(2 * turn + 10, sum);
    }
    barrier();
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_destroy(set));
  });
}

}  // namespace
}  // namespace castor_test
