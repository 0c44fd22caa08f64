// DMAPP: return codes, attributes, limits.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "corespec/job/job.h"
#include "tests/dmapp/job.h"
#include "tests/support/test_clock.h"

namespace castor_test {
namespace {

TEST(Errors, ArgumentsAreChecked) {
  run_dmapp(small_job(2), [](int pe) {
    auto* word = static_cast<std::int64_t*>(dmapp_sheap_malloc(64));
    dmapp_seg_desc_t heap = job_info().sheap_seg;
    std::int64_t own[2] = {1, 2};
    auto* odd_own = reinterpret_cast<char*>(own) + 2;
    if (pe == 0) {
      const auto bad = DMAPP_RC_INVALID_PARAM;
      EXPECT_EQ(bad, dmapp_put(word, &heap, 2, own, 1, DMAPP_QW));
      EXPECT_EQ(bad, dmapp_put(word, &heap, -1, own, 1, DMAPP_QW));
      EXPECT_EQ(bad, dmapp_put(word, nullptr, 1, own, 1, DMAPP_QW));
      EXPECT_EQ(bad, dmapp_put(word, &heap, 1, nullptr, 1, DMAPP_QW));
      EXPECT_EQ(bad, dmapp_put(nullptr, &heap, 1, own, 1, DMAPP_QW));
      EXPECT_EQ(bad, dmapp_put(word, &heap, 1, own, 1, static_cast<dmapp_type_t>(9)));
      EXPECT_EQ(bad, dmapp_put_nb(word, &heap, 1, own, 1, DMAPP_QW, nullptr));
      EXPECT_EQ(bad, dmapp_put(word, &heap, 1, own, ~0ULL, DMAPP_DQW));
      // Beyond the end of the symmetric heap, and before its beginning.
      auto* end = static_cast<char*>(heap.addr) + heap.len;
      EXPECT_EQ(bad, dmapp_put(end - 8, &heap, 1, own, 2, DMAPP_QW));
      EXPECT_EQ(bad, dmapp_get(own, static_cast<char*>(heap.addr) - 8, &heap, 1, 1, DMAPP_QW));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_put(end - 16, &heap, 1, own, 2, DMAPP_QW));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_put(nullptr, &heap, 1, nullptr, 0, DMAPP_QW));

      EXPECT_EQ(DMAPP_RC_ALIGNMENT_ERROR, dmapp_get(odd_own, word, &heap, 1, 1, DMAPP_DW));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_get(odd_own, word, &heap, 1, 4, DMAPP_BYTE));
      EXPECT_EQ(DMAPP_RC_ALIGNMENT_ERROR,
                dmapp_aadd_qw(reinterpret_cast<char*>(word) + 4, &heap, 1, 1));
      EXPECT_EQ(bad, dmapp_afadd_qw(nullptr, word, &heap, 1, 1));
      EXPECT_EQ(DMAPP_RC_ALIGNMENT_ERROR, dmapp_put_flag(word, &heap, 1, own, 1, DMAPP_QW,
                                                         reinterpret_cast<char*>(word) + 4, 1));
      std::int64_t seen = 0;
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_put_flag(nullptr, &heap, 1, nullptr, 0, DMAPP_QW, word, 9));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_get(&seen, word, &heap, 1, 1, DMAPP_QW));
      EXPECT_EQ(9, seen);
      EXPECT_EQ(bad, dmapp_ixput(word, &heap, 1, own, nullptr, 1, DMAPP_QW));
      EXPECT_EQ(bad, dmapp_put_ixpe(word, &heap, nullptr, 1, own, 1, DMAPP_QW));
      dmapp_pe_t pes[] = {1, 7};
      EXPECT_EQ(bad, dmapp_put_ixpe(word, &heap, pes, 2, own, 1, DMAPP_QW));

