// Reductions: all operations, all types, order of ranks, equal bits, modelled cost.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <random>
#include <vector>

#include "netmod/mpi/datatypes/datatype.h"
#include "tests/netmod/mpi_run.h"

namespace netmod::testing {
namespace {

class Reductions : public ::testing::TestWithParam<int> {};

TEST_P(Reductions, SumsOfAnyLength) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    for (const int count : {0, 1, 3, 256, 257, 300, 5000}) {
      std::vector<long> mine, expected, result(static_cast<std::size_t>(count), -1);
      for (int i = 0; i < count; ++i) {
        mine.push_back((rank + 1) * 1000003L + i);
        long sum = 0;
        for (int r = 0; r < size; ++r) sum += (r + 1) * 1000003L + i;
        expected.push_back(sum);
      }
      MPI_Allreduce(mine.data(), result.data(), count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_EQ(result, expected);
      std::vector<long> in_place = mine;
      MPI_Allreduce(MPI_IN_PLACE, in_place.data(), count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_EQ(in_place, expected);
      for (int root = 0; root < size; ++root) {
        std::fill(result.begin(), result.end(), -1);
        MPI_Reduce(mine.data(), rank == root ? result.data() : nullptr, count, MPI_LONG, MPI_SUM,
                   root, MPI_COMM_WORLD);
        if (rank == root) {
          EXPECT_EQ(result, expected);
        }
        in_place = mine;
        MPI_Reduce(rank == root ? MPI_IN_PLACE : in_place.data(),
                   rank == root ? in_place.data() : nullptr, count, MPI_LONG, MPI_SUM, root,
                   MPI_COMM_WORLD);
        EXPECT_EQ(in_place, rank == root ? expected : mine);
      }
    }
  });
}

TEST_P(Reductions, FloatingSumsHaveTheSameBitsEverywhere) {
  const int size = GetParam();
  std::vector<std::vector<double>> results(static_cast<std::size_t>(size));
  for (const int count : {5, 1000}) {
    run_mpi(size, [&](int rank) {
      std::vector<double> mine, result(static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) mine.push_back(1.0 / (3 + rank * 7 + i));
      MPI_Allreduce(mine.data(), result.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      results[static_cast<std::size_t>(rank)] = result;
    });
    for (const auto& result : results) {
      EXPECT_EQ(std::memcmp(result.data(), results[0].data(), result.size() * sizeof(double)), 0);
    }
  }
}

/// Strings as 2 x 2 matrices: multiplication is associative but keeps the order.
struct Matrix {
  std::uint32_t a, b, c, d;
};
void multiply_matrices(void* in, void* inout, int* length, MPI_Datatype*) {
  const auto* left = static_cast<Matrix*>(in);
  auto* right = static_cast<Matrix*>(inout);
  for (int i = 0; i < *length; ++i) {
    const Matrix l = left[i], r = right[i];
    right[i] = {l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.c * r.a + l.d * r.c,
                l.c * r.b + l.d * r.d};
  }
}
Matrix matrix_of_rank(int rank) {
  const auto r = static_cast<std::uint32_t>(rank);
  return {r + 2, 2 * r + 1, 3 * r + 5, r * r + 7};
}

TEST_P(Reductions, OrderOfRanksIsKept) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    MPI_Op product;
    MPI_Op_create(multiply_matrices, 0, &product);
    MPI_Datatype type;
    MPI_Type_contiguous(4, MPI_UINT32_T, &type);
    MPI_Type_commit(&type);
    int commutes = 1;
    MPI_Op_commutative(product, &commutes);
    EXPECT_EQ(commutes, 0);
    std::vector<Matrix> prefix;  // product of ranks 0 to r
    for (int r = 0; r < size; ++r) {
      Matrix next = matrix_of_rank(r);
      int one = 1;
      if (r > 0) multiply_matrices(&prefix.back(), &next, &one, &type);
      prefix.push_back(next);
    }
    const auto same = [](const Matrix& a, const Matrix& b) {
      return std::memcmp(&a, &b, sizeof a) == 0;
    };
    const Matrix mine = matrix_of_rank(rank);
    Matrix result{};
    MPI_Allreduce(&mine, &result, 1, type, product, MPI_COMM_WORLD);
    EXPECT_TRUE(same(result, prefix.back()));
    for (int root = 0; root < size; ++root) {
      result = {};
      MPI_Reduce(&mine, &result, 1, type, product, root, MPI_COMM_WORLD);
      if (rank == root) {
        EXPECT_TRUE(same(result, prefix.back()));
      }
    }
    MPI_Scan(&mine, &result, 1, type, product, MPI_COMM_WORLD);
    EXPECT_TRUE(same(result, prefix[static_cast<std::size_t>(rank)]));
    MPI_Exscan(&mine, &result, 1, type, product, MPI_COMM_WORLD);
    if (rank > 0) {
      EXPECT_TRUE(same(result, prefix[static_cast<std::size_t>(rank - 1)]));
    }
    MPI_Op_free(&product);
    EXPECT_EQ(product, MPI_OP_NULL);
    MPI_Type_free(&type);
  });
}

