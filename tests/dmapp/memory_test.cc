// DMAPP: reserved memory, checkpoints, locks by their place, attributes.
#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "tests/dmapp/job.h"

namespace castor_test {
namespace {

// Memory comes later than its range; what is updated moves, and grows.
TEST(ReservedMemory, IsReachableWhereItIsUpdated) {
  run_dmapp(small_job(2), [](int pe) {
    constexpr std::size_t bytes = 65536;
    void* const range = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(MAP_FAILED, range);
    auto* const words = static_cast<std::int64_t*>(range);
    dmapp_seg_desc_t segment{};
    ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_mem_reserve(range, bytes, 0, &segment));
    EXPECT_EQ(range, segment.addr);
    EXPECT_EQ(bytes, segment.len);
    dmapp_seg_desc_t peer = all_segments(segment)[static_cast<std::size_t>(1 - pe)];
    std::int64_t value = 40 + pe;
    EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_put(peer.addr, &peer, 1 - pe, &value, 1, DMAPP_QW));
    // Not there yet.
    EXPECT_NE(DMAPP_RC_SUCCESS, dmapp_mem_update(range, 4096, 0, &segment));
    for (const std::size_t length : {std::size_t{4096}, bytes}) {
      ASSERT_EQ(0, mprotect(range, length, PROT_READ | PROT_WRITE));
      ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_mem_update(range, length, 0, &segment));
      EXPECT_EQ(length, segment.len);
      peer = all_segments(segment)[static_cast<std::size_t>(1 - pe)];
      auto* const last = static_cast<char*>(peer.addr) + length - 8;
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_put(last, &peer, 1 - pe, &value, 1, DMAPP_QW));
      barrier();
      EXPECT_EQ(41 - pe, words[length / 8 - 1]);
      barrier();
    }
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_mem_unregister(&segment));
    EXPECT_EQ(DMAPP_RC_NOT_FOUND, dmapp_mem_unregister(&segment));
    EXPECT_EQ(DMAPP_RC_NOT_FOUND, dmapp_mem_update(range, 4096, 0, &segment));
    barrier();
    EXPECT_EQ(DMAPP_RC_TRANSACTION_ERROR, dmapp_put(peer.addr, &peer, 1 - pe, &value, 1, DMAPP_QW));
    barrier();
    munmap(range, bytes);
  });
}

TEST(ReservedMemory, ArgumentsAreChecked) {
  run_dmapp(small_job(1), [](int) {
    const auto bad = DMAPP_RC_INVALID_PARAM;
    std::vector<char> memory(10000);
    char* const at = memory.data();
    dmapp_seg_desc_t segment{};
    dmapp_seg_desc_t other{};
    EXPECT_EQ(bad, dmapp_mem_reserve(nullptr, 10, 0, &segment));
    EXPECT_EQ(bad, dmapp_mem_reserve(at, 0, 0, &segment));
    EXPECT_EQ(bad, dmapp_mem_reserve(at, ~0ULL, 0, &segment));
    EXPECT_EQ(bad, dmapp_mem_reserve(at, 10, 1, &segment));
    EXPECT_EQ(bad, dmapp_mem_reserve(at, 10, 0, nullptr));
    ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_mem_reserve(at + 1000, 1000, 0, &segment));
    EXPECT_EQ(DMAPP_RC_BUSY, dmapp_mem_reserve(at + 1999, 10, 0, &other));
    EXPECT_EQ(DMAPP_RC_BUSY, dmapp_mem_reserve(at + 500, 501, 0, &other));
    ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_mem_reserve(at + 2000, 10, 0, &other));
    EXPECT_EQ(bad, dmapp_mem_update(at + 999, 10, 0, &segment));
    EXPECT_EQ(bad, dmapp_mem_update(at + 1500, 501, 0, &segment));
    EXPECT_EQ(bad, dmapp_mem_update(at + 1500, 10, 1, &segment));
    EXPECT_EQ(bad, dmapp_mem_update(at + 1500, 10, 0, nullptr));
    EXPECT_EQ(bad, dmapp_mem_update(nullptr, 10, 0, &segment));
    dmapp_seg_desc_t plain{};
    ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_mem_register(at + 1200, 64, &plain));
    EXPECT_EQ(DMAPP_RC_NOT_FOUND, dmapp_mem_update(at + 1200, 64, 0, &plain));
    // Of one place: each ends for itself.
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_mem_update(at + 1200, 64, 0, &segment));
    int same = 1;
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_segdesc_compare(&segment, &plain, &same));
    EXPECT_EQ(0, same);
    EXPECT_EQ(bad, dmapp_segdesc_compare(&segment, &plain, nullptr));
    EXPECT_EQ(bad, dmapp_segdesc_compare(nullptr, &plain, &same));
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_mem_unregister(&plain));
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_mem_update(at + 1300, 64, 0, &segment));
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_mem_unregister(&segment));
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_mem_unregister(&other));
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_mem_reserve(at + 1000, 1010, 0, &segment));
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_mem_unregister(&segment));
  });
}

