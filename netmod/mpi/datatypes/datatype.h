// Datatypes: where an element's bytes are, and packing them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "netmod/include/mpi.h"
#include "netmod/mpi/attributes/attribute.h"
#include "netmod/mpi/datatypes/type_map.h"

namespace netmod {

/// What a basic type's bits mean (decides which reductions it has).
enum class BasicKind : std::uint8_t {
  none,
  signed_integer,
  unsigned_integer,
  floating,
  complex,
  logical,
  byte,       ///< no arithmetic, only bit operations
  character,  ///< no operations (MPI_CHARACTER, MPI_WCHAR)
  pair,       ///< value and index, see Pair
  marker,     ///< MPI_LB, MPI_UB: a bound, no bytes
};

/// Value type of a pair type; its index is an int (two equal values for the Fortran ones).
enum class PairValue : std::uint8_t { none, f32, f64, f80, i64, i16, i32, two_f32, two_f64 };

struct BasicType {
  MPI_Datatype handle = -1;  ///< of an unused number: no handle at all
  std::uint8_t size = 0;     ///< bytes of data
  BasicKind kind = BasicKind::none;
  PairValue pair = PairValue::none;
  const char* name = "";
};

/// Fortran's real(16): IEEE's 128 bits, of which C's long double has 80.
using Quad = float __attribute__((mode(TF)));
inline bool of_quads(const BasicType& type) {
  return type.handle == MPI_REAL16 || type.handle == MPI_COMPLEX32;
}

/// Basic types whose handle is 0x4c00SSNN (S size, N number), by number.
extern const std::array<BasicType, 0x46> simple_types;
/// The pair types with padding, 0x8c000000 + number.
constexpr std::uint32_t padded_pair_count = 5;
extern const std::array<BasicType, padded_pair_count> padded_pairs;

/// What an object may carry besides what it is.
struct ObjectExtras {
  std::string name;
  Attributes attributes;
};

struct Contents;

/// A datatype that is not a simple one.
struct Datatype {
  std::int64_t size = 0;  ///< bytes of data
  std::int64_t lb = 0, ub = 0;
  std::int64_t true_lb = 0, true_ub = 0;
  std::int64_t alignment = 1;  ///< the strictest of its basic types'
  TypeMap map;
  Signature signature;
  const BasicType* basic = nullptr;  ///< all elements are of this one (reductions); null: mixed
  bool committed = false;
  bool predefined = false;                    ///< cannot be freed
  bool marked_lb = false, marked_ub = false;  ///< bounds set by MPI_Type_create_resized
  int handles = 1;                            ///< MPI_Type_get_contents gives further ones
  std::shared_ptr<const Contents> contents;   ///< how it was made; null: padded pairs
  ObjectExtras extras;

  std::int64_t extent() const { return ub - lb; }
  /// Elements lie one after another without gaps, the first at its address.
  bool contiguous() const { return size == 0 || (map.one_run() && size == extent()); }
};

/// How a datatype was made, for MPI_Type_get_contents.
struct Contents {
  struct Used {
    MPI_Datatype handle = MPI_DATATYPE_NULL;
    std::shared_ptr<Datatype> made;  ///< null: predefined
  };
  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<Used> types;
};

/// A datatype as calls use it: a simple type by value, or a made one.
struct TypeView {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  std::int64_t size = 0;
  std::int64_t extent = 0;
  const Datatype* layout = nullptr;  ///< null: simple and contiguous
  const BasicType* basic = nullptr;  ///< what reductions see; null: mixed

  bool contiguous() const { return layout == nullptr || layout->contiguous(); }
  /// Bytes of data of `count` elements.
  std::int64_t packed_bytes(std::int64_t count) const { return size * count; }
};

/// The simple type of a handle, or null.
inline const BasicType* find_simple(MPI_Datatype handle) {
  const auto bits = static_cast<std::uint32_t>(handle);
  const std::uint32_t number = bits & 0xff;
  if (number >= simple_types.size() || simple_types[number].handle != handle) return nullptr;
  return &simple_types[number];
}

/// Alignment of a simple type, as the compiler has it.
std::int64_t alignment_of(const BasicType& type);

/// The layout of a padded pair type (a constant).
const Datatype& padded_pair_layout(std::uint32_t number);

/// Adds `count` elements of a simple type (pairs: two each) to a signature.
void append_simple(Signature& signature, std::int64_t count, const BasicType& type);
/// The basic elements of one element of `type`.
Signature signature_of(const TypeView& type);

/// Copies `count` elements at `data` to `packed`, one after another, and back. Back: at most
/// `bytes` packed bytes, which may end within an element.
void pack(const TypeView& type, const void* data, std::int64_t count, std::byte* packed);
void unpack(const TypeView& type, const std::byte* packed, std::int64_t bytes, void* data);
/// The packed bytes [first, first + bytes) of elements at `data` alone, and back.
void pack_part(const TypeView& type, const void* data, std::int64_t first, std::int64_t bytes,
               std::byte* packed);
void unpack_part(const TypeView& type, const std::byte* packed, std::int64_t first,
                 std::int64_t bytes, void* data);

/// Basic elements that the first `bytes` packed bytes hold; -1 if the last one is incomplete.
std::int64_t count_elements(const TypeView& type, std::int64_t bytes);

}  // namespace netmod
