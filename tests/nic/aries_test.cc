// CASTOR_NIC=aries: the device type, and atomic operations of the second generation.
#include <limits>

#include "tests/nic/test_machine.h"

namespace nic_test {
namespace {

corespec::Parameters aries() {
  corespec::Parameters parameters = free_software();
  parameters.nic = "aries";
  return parameters;
}

/// A word in either memory: of it the operation may change the first `bytes` bytes.
struct Words {
  Side& side;
  Side& peer;
  std::byte* local = side.memory.data() + 64 - side.base() % 64;
  std::byte* remote = peer.memory.data() + 64 - peer.base() % 64;
};

template <typename Word>
struct Case {
  gni_fma_cmd_type_t fetching, silent;
  Word old, first, second, expected;
};

template <typename Word>
void run_case(const Words& words, const Case<Word>& c, bool fetch) {
  constexpr std::byte untouched{0x5A};
  std::memset(words.local, 0x5A, 16);
  std::memset(words.remote, 0x5A, 16);
  std::memcpy(words.remote, &c.old, sizeof c.old);
  auto amo = words.side.descriptor(GNI_POST_AMO, words.peer, sizeof(Word));
  amo.local_addr = reinterpret_cast<std::uint64_t>(words.local);
  amo.remote_addr = reinterpret_cast<std::uint64_t>(words.remote);
  amo.amo_cmd = fetch ? c.fetching : c.silent;
  std::memcpy(&amo.first_operand, &c.first, sizeof c.first);
  std::memcpy(&amo.second_operand, &c.second, sizeof c.second);
  ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(words.side.ep, &amo));
  ASSERT_EQ(GNI_RC_SUCCESS, complete(words.side, amo));
  EXPECT_EQ(0, std::memcmp(words.remote, &c.expected, sizeof c.expected));
  EXPECT_EQ(untouched, words.remote[sizeof(Word)]);
  if (fetch) {
    EXPECT_EQ(0, std::memcmp(words.local, &c.old, sizeof c.old));
  } else {
    EXPECT_EQ(untouched, words.local[0]);
  }
  EXPECT_EQ(untouched, words.local[sizeof(Word)]);
}

#define CASE(name, suffix, old, first, second, expected) \
  { GNI_FMA_ATOMIC2_F##name##suffix, GNI_FMA_ATOMIC2_##name##suffix, old, first, second, expected }
#define INTEGER_CASES(suffix, T)                                                                \
  CASE(AND, suffix, T{0xF0F0}, T{0xFF00}, 0, T{0xF000}),                                        \
      CASE(OR, suffix, T{0xF0F0}, T{0x0F}, 0, T{0xF0FF}),                                       \
      CASE(XOR, suffix, T{0xF0F0}, T{0xFFFF}, 0, T{0x0F0F}),                                    \
      CASE(SWAP, suffix, T{0xF0F0}, T{7}, 0, T{7}),                                             \
      CASE(AX, suffix, T{0xF0F0}, T{0xFF00}, T{1}, T{0xF001}),                                  \
      CASE(CSWAP, suffix, T{5}, T{5}, T{9}, T{9}), CASE(CSWAP, suffix, T{5}, T{6}, T{9}, T{5}), \
      CASE(IMIN, suffix, T{5}, static_cast<T>(-3), 0, static_cast<T>(-3)),                      \
      CASE(IMAX, suffix, T{5}, static_cast<T>(-3), 0, T{5}),                                    \
      CASE(IADD, suffix, T{5}, static_cast<T>(-7), 0, static_cast<T>(-2))
#define REAL_CASES(suffix)                                                            \
  CASE(FPMIN, suffix, 2.5, -1.25, 0, -1.25), CASE(FPMAX, suffix, 2.5, -1.25, 0, 2.5), \
      CASE(FPADD, suffix, 2.5, -1.25, 0, 1.25)

TEST(Aries, SecondGenerationOfAtomics) {
  run_rank(
      [] {
        Side side(1);
        Side peer(2);
        side.bind(peer);
        const Words words{side, peer};
        using U64 = std::uint64_t;
        using U32 = std::uint32_t;
        const Case<U64> integers[] = {INTEGER_CASES(, U64), INTEGER_CASES(_C, U64)};
        const Case<U32> halves[] = {INTEGER_CASES(_S, U32), INTEGER_CASES(_SC, U32)};
        const Case<double> reals[] = {REAL_CASES(), REAL_CASES(_C)};
        const Case<float> floats[] = {REAL_CASES(_S), REAL_CASES(_SC)};
        for (const bool fetch : {true, false}) {
          for (const auto& c : integers) run_case(words, c, fetch);
          for (const auto& c : halves) run_case(words, c, fetch);
          for (const auto& c : reals) run_case(words, c, fetch);
          for (const auto& c : floats) run_case(words, c, fetch);
        }
      },
      aries());
}

TEST(Aries, CodesAndDeviceType) {
  run_rank(
      [] {
        gni_nic_device_t type = GNI_DEVICE_LAST;
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetDeviceType(&type));
        EXPECT_EQ(GNI_DEVICE_ARIES, type);
        Side side(1);
        Side peer(2);
        side.bind(peer);
        auto amo = side.descriptor(GNI_POST_AMO, peer, 4, 0, 4);
        amo.local_addr &= ~std::uint64_t{7};
        amo.remote_addr = (amo.remote_addr & ~std::uint64_t{7}) + 4;
        amo.amo_cmd = GNI_FMA_ATOMIC2_FIADD_S;
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &amo));  // words of 32 bits lie at 4
        EXPECT_EQ(GNI_RC_SUCCESS, complete(side, amo));
        amo.remote_addr += 2;
        EXPECT_EQ(GNI_RC_ALIGNMENT_ERROR, GNI_PostFma(side.ep, &amo));
        amo.remote_addr -= 2;
        amo.length = 8;
        EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostFma(side.ep, &amo));
        amo.amo_cmd = GNI_FMA_ATOMIC2_FIADD;
        EXPECT_EQ(GNI_RC_ALIGNMENT_ERROR, GNI_PostFma(side.ep, &amo));
        amo.remote_addr -= 4;
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &amo));
        EXPECT_EQ(GNI_RC_SUCCESS, complete(side, amo));
        amo.amo_cmd = GNI_FMA_ATOMIC_FADD;  // Gemini's are there, too
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &amo));
        EXPECT_EQ(GNI_RC_SUCCESS, complete(side, amo));
        auto get = side.descriptor(GNI_POST_FMA_GET, peer, 64, 0, 0);
        get.remote_addr = (get.remote_addr + 3) & ~std::uint64_t{3};
        get.local_addr = side.base() + 101;  // the remote end and the length count
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &get));
        EXPECT_EQ(GNI_RC_SUCCESS, complete(side, get));
        EXPECT_EQ(0, std::memcmp(side.memory.data() + 101,
                                 reinterpret_cast<const void*>(get.remote_addr), 64));
        get.length = 62;
        EXPECT_EQ(GNI_RC_ALIGNMENT_ERROR, GNI_PostFma(side.ep, &get));
        for (const unsigned none : {0x040U, 0x241U, 0x04DU, 0x04FU, 0x057U, 0x05FU, 0x441U}) {
          amo.amo_cmd = static_cast<gni_fma_cmd_type_t>(none);
          EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostFma(side.ep, &amo)) << none;
        }
      },
      aries());
}

}  // namespace
}  // namespace nic_test
