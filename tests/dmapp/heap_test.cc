// DMAPP: the symmetric heap.
#include <map>
#include <random>

#include "tests/dmapp/job.h"
#include "ugni_emu/rma/block_heap.h"

namespace castor_test {
namespace {

using rma::BlockHeap;

TEST(SymmetricHeap, RandomUseKeepsContentsAndLosesNothing) {
  constexpr std::size_t bytes = 64 * 1024;
  std::vector<std::byte> memory(bytes);
  BlockHeap heap(memory.data(), bytes);
  std::map<std::byte*, std::pair<std::size_t, unsigned>> blocks;
  std::mt19937 random(5);
  const auto fill = [](std::byte* block, std::size_t size, unsigned seed) {
    for (std::size_t i = 0; i < size; ++i) block[i] = pattern(seed, i);
  };
  const auto intact = [](const std::byte* block, std::size_t size, unsigned seed) {
    for (std::size_t i = 0; i < size; ++i) {
      if (block[i] != pattern(seed, i)) return false;
    }
    return true;
  };
  unsigned refused = 0;
  for (unsigned step = 1; step < 20000; ++step) {
    const auto chosen =
        blocks.empty() ? blocks.end()
                       : std::next(blocks.begin(), random() % static_cast<long>(blocks.size()));
    const std::size_t size = 1 + random() % 3000;
    const unsigned what = random() % 3;
    if (what == 0 || chosen == blocks.end()) {
      auto* block = static_cast<std::byte*>(heap.allocate(size));
      if (block == nullptr) {
        ++refused;
        EXPECT_LT(heap.largest_free(), size + BlockHeap::alignment);
        continue;
      }
      EXPECT_EQ(0U, static_cast<std::size_t>(block - memory.data()) % BlockHeap::alignment);
      fill(block, size, step);
      EXPECT_TRUE(blocks.emplace(block, std::pair(size, step)).second);
    } else if (what == 1) {
      auto [block, about] = *chosen;
      auto* moved = static_cast<std::byte*>(heap.reallocate(block, size));
      if (moved == nullptr) {
        EXPECT_TRUE(intact(block, about.first, about.second));
        continue;
      }
      EXPECT_TRUE(intact(moved, std::min(size, about.first), about.second));
      blocks.erase(chosen);
      fill(moved, size, step);
      EXPECT_TRUE(blocks.emplace(moved, std::pair(size, step)).second);
    } else {
      EXPECT_TRUE(intact(chosen->first, chosen->second.first, chosen->second.second));
      EXPECT_TRUE(heap.release(chosen->first));
      EXPECT_FALSE(heap.release(chosen->first));
      blocks.erase(chosen);
    }
  }
  EXPECT_GT(refused, 0U);
  for (auto& [block, about] : blocks) {
    EXPECT_TRUE(intact(block, about.first, about.second));
    EXPECT_TRUE(heap.release(block));
  }
  EXPECT_EQ(0U, heap.used());
  EXPECT_EQ(bytes, heap.largest_free());
}

TEST(SymmetricHeap, TheSameCallsGiveTheSameOffsets) {
  launch::JobRequest request = small_job(3, 2);
  request.settings.emplace_back("XT_SYMMETRIC_HEAP_SIZE", "700k");
  run_dmapp(request, [](int) {
    const dmapp_jobinfo_t info = job_info();
    EXPECT_EQ(700U * 1024 / 4096 * 4096, info.sheap_seg.len);
    void* first = dmapp_sheap_malloc(1000);
    void* second = dmapp_sheap_malloc(5000);
    dmapp_sheap_free(first);
    second = dmapp_sheap_realloc(second, 300000);
    void* third = dmapp_sheap_malloc(2000);
    EXPECT_EQ(nullptr, dmapp_sheap_malloc(700 * 1024));
    dmapp_seg_desc_t own{};
    own.len = static_cast<std::uint64_t>(static_cast<char*>(second) -
                                         static_cast<char*>(info.sheap_seg.addr));
    own.flags = static_cast<std::uint32_t>(static_cast<char*>(third) -
                                           static_cast<char*>(info.sheap_seg.addr));
    for (const dmapp_seg_desc_t& other : all_segments(own)) {
      EXPECT_EQ(own.len, other.len);
      EXPECT_EQ(own.flags, other.flags);
    }
    dmapp_sheap_stats_t stats{};
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_sheap_stats(&stats));
    EXPECT_EQ(info.sheap_seg.len, stats.size);
    EXPECT_EQ(300000U + 2000, stats.used);
  });
}

}  // namespace
}  // namespace castor_test
