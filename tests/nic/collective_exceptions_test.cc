// Collective engines: how sums of floating point are rounded, and which exceptions are reported.
#include <cfenv>
#include <cmath>
#include <limits>

#include "tests/nic/collective_tree.h"

namespace nic_test {
namespace {

std::uint64_t bits(double value) {
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}
std::uint64_t half_bits(float value) {
  std::uint32_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}

constexpr double tiny = 1e-30;
constexpr double most = std::numeric_limits<double>::max();
constexpr double infinite = std::numeric_limits<double>::infinity();
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct Sum {
  std::uint32_t rounding;
  gni_ce_cmd_type_t command;
  std::uint64_t one, other, expected;
  unsigned exceptions;
};

/// Two participants' first operands, and the second ones exact.
void expect_sum(const TreeNode& node, const Sum& sum) {
  const Operands operands[] = {{sum.one, 0}, {sum.other, 0}};
  for (std::size_t i = 0; i < 2; ++i) {
    const Participant& each = *node.participants[i];
    EXPECT_EQ(GNI_RC_SUCCESS, contribute(each, each.descriptor(sum.command, 1, operands[i])));
  }
  for (const auto& each : node.participants) {
    EXPECT_EQ(sum.exceptions == 0 ? GNI_RC_SUCCESS : GNI_RC_TRANSACTION_ERROR, each->result());
    EXPECT_EQ(sum.expected, each->results->result1) << sum.rounding;
    EXPECT_EQ(sum.exceptions, GNI_CE_RES_GET_FPE(each->results)) << sum.rounding;
    EXPECT_NE(0U, GNI_CE_RES_STATUS_OK(each->results));
  }
}

TEST(CollectiveExceptions, RoundsAsItWasToldAndReportsExceptions) {
  constexpr unsigned inexact = GNI_CE_FPE_PRECISION;
  constexpr unsigned overflow = GNI_CE_FPE_OFLOW | GNI_CE_FPE_PRECISION;
  const double above = std::nextafter(1.0, 2.0);
  const double below = std::nextafter(1.0, 0.0);
  const float above_f = std::nextafter(1.0F, 2.0F);
  const auto dp = GNI_FMA_CE_FPADD;
  const auto sp = GNI_FMA_CE_FPADD_S;
  const Sum sums[] = {
      {0, dp, bits(1), bits(tiny), bits(1), inexact},
      {GNI_CE_MODE_ROUND_NEAR, dp, bits(1), bits(-tiny), bits(1), inexact},
      {GNI_CE_MODE_ROUND_UP, dp, bits(1), bits(tiny), bits(above), inexact},
      {GNI_CE_MODE_ROUND_UP, dp, bits(-1), bits(-tiny), bits(-1), inexact},
      {GNI_CE_MODE_ROUND_DOWN, dp, bits(1), bits(-tiny), bits(below), inexact},
      {GNI_CE_MODE_ROUND_DOWN, dp, bits(-1), bits(-tiny), bits(-above), inexact},
      {GNI_CE_MODE_ROUND_ZERO, dp, bits(-1), bits(-tiny), bits(-1), inexact},
      {GNI_CE_MODE_ROUND_ZERO, dp, bits(1), bits(-tiny), bits(below), inexact},
      {GNI_CE_MODE_ROUND_UP, sp, half_bits(1), half_bits(1e-20F), half_bits(above_f), inexact},
      {GNI_CE_MODE_ROUND_NEAR, sp, half_bits(1), half_bits(1e-20F), half_bits(1), inexact},
      {GNI_CE_MODE_ROUND_NEAR, dp, bits(0.5), bits(0.25), bits(0.75), 0},
      {GNI_CE_MODE_ROUND_NEAR, dp, bits(most), bits(most), bits(infinite), overflow},
      {GNI_CE_MODE_ROUND_ZERO, dp, bits(most), bits(most), bits(most), overflow},
      {GNI_CE_MODE_ROUND_DOWN, dp, bits(1), bits(-1), bits(-0.0), 0},
      {0, GNI_FMA_CE_FPMIN_LIDX, bits(3), bits(not_a_number), bits(not_a_number),
       GNI_CE_FPE_OP_INVAL},
      {0, GNI_FMA_CE_FPMAX_GIDX, bits(not_a_number), bits(3), bits(not_a_number),
       GNI_CE_FPE_OP_INVAL},
  };
  run_engine(2, 0, [&](TreeNode& node) {
    std::fesetround(FE_UPWARD);  // the thread's own does not count, and stays
    for (const Sum& sum : sums) {
      ASSERT_EQ(GNI_RC_SUCCESS, node.configure(node.participant_edges(), nullptr, sum.rounding));
      expect_sum(node, sum);
      EXPECT_EQ(FE_UPWARD, std::fegetround());
    }
    std::fesetround(FE_TONEAREST);
  });
}

/// Infinity less infinity is no number; what a participant says of its operands comes through.
TEST(CollectiveExceptions, ExceptionsOfOperandsComeThrough) {
  run_engine(2, 0, [](TreeNode& node) {
    const Participant& one = *node.participants[0];
    const Participant& other = *node.participants[1];
    constexpr std::uint32_t told = GNI_CEMODE_FPE_UFLOW | GNI_CEMODE_FPE_PRECISION;
    EXPECT_EQ(GNI_RC_SUCCESS,
              contribute(one, one.descriptor(GNI_FMA_CE_FPADD, 1, {bits(infinite), 0}, 0, told)));
    EXPECT_EQ(GNI_RC_SUCCESS,
              contribute(other, other.descriptor(GNI_FMA_CE_FPADD, 1, {bits(-infinite), 0}, 0, 0)));
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, other.result());
    double sum = 0;
    std::memcpy(&sum, &other.results->result1, sizeof sum);
    EXPECT_TRUE(std::isnan(sum));
    EXPECT_EQ(GNI_CE_FPE_OP_INVAL | GNI_CE_FPE_UFLOW | GNI_CE_FPE_PRECISION,
              static_cast<int>(GNI_CE_RES_GET_FPE(other.results)));
  });
}

}  // namespace
}  // namespace nic_test