      // Distances whose bytes would wrap around 64 bits, to where there is memory.
      constexpr ptrdiff_t far = ptrdiff_t{1} << 61;
      ptrdiff_t places[] = {0, far};
      EXPECT_EQ(bad, dmapp_iput(word, &heap, 1, own, far, 1, 2, DMAPP_QW));
      EXPECT_EQ(bad, dmapp_iput(word, &heap, 1, own, 1, far, 2, DMAPP_QW));
      EXPECT_EQ(bad, dmapp_iget(own, word, &heap, 1, 1, -far, 2, DMAPP_QW));
      EXPECT_EQ(bad, dmapp_ixput(word, &heap, 1, own, places, 2, DMAPP_QW));
      EXPECT_EQ(bad, dmapp_ixget(own, word, &heap, 1, places, 2, DMAPP_QW));

      dmapp_syncid_handle_t none = nullptr;
      EXPECT_EQ(bad, dmapp_syncid_wait(nullptr));
      EXPECT_EQ(bad, dmapp_syncid_wait(&none));
      int flag = 0;
      EXPECT_EQ(bad, dmapp_syncid_test(&none, &flag));
      EXPECT_EQ(bad, dmapp_gsync_test(nullptr));
      EXPECT_EQ(bad, dmapp_get_jobinfo(nullptr));
    }
    barrier();
  });
}

// Reading one place often is reading it; of elements written to one place, one stays.
TEST(Errors, StridesMayOverlap) {
  run_dmapp(small_job(2), [](int pe) {
    constexpr std::size_t count = 20;
    auto* area = static_cast<std::int64_t*>(dmapp_sheap_malloc(count * 8));
    for (std::size_t i = 0; i < count; ++i) area[i] = static_cast<std::int64_t>(i);
    dmapp_seg_desc_t heap = job_info().sheap_seg;
    barrier();
    if (pe == 0) {
      std::vector<std::int64_t> own(count, -1);
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_iget(own.data(), area + 7, &heap, 1, 1, 0, 9, DMAPP_QW));
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(i < 9 ? 7 : -1, own[i]);
      for (std::size_t i = 0; i < count; ++i) own[i] = 100 + static_cast<std::int64_t>(i);
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_iput(area + 3, &heap, 1, own.data(), 0, 1, 5, DMAPP_QW));
    }
    barrier();
    for (std::size_t i = 0; i < count; ++i) {
      if (pe == 1 && i == 3) {
        EXPECT_TRUE(area[i] >= 100 && area[i] < 105) << area[i];
      } else {
        EXPECT_EQ(static_cast<std::int64_t>(i), area[i]);
      }
    }
    barrier();
  });
}

TEST(Errors, WhatIsNotABlockIsNotFreed) {
  run_dmapp(small_job(1), [](int) {
    auto* block = static_cast<char*>(dmapp_sheap_malloc(100));
    char foreign[32] = {};
    dmapp_sheap_stats_t before{};
    dmapp_sheap_stats_t after{};
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_sheap_stats(&before));
    for (char* wrong : {&foreign[0], block + 16, static_cast<char*>(nullptr)}) {
      dmapp_sheap_free(wrong);
    }
    EXPECT_EQ(nullptr, dmapp_sheap_realloc(foreign, 50));
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_sheap_stats(&after));
    EXPECT_EQ(before.used, after.used);
    dmapp_sheap_free(block);
    dmapp_sheap_free(block);
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_sheap_stats(&after));
    EXPECT_EQ(before.size, after.size);
    EXPECT_LT(after.used, before.used);
  });
}

TEST(Errors, AnIdEndsWithItsTransfer) {
  run_dmapp(small_job(2), [](int pe) {
    auto* word = static_cast<std::int64_t*>(dmapp_sheap_malloc(8));
    dmapp_seg_desc_t heap = job_info().sheap_seg;
    barrier();
    if (pe == 0) {
      std::int64_t value = 5;
      dmapp_syncid_handle_t id = nullptr;
      ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_put_nb(word, &heap, 1, &value, 1, DMAPP_QW, &id));
      int done = 0;
      while (done == 0) ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_syncid_test(&id, &done));
      EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_syncid_wait(&id));
      EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_syncid_test(&id, &done));
    }
    barrier();
  });
}

