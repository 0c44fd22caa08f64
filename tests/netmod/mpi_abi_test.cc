// The interface's constants and layouts are those of the MPICH ABI.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <type_traits>

#include "netmod/include/mpi.h"

namespace {

struct AbiValue {
  const char* name;
  int ours;
  int expected;
};

constexpr AbiValue values[] = {
#define ABI_VALUE(name, value) {#name, static_cast<int>(name), value},
#include "tests/netmod/mpi_abi_values.inc"
#undef ABI_VALUE
};

TEST(MpiAbi, EveryConstantHasItsValue) {
  for (const AbiValue& value : values) EXPECT_EQ(value.ours, value.expected) << value.name;
  EXPECT_GT(std::size(values), 230u);
}

TEST(MpiAbi, SimpleTypesEncodeTheirSize) {
  const auto size = [](MPI_Datatype type) { return (type >> 8) & 0xff; };
  EXPECT_EQ(size(MPI_CHAR), 1);
  EXPECT_EQ(size(MPI_SHORT), int{sizeof(short)});
  EXPECT_EQ(size(MPI_INT), int{sizeof(int)});
  EXPECT_EQ(size(MPI_LONG), int{sizeof(long)});
  EXPECT_EQ(size(MPI_DOUBLE), int{sizeof(double)});
  EXPECT_EQ(size(MPI_LONG_DOUBLE), int{sizeof(long double)});
  EXPECT_EQ(size(MPI_WCHAR), int{sizeof(wchar_t)});
  EXPECT_EQ(size(MPI_AINT), int{sizeof(MPI_Aint)});
}

TEST(MpiAbi, StatusHasItsLayout) {
  EXPECT_EQ(sizeof(MPI_Status), 20u);
  EXPECT_EQ(offsetof(MPI_Status, count_lo), 0u);
  EXPECT_EQ(offsetof(MPI_Status, count_hi_and_cancelled), 4u);
  EXPECT_EQ(offsetof(MPI_Status, MPI_SOURCE), 8u);
  EXPECT_EQ(offsetof(MPI_Status, MPI_TAG), 12u);
  EXPECT_EQ(offsetof(MPI_Status, MPI_ERROR), 16u);
}

TEST(MpiAbi, PointersAndIntegersHaveTheirTypes) {
  EXPECT_EQ(MPI_IN_PLACE, reinterpret_cast<void*>(-1));
  EXPECT_EQ(MPI_STATUS_IGNORE, reinterpret_cast<MPI_Status*>(1));
  EXPECT_EQ(MPI_STATUSES_IGNORE, reinterpret_cast<MPI_Status*>(1));
  EXPECT_EQ(MPI_BOTTOM, nullptr);
  static_assert(std::is_same_v<MPI_Aint, long> && std::is_same_v<MPI_Count, long> &&
                std::is_same_v<MPI_Offset, long> && std::is_same_v<MPI_Fint, int>);
  static_assert(std::is_same_v<MPI_Comm, int> && std::is_same_v<MPI_Request, int>);
}

TEST(MpiAbi, ConstantsWorkInCaseLabels) {
  const auto name = [](int result) -> std::string {
    switch (result) {
      case MPI_IDENT:
        return "ident";
      case MPI_CONGRUENT:
        return "congruent";
      case MPI_SIMILAR:
        return "similar";
      case MPI_UNEQUAL:
        return "unequal";
      case MPI_UNDEFINED:
        return "undefined";
      default:
        return "";
    }
  };
  EXPECT_EQ(name(1), "congruent");
}

}  // namespace
