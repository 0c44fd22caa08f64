// The predefined reduction operations, for every basic type they are defined on.
#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <type_traits>

#include "netmod/mpi/operations/op.h"

namespace netmod {
namespace {

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// What a register for vectors holds on every host.
constexpr std::size_t vector_bytes = 16;

/// A number of elements that is known when it is compiled, between arrays that are not each
/// other's: at -O2, too, GCC makes vector instructions of it, if it fills one register.
template <class T, class Combine, Operand in_is, std::size_t elements>
void combine_block(const std::byte* in, std::byte* inout) {
  std::array<T, elements> a;
  std::array<T, elements> b;
  std::memcpy(a.data(), in, sizeof a);
  std::memcpy(b.data(), inout, sizeof b);
  for (std::size_t i = 0; i < elements; ++i) {
    b[i] = static_cast<T>(in_is == Operand::first ? Combine()(a[i], b[i]) : Combine()(b[i], a[i]));
  }
  std::memcpy(inout, b.data(), sizeof b);
}

template <class T, class Combine, Operand in_is>
void combine_in_order(const std::byte* in, std::byte* inout, std::int64_t count) {
  constexpr std::size_t block = std::max<std::size_t>(vector_bytes / sizeof(T), 1);
  auto left = static_cast<std::size_t>(count);
  for (; left >= block; left -= block, in += block * sizeof(T), inout += block * sizeof(T)) {
    combine_block<T, Combine, in_is, block>(in, inout);
  }
  for (; left > 0; --left, in += sizeof(T), inout += sizeof(T)) {
    combine_block<T, Combine, in_is, 1>(in, inout);
  }
}

template <class T, class Combine>
void combine_all(const std::byte* in, Operand in_is, std::byte* inout, std::int64_t count) {
  if (in_is == Operand::first) {
    combine_in_order<T, Combine, Operand::first>(in, inout, count);
  } else {
    combine_in_order<T, Combine, Operand::second>(in, inout, count);
  }
}

// Arithmetic of integers wraps, as the machine's does.
template <class T>
auto wrapping(T value) {
  if constexpr (std::is_integral_v<T>) {
    // Products of types shorter than int would be computed, and overflow, as int.
    return static_cast<std::common_type_t<std::make_unsigned_t<T>, unsigned>>(value);
  } else {
    return value;
  }
}

struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Sum {
  template <class T>
  auto operator()(T a, T b) const {
    return wrapping(a) + wrapping(b);
  }
};
struct Product {
  template <class T>
  auto operator()(T a, T b) const {
    return wrapping(a) * wrapping(b);
  }
};
struct LogicalAnd {
  template <class T>
  bool operator()(T a, T b) const {
    return a != T() && b != T();
  }
};
struct LogicalOr {
  template <class T>
  bool operator()(T a, T b) const {
    return a != T() || b != T();
  }
};
struct LogicalXor {
  template <class T>
  bool operator()(T a, T b) const {
    return (a != T()) != (b != T());
  }
};
struct BitAnd {
  template <class T>
  auto operator()(T a, T b) const {
    return a & b;
  }
};
struct BitOr {
  template <class T>
  auto operator()(T a, T b) const {
    return a | b;
  }
};
struct BitXor {
  template <class T>
  auto operator()(T a, T b) const {
    return a ^ b;
  }
};

/// Value and index; of equal values the lower index wins.
template <class T, class Index, bool maximum>
void combine_pairs(const std::byte* in, Operand in_is, std::byte* inout, std::int64_t count) {
  constexpr std::int64_t step = sizeof(T) + sizeof(Index);
  const bool in_first = in_is == Operand::first;
  for (std::int64_t i = 0; i < count; ++i, in += step, inout += step) {
    const std::byte* const first = in_first ? in : inout;
    const std::byte* const second = in_first ? inout : in;
    const T a = load<T>(first);
    const T b = load<T>(second);
    const Index a_index = load<Index>(first + sizeof(T));
    const Index b_index = load<Index>(second + sizeof(T));
    const bool take_first = a == b ? a_index < b_index : (maximum ? a > b : a < b);
    if (take_first == in_first) std::memcpy(inout, in, static_cast<std::size_t>(step));
  }
}

template <class T>
Kernel arithmetic_kernel(MPI_Op op) {
  switch (op) {
    case MPI_MAX:
      return combine_all<T, Max>;
    case MPI_MIN:
      return combine_all<T, Min>;
    case MPI_SUM:
      return combine_all<T, Sum>;
    case MPI_PROD:
      return combine_all<T, Product>;
    default:
      return nullptr;
  }
}

template <class T>
Kernel integer_kernel(MPI_Op op) {
  switch (op) {
    case MPI_LAND:
      return combine_all<T, LogicalAnd>;
    case MPI_LOR:
      return combine_all<T, LogicalOr>;
    case MPI_LXOR:
      return combine_all<T, LogicalXor>;
    case MPI_BAND:
      return combine_all<T, BitAnd>;
    case MPI_BOR:
      return combine_all<T, BitOr>;
    case MPI_BXOR:
      return combine_all<T, BitXor>;
    default:
      return arithmetic_kernel<T>(op);
  }
}

template <class T>
Kernel complex_kernel(MPI_Op op) {
  if (op == MPI_SUM) return combine_all<T, Sum>;
  if (op == MPI_PROD) return combine_all<T, Product>;
  return nullptr;
}

template <class T>
Kernel logical_kernel(MPI_Op op) {
  if (op == MPI_LAND) return combine_all<T, LogicalAnd>;
  if (op == MPI_LOR) return combine_all<T, LogicalOr>;
  if (op == MPI_LXOR) return combine_all<T, LogicalXor>;
  return nullptr;
}

Kernel byte_kernel(MPI_Op op) {
  if (op == MPI_BAND) return combine_all<std::uint8_t, BitAnd>;
  if (op == MPI_BOR) return combine_all<std::uint8_t, BitOr>;
  if (op == MPI_BXOR) return combine_all<std::uint8_t, BitXor>;
  return nullptr;
}

template <class T, class Index>
Kernel pair_kernel(MPI_Op op) {
  if (op == MPI_MAXLOC) return combine_pairs<T, Index, true>;
  if (op == MPI_MINLOC) return combine_pairs<T, Index, false>;
  return nullptr;
}

Kernel pair_kernel_of(MPI_Op op, PairValue value) {
  switch (value) {
    case PairValue::f32:
      return pair_kernel<float, int>(op);
    case PairValue::f64:
      return pair_kernel<double, int>(op);
    case PairValue::f80:
      return pair_kernel<long double, int>(op);
    case PairValue::i64:
      return pair_kernel<std::int64_t, int>(op);
    case PairValue::i16:
      return pair_kernel<std::int16_t, int>(op);
    case PairValue::i32:
      return pair_kernel<std::int32_t, int>(op);
    case PairValue::two_f32:
      return pair_kernel<float, float>(op);
    case PairValue::two_f64:
      return pair_kernel<double, double>(op);
    case PairValue::none:
      break;
  }
  return nullptr;
}

template <class One, class Two, class Four, class Eight>
Kernel integer_kernel_of_size(MPI_Op op, int size) {
  switch (size) {
    case 1:
      return integer_kernel<One>(op);
    case 2:
      return integer_kernel<Two>(op);
    case 4:
      return integer_kernel<Four>(op);
    default:
      return integer_kernel<Eight>(op);
  }
}

}  // namespace

bool is_predefined_op(MPI_Op op) { return op >= MPI_MAX && op <= MPI_NO_OP; }

Kernel find_kernel(MPI_Op op, const BasicType& type) {
  switch (type.kind) {
    case BasicKind::signed_integer:
      return integer_kernel_of_size<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(
          op, type.size);
    case BasicKind::unsigned_integer:
      return integer_kernel_of_size<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(
          op, type.size);
    case BasicKind::floating:
      if (of_quads(type)) return arithmetic_kernel<Quad>(op);
      if (type.size == 4) return arithmetic_kernel<float>(op);
      return type.size == 8 ? arithmetic_kernel<double>(op) : arithmetic_kernel<long double>(op);
    case BasicKind::complex:
      if (of_quads(type)) return complex_kernel<std::complex<Quad>>(op);
      if (type.size == 8) return complex_kernel<std::complex<float>>(op);
      return type.size == 16 ? complex_kernel<std::complex<double>>(op)
                             : complex_kernel<std::complex<long double>>(op);
    case BasicKind::logical:
      return type.size == 1 ? logical_kernel<std::uint8_t>(op) : logical_kernel<std::int32_t>(op);
    case BasicKind::byte:
      return byte_kernel(op);
    case BasicKind::pair:
      return pair_kernel_of(op, type.pair);
    case BasicKind::none:
    case BasicKind::character:
    case BasicKind::marker:
      return nullptr;
  }
  return nullptr;
}

}  // namespace netmod