TEST(Errors, MemoryThatIsNotRegisteredIsNotTouched) {
  run_dmapp(small_job(2), [](int pe) {
    std::vector<std::int64_t> memory(100, 7);
    dmapp_seg_desc_t own{};
    ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_mem_register(memory.data(), 400, &own));
    dmapp_seg_desc_t peer = all_segments(own)[static_cast<std::size_t>(1 - pe)];
    auto* remote = static_cast<std::int64_t*>(peer.addr);
    std::int64_t values[2] = {1, 2};
    if (pe == 0) {
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_put(remote + 49, &peer, 1, values, 1, DMAPP_QW));
      EXPECT_EQ(DMAPP_RC_TRANSACTION_ERROR, dmapp_put(remote + 60, &peer, 1, values, 2, DMAPP_QW));
      EXPECT_EQ(DMAPP_RC_TRANSACTION_ERROR, dmapp_get(values, remote + 60, &peer, 1, 2, DMAPP_QW));
      EXPECT_EQ(1, values[0]);
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_put_nbi(remote + 60, &peer, 1, values, 2, DMAPP_QW));
      EXPECT_EQ(DMAPP_RC_TRANSACTION_ERROR, dmapp_gsync_wait());
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_gsync_wait());  // the error has been told
    }
    barrier();
    ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_mem_unregister(&own));
    EXPECT_EQ(DMAPP_RC_NOT_FOUND, dmapp_mem_unregister(&own));
    barrier();
    if (pe == 0) {
      EXPECT_EQ(DMAPP_RC_TRANSACTION_ERROR, dmapp_put(remote, &peer, 1, values, 1, DMAPP_QW));
    }
    barrier();
    if (pe == 1) {
      memory[49] = 7;
      EXPECT_EQ(memory, std::vector<std::int64_t>(100, 7));
    }
    dmapp_seg_desc_t other = own;
    int same = 0;
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_segdesc_compare(&own, &other, &same));
    EXPECT_EQ(1, same);
    other.len += 8;
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_segdesc_compare(&own, &other, &same));
    EXPECT_EQ(0, same);
    EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_mem_register(nullptr, 8, &own));
    EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_mem_register(memory.data(), 0, &own));
    barrier();
  });
}

// By FMA and by the BTE; what is wrong with the caller's own memory ends nobody's job.
TEST(Errors, LocalMemoryThatCannotBeUsedIsRefused) {
  run_dmapp(small_job(2), [](int pe) {
    constexpr std::size_t bytes = 65536;
    auto* remote = static_cast<std::int64_t*>(dmapp_sheap_malloc(bytes));
    std::fill(remote, remote + bytes / 8, pe + 40);
    dmapp_seg_desc_t heap = job_info().sheap_seg;
    void* const mapped =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(MAP_FAILED, mapped);
    auto* const own = static_cast<std::int64_t*>(mapped);
    own[0] = 7;
    barrier();
    if (pe == 0) {
      dmapp_syncid_handle_t id = nullptr;
      const auto get = [&](std::uint64_t words) {
        return dmapp_get(own, remote, &heap, 1, words, DMAPP_QW);
      };
      ASSERT_EQ(0, mprotect(mapped, bytes, PROT_READ));
      EXPECT_EQ(DMAPP_RC_PERMISSION_ERROR, get(1));
      EXPECT_EQ(DMAPP_RC_PERMISSION_ERROR, get(bytes / 8));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_get_nb(own, remote, &heap, 1, 16, DMAPP_QW, &id));
      EXPECT_EQ(DMAPP_RC_PERMISSION_ERROR, dmapp_syncid_wait(&id));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_get_nbi(own, remote, &heap, 1, 16, DMAPP_QW));
      EXPECT_EQ(DMAPP_RC_PERMISSION_ERROR, dmapp_gsync_wait());
      EXPECT_EQ(7, own[0]);
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_put(remote, &heap, 1, own, bytes / 8, DMAPP_QW));
      ASSERT_EQ(0, munmap(mapped, bytes));
      EXPECT_EQ(DMAPP_RC_INVALID_PARAM, get(1));
      EXPECT_EQ(DMAPP_RC_INVALID_PARAM, get(bytes / 8));
      EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_put(remote, &heap, 1, own, bytes / 8, DMAPP_QW));
      std::int64_t seen = 0;
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_get(&seen, remote, &heap, 1, 1, DMAPP_QW));
      EXPECT_EQ(7, seen);
    }
    barrier();
  });
}