TEST(Checkpoints, HoldNewTransfersBack) {
  run_dmapp(small_job(2), [](int pe) {
    auto* word = static_cast<std::int64_t*>(dmapp_sheap_malloc(sizeof(dmapp_lock_desc_t)));
    std::fill(word, word + 8, 0);
    dmapp_seg_desc_t heap = job_info().sheap_seg;
    barrier();
    EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_restart(0));
    std::int64_t value = 5;
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_put_nbi(word + 7, &heap, 1 - pe, &value, 1, DMAPP_QW));
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_checkpoint());
    barrier();
    EXPECT_EQ(5, word[7]);
    EXPECT_EQ(DMAPP_RC_BUSY, dmapp_put(word + 7, &heap, 1 - pe, &value, 1, DMAPP_QW));
    EXPECT_EQ(DMAPP_RC_BUSY, dmapp_aadd_qw(word + 7, &heap, 1 - pe, 1));
    dmapp_lock_handle_t handle = nullptr;
    auto* lock = reinterpret_cast<dmapp_lock_desc_t*>(word);
    EXPECT_EQ(DMAPP_RC_BUSY, dmapp_lock_try(lock, &heap, 1, 0, &handle));
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_gsync_wait());
    EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_restart(7));
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_restart(0));
    barrier();
    value = 6;
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_put(word + 7, &heap, 1 - pe, &value, 1, DMAPP_QW));
    barrier();
    EXPECT_EQ(6, word[7]);
  });
}

TEST(Locks, AreReleasedByTheirPlace) {
  run_dmapp(small_job(3), [](int pe) {
    auto* locks =
        static_cast<dmapp_lock_desc_t*>(dmapp_sheap_malloc(2 * sizeof(dmapp_lock_desc_t)));
    auto* count = static_cast<std::int64_t*>(dmapp_sheap_malloc(8));
    locks[0] = locks[1] = {};
    *count = 0;
    dmapp_seg_desc_t heap = job_info().sheap_seg;
    barrier();
    for (int turn = 0; turn < 5; ++turn) {
      dmapp_lock_handle_t handle = nullptr;
      std::int64_t value = 0;
      ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_lock_acquire(&locks[1], &heap, 2, 0, &handle));
      ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_get(&value, count, &heap, 0, 1, DMAPP_QW));
      ++value;
      ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_put_nbi(count, &heap, 0, &value, 1, DMAPP_QW));
      EXPECT_EQ(DMAPP_RC_NOT_FOUND, dmapp_lock_release_addr(&locks[0], 2, 0));
      EXPECT_EQ(DMAPP_RC_NOT_FOUND, dmapp_lock_release_addr(&locks[1], 1, 0));
      EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_lock_release_addr(&locks[1], 3, 0));
      EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_lock_release_addr(&locks[1], 2, 1));
      EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_lock_release_addr(nullptr, 2, 0));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_lock_release_addr(&locks[1], 2, 0));
      EXPECT_EQ(DMAPP_RC_NOT_FOUND, dmapp_lock_release_addr(&locks[1], 2, 0));
      EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_lock_release(handle, 0));
    }
    barrier();
    if (pe == 0) {
      EXPECT_EQ(15, *count);
    }
    barrier();
  });
}

