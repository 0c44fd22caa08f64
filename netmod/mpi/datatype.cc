// The table of basic types; packing and unpacking by type map.
#include "netmod/mpi/datatype.h"

#include <algorithm>
#include <cstring>

namespace netmod {
namespace {

struct Entry {
  MPI_Datatype handle;
  BasicKind kind;
  PairValue pair;
  const char* name;
};

constexpr Entry entries[] = {
    {MPI_CHAR, BasicKind::signed_integer, PairValue::none, "MPI_CHAR"},
    {MPI_UNSIGNED_CHAR, BasicKind::unsigned_integer, PairValue::none, "MPI_UNSIGNED_CHAR"},
    {MPI_SHORT, BasicKind::signed_integer, PairValue::none, "MPI_SHORT"},
    {MPI_UNSIGNED_SHORT, BasicKind::unsigned_integer, PairValue::none, "MPI_UNSIGNED_SHORT"},
    {MPI_INT, BasicKind::signed_integer, PairValue::none, "MPI_INT"},
    {MPI_UNSIGNED, BasicKind::unsigned_integer, PairValue::none, "MPI_UNSIGNED"},
    {MPI_LONG, BasicKind::signed_integer, PairValue::none, "MPI_LONG"},
    {MPI_UNSIGNED_LONG, BasicKind::unsigned_integer, PairValue::none, "MPI_UNSIGNED_LONG"},
    {MPI_LONG_LONG_INT, BasicKind::signed_integer, PairValue::none, "MPI_LONG_LONG_INT"},
    {MPI_FLOAT, BasicKind::floating, PairValue::none, "MPI_FLOAT"},
    {MPI_DOUBLE, BasicKind::floating, PairValue::none, "MPI_DOUBLE"},
    {MPI_LONG_DOUBLE, BasicKind::floating, PairValue::none, "MPI_LONG_DOUBLE"},
    {MPI_BYTE, BasicKind::byte, PairValue::none, "MPI_BYTE"},
    {MPI_WCHAR, BasicKind::character, PairValue::none, "MPI_WCHAR"},
    {MPI_PACKED, BasicKind::character, PairValue::none, "MPI_PACKED"},
    {MPI_LB, BasicKind::marker, PairValue::none, "MPI_LB"},
    {MPI_UB, BasicKind::marker, PairValue::none, "MPI_UB"},
    {MPI_2INT, BasicKind::pair, PairValue::i32, "MPI_2INT"},
    {MPI_SIGNED_CHAR, BasicKind::signed_integer, PairValue::none, "MPI_SIGNED_CHAR"},
    {MPI_UNSIGNED_LONG_LONG, BasicKind::unsigned_integer, PairValue::none,
     "MPI_UNSIGNED_LONG_LONG"},
    {MPI_CHARACTER, BasicKind::character, PairValue::none, "MPI_CHARACTER"},
    {MPI_INTEGER, BasicKind::signed_integer, PairValue::none, "MPI_INTEGER"},
    {MPI_REAL, BasicKind::floating, PairValue::none, "MPI_REAL"},
    {MPI_LOGICAL, BasicKind::logical, PairValue::none, "MPI_LOGICAL"},
    {MPI_COMPLEX, BasicKind::complex, PairValue::none, "MPI_COMPLEX"},
    {MPI_DOUBLE_PRECISION, BasicKind::floating, PairValue::none, "MPI_DOUBLE_PRECISION"},
    {MPI_2INTEGER, BasicKind::pair, PairValue::i32, "MPI_2INTEGER"},
    {MPI_2REAL, BasicKind::pair, PairValue::two_f32, "MPI_2REAL"},
    {MPI_DOUBLE_COMPLEX, BasicKind::complex, PairValue::none, "MPI_DOUBLE_COMPLEX"},
    {MPI_2DOUBLE_PRECISION, BasicKind::pair, PairValue::two_f64, "MPI_2DOUBLE_PRECISION"},
    {MPI_REAL4, BasicKind::floating, PairValue::none, "MPI_REAL4"},
    {MPI_COMPLEX8, BasicKind::complex, PairValue::none, "MPI_COMPLEX8"},
    {MPI_REAL8, BasicKind::floating, PairValue::none, "MPI_REAL8"},
    {MPI_COMPLEX16, BasicKind::complex, PairValue::none, "MPI_COMPLEX16"},
    {MPI_REAL16, BasicKind::floating, PairValue::none, "MPI_REAL16"},
    {MPI_COMPLEX32, BasicKind::complex, PairValue::none, "MPI_COMPLEX32"},
    {MPI_INTEGER1, BasicKind::signed_integer, PairValue::none, "MPI_INTEGER1"},
    {MPI_INTEGER2, BasicKind::signed_integer, PairValue::none, "MPI_INTEGER2"},
    {MPI_INTEGER4, BasicKind::signed_integer, PairValue::none, "MPI_INTEGER4"},
    {MPI_INTEGER8, BasicKind::signed_integer, PairValue::none, "MPI_INTEGER8"},
    {MPI_CXX_BOOL, BasicKind::logical, PairValue::none, "MPI_CXX_BOOL"},
    {MPI_CXX_FLOAT_COMPLEX, BasicKind::complex, PairValue::none, "MPI_CXX_FLOAT_COMPLEX"},
    {MPI_CXX_DOUBLE_COMPLEX, BasicKind::complex, PairValue::none, "MPI_CXX_DOUBLE_COMPLEX"},
    {MPI_CXX_LONG_DOUBLE_COMPLEX, BasicKind::complex, PairValue::none,
     "MPI_CXX_LONG_DOUBLE_COMPLEX"},
    {MPI_INT8_T, BasicKind::signed_integer, PairValue::none, "MPI_INT8_T"},
    {MPI_INT16_T, BasicKind::signed_integer, PairValue::none, "MPI_INT16_T"},
    {MPI_INT32_T, BasicKind::signed_integer, PairValue::none, "MPI_INT32_T"},
    {MPI_INT64_T, BasicKind::signed_integer, PairValue::none, "MPI_INT64_T"},
    {MPI_UINT8_T, BasicKind::unsigned_integer, PairValue::none, "MPI_UINT8_T"},
    {MPI_UINT16_T, BasicKind::unsigned_integer, PairValue::none, "MPI_UINT16_T"},
    {MPI_UINT32_T, BasicKind::unsigned_integer, PairValue::none, "MPI_UINT32_T"},
    {MPI_UINT64_T, BasicKind::unsigned_integer, PairValue::none, "MPI_UINT64_T"},
    {MPI_C_BOOL, BasicKind::logical, PairValue::none, "MPI_C_BOOL"},
    {MPI_C_FLOAT_COMPLEX, BasicKind::complex, PairValue::none, "MPI_C_FLOAT_COMPLEX"},
    {MPI_C_DOUBLE_COMPLEX, BasicKind::complex, PairValue::none, "MPI_C_DOUBLE_COMPLEX"},
    {MPI_C_LONG_DOUBLE_COMPLEX, BasicKind::complex, PairValue::none, "MPI_C_LONG_DOUBLE_COMPLEX"},
    {MPI_AINT, BasicKind::signed_integer, PairValue::none, "MPI_AINT"},
    {MPI_OFFSET, BasicKind::signed_integer, PairValue::none, "MPI_OFFSET"},
    {MPI_COUNT, BasicKind::signed_integer, PairValue::none, "MPI_COUNT"},
};

constexpr std::array<BasicType, 0x46> make_simple_types() {
  std::array<BasicType, 0x46> table;
  for (const Entry& entry : entries) {
    const auto bits = static_cast<std::uint32_t>(entry.handle);
    table[bits & 0xff] = {entry.handle, static_cast<std::uint8_t>(bits >> 8 & 0xff), entry.kind,
                          entry.pair, entry.name};
  }
  return table;
}

struct PairShape {
  std::int64_t value_bytes;
  std::int64_t extent;
};
constexpr std::array<PairShape, padded_pair_count> pair_shapes{
    {{4, 8}, {8, 16}, {8, 16}, {2, 8}, {16, 32}}};

Datatype make_padded_pair(std::uint32_t number) {
  const PairShape shape = pair_shapes[number];
  const std::int64_t index_offset = std::max<std::int64_t>(shape.value_bytes, 4);
  Datatype made;
  made.size = shape.value_bytes + 4;
  made.ub = shape.extent;
  made.true_ub = index_offset + 4;
  made.alignment = std::max<std::int64_t>(shape.value_bytes, 4);
  made.blocks = {{0, shape.value_bytes, static_cast<std::uint32_t>(shape.value_bytes)},
                 {index_offset, 4, 4}};
  if (made.size == made.ub) made.blocks = {{0, made.size, 4}};
  made.basic = &padded_pairs[number];
  made.committed = true;
  return made;
}

}  // namespace

constinit const std::array<BasicType, 0x46> simple_types = make_simple_types();

constinit const std::array<BasicType, padded_pair_count> padded_pairs{{
    {MPI_FLOAT_INT, 8, BasicKind::pair, PairValue::f32, "MPI_FLOAT_INT"},
    {MPI_DOUBLE_INT, 12, BasicKind::pair, PairValue::f64, "MPI_DOUBLE_INT"},
    {MPI_LONG_INT, 12, BasicKind::pair, PairValue::i64, "MPI_LONG_INT"},
    {MPI_SHORT_INT, 6, BasicKind::pair, PairValue::i16, "MPI_SHORT_INT"},
    {MPI_LONG_DOUBLE_INT, 20, BasicKind::pair, PairValue::f80, "MPI_LONG_DOUBLE_INT"},
}};

std::int64_t alignment_of(const BasicType& type) {
  if (type.kind == BasicKind::marker) return 1;
  const bool halves = type.kind == BasicKind::complex || type.kind == BasicKind::pair;
  return halves ? type.size / 2 : type.size;
}

const Datatype& padded_pair_layout(std::uint32_t number) {
  static const std::array<Datatype, padded_pair_count> layouts{
      make_padded_pair(0), make_padded_pair(1), make_padded_pair(2), make_padded_pair(3),
      make_padded_pair(4)};
  return layouts[number];
}

void pack(const TypeView& type, const void* data, std::int64_t count, std::byte* packed) {
  const auto* from = static_cast<const std::byte*>(data);
  if (type.contiguous()) {
    if (type.size * count != 0)
      std::memcpy(packed, from, static_cast<std::size_t>(type.size * count));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i, from += type.extent) {
    for (const Block& block : type.layout->blocks) {
      std::memcpy(packed, from + block.offset, static_cast<std::size_t>(block.bytes));
      packed += block.bytes;
    }
  }
}

void unpack(const TypeView& type, const std::byte* packed, std::int64_t bytes, void* data) {
  auto* to = static_cast<std::byte*>(data);
  if (type.contiguous()) {
    if (bytes != 0) std::memcpy(to, packed, static_cast<std::size_t>(bytes));
    return;
  }
  for (; bytes > 0; to += type.extent) {
    for (const Block& block : type.layout->blocks) {
      const std::int64_t now = std::min(block.bytes, bytes);
      if (now == 0) break;
      std::memcpy(to + block.offset, packed, static_cast<std::size_t>(now));
      packed += now;
      bytes -= now;
    }
  }
}

std::int64_t count_elements(const TypeView& type, std::int64_t bytes) {
  if (type.layout == nullptr) {
    if (type.size == 0) return 0;
    const std::int64_t parts = type.basic->kind == BasicKind::pair ? 2 : 1;
    const std::int64_t part = type.size / parts;
    return bytes % part == 0 ? bytes / part : -1;
  }
  if (type.size == 0) return 0;
  std::int64_t per_type = 0;
  for (const Block& block : type.layout->blocks) per_type += block.bytes / block.element;
  std::int64_t elements = bytes / type.size * per_type;
  std::int64_t rest = bytes % type.size;
  for (const Block& block : type.layout->blocks) {
    const std::int64_t now = std::min(block.bytes, rest);
    if (now % block.element != 0) return -1;
    elements += now / block.element;
    rest -= now;
  }
  return elements;
}

}  // namespace netmod
