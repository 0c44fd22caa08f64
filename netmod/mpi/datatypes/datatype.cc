// The table of basic types; packing and unpacking by type map.
#include "netmod/mpi/datatypes/datatype.h"

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
    {MPI_C_FLOAT_COMPLEX, BasicKind::complex, PairValue::none, "MPI_C_COMPLEX"},
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
  made.map.append(TypeMap::of_run(shape.value_bytes));
  made.map.append(TypeMap::of_run(4).moved(index_offset));
  made.map.compress();
  append_simple(made.signature, 1, padded_pairs[number]);
  made.basic = &padded_pairs[number];
  made.committed = true;
  made.predefined = true;
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

namespace {

/// The simple type of the first member of a pair.
MPI_Datatype value_of(const BasicType& pair) {
  switch (pair.pair) {
    case PairValue::f32:
      return MPI_FLOAT;
    case PairValue::f64:
      return MPI_DOUBLE;
    case PairValue::f80:
      return MPI_LONG_DOUBLE;
    case PairValue::i64:
      return MPI_LONG;
    case PairValue::i16:
      return MPI_SHORT;
    case PairValue::two_f32:
      return MPI_REAL;
    case PairValue::two_f64:
      return MPI_DOUBLE_PRECISION;
    case PairValue::i32:
    case PairValue::none:
      break;
  }
  return pair.handle == MPI_2INTEGER ? MPI_INTEGER : MPI_INT;
}

/// Runs `move(map, first byte of the element, first, bytes)` for the elements, or parts of them,
/// that hold the packed bytes [first, first + bytes).
template <class Byte, class Move>
void for_elements(const TypeView& type, Byte* data, std::int64_t first, std::int64_t bytes,
                  const Move& move) {
  if (bytes <= 0) return;
  std::int64_t number = first / type.size;
  std::int64_t skipped = first % type.size;
  const Loop* only = type.layout->map.loops().data();
  if (type.layout->map.loops().size() == 1 && only->run() && bytes > type.size) {
    // Elements of one run each: a loop over runs, as if it were a vector.
    const TypeMap all =
        type.layout->map.repeated(number + (skipped + bytes - 1) / type.size + 1, type.extent);
    move(all, data, first, bytes);
    return;
  }
  for (; bytes > 0; ++number, skipped = 0) {
    const std::int64_t now = std::min(type.size - skipped, bytes);
    move(type.layout->map, data + number * type.extent, skipped, now);
    bytes -= now;
  }
}

}  // namespace

void append_simple(Signature& signature, std::int64_t count, const BasicType& type) {
  if (type.kind != BasicKind::pair) return signature.append(count, type);
  Signature pair;
  const MPI_Datatype value = value_of(type);
  const bool equal = type.pair == PairValue::two_f32 || type.pair == PairValue::two_f64 ||
                     type.pair == PairValue::i32;
  pair.append(1, *find_simple(value));
  pair.append(1, *find_simple(equal ? value : MPI_INT));
  signature.append(count, pair);
}

Signature signature_of(const TypeView& type) {
  if (type.layout != nullptr) return type.layout->signature;
  Signature signature;
  append_simple(signature, 1, *type.basic);
  return signature;
}

void pack_part(const TypeView& type, const void* data, std::int64_t first, std::int64_t bytes,
               std::byte* packed) {
  const auto* from = static_cast<const std::byte*>(data);
  if (type.contiguous()) {
    if (bytes > 0) std::memcpy(packed, from + first, static_cast<std::size_t>(bytes));
    return;
  }
  for_elements(
      type, from, first, bytes,
      [&packed](const TypeMap& map, const std::byte* at, std::int64_t skipped, std::int64_t now) {
        pack_map(map, at, skipped, now, packed);
        packed += now;
      });
}

void unpack_part(const TypeView& type, const std::byte* packed, std::int64_t first,
                 std::int64_t bytes, void* data) {
  auto* to = static_cast<std::byte*>(data);
  if (type.contiguous()) {
    if (bytes > 0) std::memcpy(to + first, packed, static_cast<std::size_t>(bytes));
    return;
  }
  for_elements(
      type, to, first, bytes,
      [&packed](const TypeMap& map, std::byte* at, std::int64_t skipped, std::int64_t now) {
        unpack_map(map, at, skipped, now, packed);
        packed += now;
      });
}

void pack(const TypeView& type, const void* data, std::int64_t count, std::byte* packed) {
  pack_part(type, data, 0, type.packed_bytes(count), packed);
}

void unpack(const TypeView& type, const std::byte* packed, std::int64_t bytes, void* data) {
  unpack_part(type, packed, 0, bytes, data);
}

std::int64_t count_elements(const TypeView& type, std::int64_t bytes) {
  if (type.layout != nullptr) return type.layout->signature.count_elements(bytes);
  if (type.size == 0) return 0;
  const std::int64_t parts = type.basic->kind == BasicKind::pair ? 2 : 1;
  const std::int64_t part = type.size / parts;
  return bytes % part == 0 ? bytes / part : -1;
}

}  // namespace netmod