TEST_P(Reductions, PartsOfTheResult) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    std::vector<int> counts, mine;
    for (int r = 0; r < size; ++r) {
      counts.push_back(r % 3);
      for (int i = 0; i < r % 3; ++i) mine.push_back(rank + 100 * r + i);
    }
    std::vector<int> part(3, -1);
    MPI_Reduce_scatter(mine.data(), part.data(), counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 3; ++i) {
      const int sum = size * (size - 1) / 2 + size * (100 * rank + i);
      EXPECT_EQ(part[static_cast<std::size_t>(i)], i < rank % 3 ? sum : -1);
    }
    std::vector<int> each(static_cast<std::size_t>(2 * size), rank);
    MPI_Reduce_scatter_block(each.data(), part.data(), 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_EQ(part[0], size - 1);
    EXPECT_EQ(part[1], size - 1);
  });
}

TEST_P(Reductions, PairsFindTheLowestIndex) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    struct {
      double value;
      int index;
    } mine{static_cast<double>(rank % 3), rank}, result{-1, -1};
    MPI_Allreduce(&mine, &result, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    EXPECT_EQ(result.value, std::min(size - 1, 2));
    EXPECT_EQ(result.index, std::min(size - 1, 2));
    MPI_Allreduce(&mine, &result, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
    EXPECT_EQ(result.value, 0);
    EXPECT_EQ(result.index, 0);
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, Reductions, ::testing::ValuesIn(world_sizes),
                         ::testing::PrintToStringParamName());

template <class T>
T reduce_two(T a, T b, MPI_Datatype type, MPI_Op op) {
  EXPECT_EQ(MPI_Reduce_local(&a, &b, 1, type, op), MPI_SUCCESS);
  return b;
}

template <class T>
void check_integer(MPI_Datatype type) {
  const T a = static_cast<T>(0x5d), b = static_cast<T>(0x36);
  EXPECT_EQ(reduce_two<T>(a, b, type, MPI_MAX), std::max(a, b));
  EXPECT_EQ(reduce_two<T>(a, b, type, MPI_MIN), std::min(a, b));
  EXPECT_EQ(reduce_two<T>(a, b, type, MPI_SUM), static_cast<T>(0x5d + 0x36));
  EXPECT_EQ(reduce_two<T>(a, b, type, MPI_PROD), static_cast<T>(0x5d * 0x36));
  EXPECT_EQ(reduce_two<T>(a, b, type, MPI_BAND), static_cast<T>(a & b));
  EXPECT_EQ(reduce_two<T>(a, b, type, MPI_BOR), static_cast<T>(a | b));
  EXPECT_EQ(reduce_two<T>(a, b, type, MPI_BXOR), static_cast<T>(a ^ b));
  EXPECT_EQ(reduce_two<T>(a, T{0}, type, MPI_LAND), T{0});
  EXPECT_EQ(reduce_two<T>(a, T{0}, type, MPI_LOR), T{1});
  EXPECT_EQ(reduce_two<T>(a, b, type, MPI_LXOR), T{0});
  if (std::is_signed_v<T>) {
    EXPECT_EQ(reduce_two<T>(static_cast<T>(-3), T{2}, type, MPI_MAX), T{2});
  } else {
    EXPECT_EQ(reduce_two<T>(static_cast<T>(-3), T{2}, type, MPI_MAX), static_cast<T>(-3));
  }
}

TEST(ReduceLocal, IntegersOfEverySize) {
  run_mpi(1, [](int) {
    check_integer<signed char>(MPI_SIGNED_CHAR);
    check_integer<char>(MPI_CHAR);
    check_integer<unsigned char>(MPI_UNSIGNED_CHAR);
    check_integer<short>(MPI_SHORT);
    check_integer<unsigned short>(MPI_UNSIGNED_SHORT);
    check_integer<int>(MPI_INT);
    check_integer<unsigned>(MPI_UNSIGNED);
    check_integer<long>(MPI_LONG);
    check_integer<unsigned long>(MPI_UNSIGNED_LONG);
    check_integer<long long>(MPI_LONG_LONG);
    check_integer<unsigned long long>(MPI_UNSIGNED_LONG_LONG);
    check_integer<std::int8_t>(MPI_INT8_T);
    check_integer<std::uint16_t>(MPI_UINT16_T);
    check_integer<std::int32_t>(MPI_INTEGER);
    check_integer<std::uint64_t>(MPI_UINT64_T);
    check_integer<MPI_Aint>(MPI_AINT);
    check_integer<MPI_Offset>(MPI_OFFSET);
    check_integer<MPI_Count>(MPI_COUNT);
  });
}

TEST(ReduceLocal, FloatingComplexAndLogical) {
  run_mpi(1, [](int) {
    EXPECT_EQ(reduce_two(1.5f, 2.25f, MPI_FLOAT, MPI_SUM), 3.75f);
    EXPECT_EQ(reduce_two(-1.5, 2.0, MPI_DOUBLE, MPI_PROD), -3.0);
    EXPECT_EQ(reduce_two(-1.5, 2.0, MPI_DOUBLE_PRECISION, MPI_MIN), -1.5);
    EXPECT_EQ(reduce_two(1.5L, 2.0L, MPI_LONG_DOUBLE, MPI_MAX), 2.0L);
    using Complex = std::complex<double>;
    EXPECT_EQ(reduce_two(Complex(1, 2), Complex(3, -1), MPI_C_DOUBLE_COMPLEX, MPI_PROD),
              Complex(5, 5));
    EXPECT_EQ(reduce_two(Complex(1, 2), Complex(3, -1), MPI_DOUBLE_COMPLEX, MPI_SUM),
              Complex(4, 1));
    // Fortran's real(16) has more digits than a long double.
    using netmod::Quad;
    const Quad above_one = 1 + static_cast<Quad>(1) / 4 / (1ull << 63) / (1ull << 40);
    EXPECT_TRUE(above_one > 1);
    EXPECT_TRUE(reduce_two<Quad>(1, above_one - 1, MPI_REAL16, MPI_SUM) == above_one);
    EXPECT_TRUE(reduce_two<Quad>(1, above_one, MPI_REAL16, MPI_MAX) == above_one);
    using QuadComplex = std::complex<Quad>;
    const QuadComplex product =
        reduce_two(QuadComplex(0, above_one), QuadComplex(0, 2), MPI_COMPLEX32, MPI_PROD);
    EXPECT_TRUE(product.real() == -2 * above_one && product.imag() == 0);
    EXPECT_EQ(reduce_two(true, false, MPI_C_BOOL, MPI_LOR), true);
    EXPECT_EQ(reduce_two(true, true, MPI_CXX_BOOL, MPI_LXOR), false);
    EXPECT_EQ(reduce_two<unsigned char>(0xf0, 0x3c, MPI_BYTE, MPI_BXOR), 0xcc);
    int in[2] = {4, 9}, inout[2] = {4, 3};
    MPI_Reduce_local(in, inout, 1, MPI_2INT, MPI_MAXLOC);
    EXPECT_EQ(inout[1], 3);
  });
}

/// As many elements as wanted, wherever they lie, are each what it is alone; nothing behind
/// changes.
template <class T>
void check_many(MPI_Datatype type, std::initializer_list<MPI_Op> ops) {
  constexpr std::size_t most = 37;
  std::mt19937_64 random(5);
  const auto draw = [&] {  // small, so that sums and products are exact
    return static_cast<T>(static_cast<int>(random() % 11) + 1);
  };
  for (const MPI_Op op : ops) {
    for (std::size_t count = 0; count < most; ++count) {
      const std::size_t shift = count % 3;
      std::vector<T> in(most), inout(most);
      std::generate(in.begin(), in.end(), draw);
      std::generate(inout.begin(), inout.end(), draw);
      std::vector<std::byte> from(sizeof(T) * most + shift), to(from.size());
      std::memcpy(from.data() + shift, in.data(), sizeof(T) * most);
      std::memcpy(to.data() + shift, inout.data(), sizeof(T) * most);
      EXPECT_EQ(MPI_Reduce_local(from.data() + shift, to.data() + shift, static_cast<int>(count),
                                 type, op),
                MPI_SUCCESS);
      std::vector<T> found(most);
      std::memcpy(found.data(), to.data() + shift, sizeof(T) * most);
      for (std::size_t i = 0; i < most; ++i) {
        const T expected = i < count ? reduce_two(in[i], inout[i], type, op) : inout[i];
        EXPECT_TRUE(found[i] == expected) << "element " << i << " of " << count;
      }
    }
  }
}

TEST(ReduceLocal, AnyNumberAnywhere) {
  run_mpi(1, [](int) {
    const auto integers = {MPI_MAX, MPI_MIN,  MPI_SUM, MPI_PROD, MPI_BAND,
                           MPI_BOR, MPI_BXOR, MPI_LOR, MPI_LXOR};
    const auto others = {MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD};
    check_many<signed char>(MPI_SIGNED_CHAR, integers);
    check_many<unsigned short>(MPI_UNSIGNED_SHORT, integers);
    check_many<int>(MPI_INT, integers);
    check_many<unsigned long>(MPI_UNSIGNED_LONG, integers);
    check_many<float>(MPI_FLOAT, others);
    check_many<double>(MPI_DOUBLE, others);
    check_many<long double>(MPI_LONG_DOUBLE, others);
    check_many<std::complex<float>>(MPI_C_FLOAT_COMPLEX, {MPI_SUM, MPI_PROD});
    check_many<std::complex<double>>(MPI_C_DOUBLE_COMPLEX, {MPI_SUM, MPI_PROD});
  });
}

TEST(ReduceLocal, ElementsCostTime) {
  run_mpi(1, [](int) {
    std::vector<double> in(1000, 1), inout(1000, 1);
    const double start = MPI_Wtime();
    MPI_Reduce_local(in.data(), inout.data(), 1000, MPI_DOUBLE, MPI_SUM);
    const corespec::Parameters parameters;
    EXPECT_NEAR(MPI_Wtime() - start, 1000 * parameters.reduce_element.s(), 1e-12);
  });
}

}  // namespace
}  // namespace netmod::testing