TEST(Limits, TooManyUnderWayAreRefusedAndNothingIsLost) {
  dmapp_rma_attrs_ext_t attributes{};
  attributes.max_outstanding_nb = 4;
  run_dmapp(
      small_job(2),
      [](int pe) {
        constexpr int count = 200;
        auto* area = static_cast<std::int64_t*>(dmapp_sheap_malloc(count * 8));
        std::fill(area, area + count, -1);
        dmapp_seg_desc_t heap = job_info().sheap_seg;
        barrier();
        if (pe == 0) {
          int refused = 0;
          for (std::int64_t i = 0; i < count;) {
            const dmapp_return_t result = dmapp_put_nbi(area + i, &heap, 1, &i, 1, DMAPP_QW);
            if (result == DMAPP_RC_SUCCESS) {
              ++i;
              continue;
            }
            ASSERT_EQ(DMAPP_RC_RESOURCE_ERROR, result);
            ++refused;
            ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_gsync_wait());
          }
          EXPECT_GT(refused, 0);
          EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_gsync_wait());
          // One call with more elements than may be under way waits by itself.
          std::vector<std::int64_t> back(count, -1);
          EXPECT_EQ(DMAPP_RC_SUCCESS,
                    dmapp_iget(back.data(), area, &heap, 1, 1, 1, count, DMAPP_QW));
          for (std::int64_t i = 0; i < count; ++i) EXPECT_EQ(i, back[static_cast<std::size_t>(i)]);
        }
        barrier();
      },
      attributes);
}

TEST(Attributes, AreGivenBackAsTheyHold) {
  dmapp_rma_attrs_ext_t before{};
  EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_get_rma_attrs_ext(&before));  // needs no dmapp_init
  EXPECT_EQ(DMAPP_DEF_OUTSTANDING_NB, static_cast<int>(before.max_outstanding_nb));
  EXPECT_EQ(DMAPP_OFFLOAD_THRESHOLD, static_cast<int>(before.offload_threshold));
  EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_finalize());
  EXPECT_EQ(nullptr, dmapp_sheap_malloc(8));
  dmapp_rma_attrs_ext_t wanted{};
  wanted.max_outstanding_nb = 64;
  wanted.offload_threshold = 2048;
  wanted.put_relaxed_ordering = DMAPP_ROUTING_DETERMINISTIC;
  wanted.PI_ordering = DMAPP_PI_ORDERING_RELAXED;
  run_dmapp(
      small_job(2),
      [](int) {
        dmapp_rma_attrs_ext_t now{};
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_get_rma_attrs_ext(&now));
        EXPECT_EQ(64U, now.max_outstanding_nb);
        EXPECT_EQ(2048U, now.offload_threshold);
        EXPECT_EQ(DMAPP_ROUTING_DETERMINISTIC, now.put_relaxed_ordering);
        EXPECT_EQ(DMAPP_PI_ORDERING_RELAXED, now.PI_ordering);
        dmapp_rma_attrs_t plain{};
        dmapp_rma_attrs_t actual{};
        plain.max_outstanding_nb = 8;
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_set_rma_attrs(&plain, &actual));
        EXPECT_EQ(8U, actual.max_outstanding_nb);
        EXPECT_EQ(4096U, actual.offload_threshold);
        plain.max_outstanding_nb = DMAPP_MAX_OUTSTANDING_NB + 1;
        EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_set_rma_attrs(&plain, &actual));
        int flag = 0;
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_initialized(&flag));
        EXPECT_EQ(1, flag);
        // Started twice, ended twice: the second end is run_dmapp's.
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_init(nullptr, nullptr));
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_finalize());
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_gsync_wait());
      },
      wanted);
}