TEST(Attributes, OfQueuesToo) {
  dmapp_rma_attrs_ext_t wanted{};
  wanted.queue_depth = 9;
  wanted.queue_nelems = DMAPP_QUEUE_MAX_NELEMS;
  wanted.queue_flags = DMAPP_QUEUE_ASYNC_PROGRESS;
  wanted.max_concurrency = DMAPP_MAX_THREADS_UNLIMITED;
  run_dmapp(
      small_job(1),
      [&](int) {
        dmapp_rma_attrs_ext_t now{};
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_get_rma_attrs_ext(&now));
        EXPECT_EQ(9U, now.queue_depth);
        EXPECT_EQ(std::uint32_t{DMAPP_QUEUE_MAX_NELEMS}, now.queue_nelems);
        EXPECT_EQ(std::uint64_t{DMAPP_QUEUE_ASYNC_PROGRESS}, now.queue_flags);
        EXPECT_EQ(DMAPP_MAX_THREADS_UNLIMITED, now.max_concurrency);
        dmapp_rma_attrs_ext_t other{};
        other.offload_threshold = 123;
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_set_rma_attrs_ext(&other, &now));
        EXPECT_EQ(123U, now.offload_threshold);
        EXPECT_EQ(std::uint32_t{DMAPP_QUEUE_DEFAULT_DEPTH}, now.queue_depth);
        EXPECT_EQ(std::uint32_t{DMAPP_QUEUE_DEFAULT_NELEMS}, now.queue_nelems);
        dmapp_rma_attrs_t plain{};
        EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_get_rma_attrs(nullptr));
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_get_rma_attrs(&plain));
        EXPECT_EQ(123U, plain.offload_threshold);
        EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_set_rma_attrs_ext(nullptr, &now));
      },
      wanted);
}

/// Attributes as a source leaves them that knows nothing of queues.
dmapp_rma_attrs_ext_t without_queues(unsigned char unset) {
  dmapp_rma_attrs_ext_t attributes;
  std::memset(&attributes, unset, sizeof attributes);
  attributes.max_outstanding_nb = DMAPP_DEF_OUTSTANDING_NB;
  attributes.offload_threshold = DMAPP_OFFLOAD_THRESHOLD;
  attributes.put_relaxed_ordering = DMAPP_ROUTING_ADAPTIVE;
  attributes.get_relaxed_ordering = DMAPP_ROUTING_ADAPTIVE_3;
  attributes.max_concurrency = 1;
  attributes.PI_ordering = DMAPP_PI_ORDERING_STRICT;
  return attributes;
}

TEST(Attributes, OfQueuesMayBeUnset) {
  const auto expect_legal = [](const dmapp_rma_attrs_ext_t& actual) {
    EXPECT_EQ(std::uint32_t{DMAPP_QUEUE_MAX_DEPTH}, actual.queue_depth);
    EXPECT_EQ(std::uint32_t{DMAPP_QUEUE_MAX_NELEMS}, actual.queue_nelems);
    EXPECT_EQ(std::uint64_t{DMAPP_QUEUE_ASYNC_PROGRESS}, actual.queue_flags);
    EXPECT_EQ(DMAPP_PI_ORDERING_STRICT, actual.PI_ordering);
    EXPECT_EQ(DMAPP_ROUTING_ADAPTIVE_3, actual.get_relaxed_ordering);
  };
  run_dmapp(small_job(2), [&](int) {
    ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_finalize());
    dmapp_rma_attrs_ext_t unset = without_queues(0xA5);
    dmapp_rma_attrs_ext_t actual{};
    ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_init_ext(&unset, &actual));
    expect_legal(actual);
    unset = without_queues(0xFF);
    actual = {};
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_init_ext(&unset, &actual));  // a second start
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_finalize());
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_set_rma_attrs_ext(&unset, &actual));
    expect_legal(actual);
    // Members that every source knows are checked.
    unset.put_relaxed_ordering = DMAPP_ROUTING_ADAPTIVE_3 + 1;
    EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_set_rma_attrs_ext(&unset, &actual));
    unset = without_queues(0);
    unset.PI_ordering = DMAPP_PI_ORDERING_RELAXED + 1;
    EXPECT_EQ(DMAPP_RC_INVALID_PARAM, dmapp_set_rma_attrs_ext(&unset, &actual));
  });
}

}  // namespace
}  // namespace castor_test
