// What the functions that make things say when the host has no memory left.
#include <sys/resource.h>

#include <cstdlib>

#include "tests/nic/test_machine.h"

namespace nic_test {
namespace {

/// While it exists, the process gets no memory, by whatever name.
class NoMemory {
 public:
  NoMemory() {
    getrlimit(RLIMIT_AS, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_AS, &none);
    for (std::size_t size = 1 << 20; size > largest_listed; size /= 2) use_up(size);
    for (std::size_t size = largest_listed; size > 0; size -= step) use_up(size);
  }
  ~NoMemory() {
    setrlimit(RLIMIT_AS, &before_);
    while (taken_ != nullptr) std::free(std::exchange(taken_, *static_cast<void**>(taken_)));
  }
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;

 private:
  // Blocks that malloc keeps in lists by their size, in steps.
  static constexpr std::size_t step = 16;
  static constexpr std::size_t largest_listed = 1040;

  void use_up(std::size_t size) {
    while (void* const block = std::malloc(size)) {
      *static_cast<void**>(block) = taken_;
      taken_ = block;
    }
  }

  rlimit before_{};
  void* taken_ = nullptr;
};

class ShortageTest : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer ends a process that has no memory";
#endif
  }

  /// `make` says that there is no memory, at the latest when what is left of what was taken before
  /// has been used, and works when there is memory again.
  template <typename Make>
  static void expect_shortage(Make make) {
    gni_return_t code = GNI_RC_SUCCESS;
    {
      const NoMemory none;
      for (int i = 0; i < 1000 && code == GNI_RC_SUCCESS; ++i) code = make();
    }
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, code);
    EXPECT_EQ(GNI_RC_SUCCESS, make());
  }
};

TEST_F(ShortageTest, OfDomains) {
  run_rank([] {
    gni_cdm_handle_t domain = nullptr;
    expect_shortage([&] { return GNI_CdmCreate(1, 42, 7, 0, &domain); });
    std::uint32_t address = 0;
    gni_nic_handle_t nic = nullptr;
    expect_shortage([&] { return GNI_CdmAttach(domain, 0, &address, &nic); });
  });
}

TEST_F(ShortageTest, OfQueuesAndEndpoints) {
  run_rank([] {
    Side side(1);
    gni_cq_handle_t queue = nullptr;
    gni_ep_handle_t endpoint = nullptr;
    expect_shortage(
        [&] { return GNI_CqCreate(side.nic, 8, 0, GNI_CQ_NOBLOCK, nullptr, nullptr, &queue); });
    std::vector<gni_ep_handle_t> made;
    made.reserve(2000);
    expect_shortage([&] {
      const gni_return_t code = GNI_EpCreate(side.nic, queue, &endpoint);
      if (code == GNI_RC_SUCCESS) made.push_back(endpoint);
      return code;
    });
    for (const gni_ep_handle_t each : made) EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpDestroy(each));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqDestroy(queue));  // one that was not made does not use it
  });
}

TEST_F(ShortageTest, OfRegistrations) {
  run_rank([] {
    Side side(1);
    gni_mem_handle_t handle;
    expect_shortage([&] {
      return GNI_MemRegister(side.nic, reinterpret_cast<std::uint64_t>(side.memory.data()), 8,
                             nullptr, GNI_MEM_READWRITE, 0, &handle);
    });
  });
}

TEST_F(ShortageTest, OfBytesOnTheirWay) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    std::vector<std::byte> large(1 << 20);
    auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 8, 0, 0);
    put.local_addr = reinterpret_cast<std::uint64_t>(large.data());
    put.length = large.size();
    gni_return_t code = GNI_RC_SUCCESS;
    {
      const NoMemory none;
      code = GNI_PostFma(side.ep, &put);
    }
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, code);
    put.length = 8;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &put));
    EXPECT_EQ(GNI_RC_SUCCESS, complete(side, put));
  });
}

}  // namespace
}  // namespace nic_test