// A PE that is through with DMAPP is a target until all are.
// The others would wait for a PE that returns at once.
TEST(Start, AMistakeOfOnePeIsToldToAll) {
  run_dmapp(small_job(3, 2), [](int pe) {
    ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_finalize());
    for (int mistaken = 0; mistaken < 3; ++mistaken) {
      dmapp_rma_attrs_ext_t attributes{};
      if (pe == mistaken) attributes.max_outstanding_nb = DMAPP_MAX_OUTSTANDING_NB + 1;
      int there = -1;
      EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_init_ext(&attributes, nullptr));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_initialized(&there));
      EXPECT_EQ(0, there);
      // And the next attempt is one of its own.
      ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_init(nullptr, nullptr));
      if (mistaken < 2) {
        ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_finalize());
      }
    }
    auto* word = static_cast<std::uint64_t*>(dmapp_sheap_malloc(8));
    std::uint64_t own = 100 + static_cast<std::uint64_t>(pe);
    dmapp_seg_desc_t heap = job_info().sheap_seg;
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_put(word, &heap, (pe + 1) % 3, &own, 1, DMAPP_QW));
    barrier();
    EXPECT_EQ(*word, 100U + static_cast<std::uint64_t>((pe + 2) % 3));
  });
}

/// PE 1 has told `text` of its segments; what a put of a word to it then says at PE 0.
void expect_put(const std::function<std::string(const dmapp_jobinfo_t& of_pe_1)>& text,
                dmapp_return_t result) {
  run_dmapp(small_job(2), [&](int pe) {
    corespec::Process& process = *corespec::this_process_or_null();
    auto* word = static_cast<std::uint64_t*>(dmapp_sheap_malloc(8));
    *word = 7;
    if (pe == 1) process.job().put(process, "dmapp-segments-1", text(job_info()));
    barrier();
    std::uint64_t own = 8;
    dmapp_seg_desc_t heap = job_info().sheap_seg;
    if (pe == 0) {
      EXPECT_EQ(result, dmapp_put(word, &heap, 1, &own, 1, DMAPP_QW));
    }
    barrier();
    EXPECT_EQ(*word, pe == 1 && result == DMAPP_RC_SUCCESS ? 8U : 7U);
  });
}

std::string told(std::uint64_t address, std::uint64_t bytes, const gni_mem_handle_t& memory) {
  return fmt::format("0 0 0 0 {:x} {:x} {:x} {:x}", address, bytes, memory.qword1, memory.qword2);
}
std::uint64_t place_of(const dmapp_seg_desc_t& segment) {
  return reinterpret_cast<std::uint64_t>(segment.addr);
}

// What another process says of its segments is not believed: the NIC, or the caller's side,
// refuses.
TEST(Segments, OfAnotherPeAreChecked) {
  expect_put(
      [](const dmapp_jobinfo_t& pe) {
        return told(place_of(pe.sheap_seg), pe.sheap_seg.len, pe.sheap_seg.memhndl);
      },
      DMAPP_RC_SUCCESS);
  // A shorter heap than the caller's; of no bytes; one that ends behind all memory.
  expect_put(
      [](const dmapp_jobinfo_t& pe) {
        return told(place_of(pe.sheap_seg), 4, pe.sheap_seg.memhndl);
      },
      DMAPP_RC_INVALID_PARAM);
  expect_put([](const dmapp_jobinfo_t&) { return told(0, 0, {}); }, DMAPP_RC_INVALID_PARAM);
  expect_put(
      [](const dmapp_jobinfo_t& pe) {
        return told(~std::uint64_t{0} - 7, ~std::uint64_t{0}, pe.sheap_seg.memhndl);
      },
      DMAPP_RC_TRANSACTION_ERROR);
  // Not where it is; without its handle.
  expect_put(
      [](const dmapp_jobinfo_t& pe) {
        return told(place_of(pe.sheap_seg) + pe.sheap_seg.len, pe.sheap_seg.len,
                    pe.sheap_seg.memhndl);
      },
      DMAPP_RC_TRANSACTION_ERROR);
  expect_put(
      [](const dmapp_jobinfo_t& pe) { return told(place_of(pe.sheap_seg), pe.sheap_seg.len, {}); },
      DMAPP_RC_TRANSACTION_ERROR);
}

