// One library cannot open the kernel's list of symbols for a while; all else goes on as before.
#include "ugni_emu/fabric/libfabric/kernel_symbols.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <optional>

namespace ugni::fabric {
namespace {

constexpr const char* kernel_symbols = "/proc/kallsyms";
constexpr const char* other_file = "/proc/self/status";

struct KernelSymbols : testing::Test {
  void SetUp() override {
    library.reset(dlopen(TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL));
    ASSERT_NE(library, nullptr) << dlerror();
    opens = reinterpret_cast<int (*)(const char*)>(dlsym(library.get(), "opens"));
    ASSERT_NE(opens, nullptr);
    if (opens(kernel_symbols) == 0) GTEST_SKIP() << "this kernel shows no symbols";
  }
  struct Close {
    void operator()(void* handle) const { dlclose(handle); }
  };
  std::unique_ptr<void, Close> library;
  int (*opens)(const char*) = nullptr;
};

TEST_F(KernelSymbols, AreHiddenFromTheLibraryAloneAndForAWhile) {
  std::optional<KernelSymbolsHidden> hidden(library.get());
  EXPECT_EQ(opens(kernel_symbols), 0);
  EXPECT_EQ(opens(other_file), 1);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> ours(std::fopen(kernel_symbols, "r"),
                                                             &std::fclose);
  EXPECT_NE(ours, nullptr);
  hidden.reset();
  EXPECT_EQ(opens(kernel_symbols), 1);
}

TEST_F(KernelSymbols, MayBeHiddenTwice) {
  const KernelSymbolsHidden outer(library.get());
  { const KernelSymbolsHidden inner(library.get()); }
  EXPECT_EQ(opens(kernel_symbols), 0);
}

TEST_F(KernelSymbols, NothingHappensToALibraryThatOpensNoFiles) {
  void* const without = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(without, nullptr);
  { const KernelSymbolsHidden hidden(without); }
  EXPECT_EQ(opens(kernel_symbols), 1);
  dlclose(without);
}

}  // namespace
}  // namespace ugni::fabric