TEST(Segments, OfNoKnownKindAreRefused) {
  run_dmapp(small_job(2), [](int pe) {
    std::uint64_t own = 8;
    dmapp_seg_desc_t heap = job_info().sheap_seg;
    auto* word = static_cast<std::uint64_t*>(dmapp_sheap_malloc(8));
    heap.flags = 7;
    EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_put(word, &heap, 1 - pe, &own, 1, DMAPP_QW));
    EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_aadd_qw(word, &heap, 1 - pe, 1));
  });
}

// Words that are none, too few, too many, of other signs.
TEST(Segments, ThatAreNoneEndTheJobWithOneLine) {
  if (live_clock()) GTEST_SKIP() << "how a job ends live is another test's";
  for (const char* text :
       {"", "1", "1 2 3 4 5 6 7", "1 2 3 4 5 6 7 8 9", "1 2 3 4 5 6 7 x", "1 2 3 4 5 6 7 -8",
        "1  2 3 4 5 6 7 8", "1 2 3 4 5 6 7 12345678123456789"}) {
    SCOPED_TRACE(text);
    testing::internal::CaptureStderr();
    const JobOutcome outcome = run_job(small_job(2), [&](corespec::Process& process) {
      dmapp_init(nullptr, nullptr);
      auto* word = static_cast<std::uint64_t*>(dmapp_sheap_malloc(8));
      std::uint64_t own = 8;
      dmapp_seg_desc_t heap = job_info().sheap_seg;
      if (process.rank() == 1) process.job().put(process, "dmapp-segments-1", text);
      barrier();
      if (process.rank() == 0) dmapp_put(word, &heap, 1, &own, 1, DMAPP_QW);
      dmapp_finalize();
      return 0;
    });
    EXPECT_TRUE(outcome.end.aborted);
    EXPECT_NE(testing::internal::GetCapturedStderr().find(
                  "rank 0: DMAPP: PE 1 has not told where its segments are\n"),
              std::string::npos);
  }
}

TEST(Finalize, WaitsForTheOthersTransfers) {
  run_dmapp(small_job(3, 2), [](int pe) {
    auto* word = static_cast<std::int64_t*>(dmapp_sheap_malloc(8));
    *word = pe;
    dmapp_seg_desc_t heap = job_info().sheap_seg;
    barrier();
    for (int turn = 0; pe == 0 && turn < 300; ++turn) {
      std::int64_t before = -1;
      const dmapp_pe_t to = 1 + turn % 2;
      ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_afadd_qw(&before, word, &heap, to, 10));
      ASSERT_EQ(to + turn / 2 * 10, before);
    }
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_finalize());
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_init(nullptr, nullptr));
  });
}

TEST(Names, EveryCodeIsExplained) {
  const char* text = nullptr;
  for (int code = DMAPP_RC_SUCCESS; code <= DMAPP_RC_NOT_USED; ++code) {
    ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_explain_error(static_cast<dmapp_return_t>(code), &text));
    EXPECT_NE('\0', text[0]);
  }
  EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_explain_error(static_cast<dmapp_return_t>(99), &text));
  EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_explain_error(DMAPP_RC_SUCCESS, nullptr));
}

}  // namespace
}  // namespace castor_test
