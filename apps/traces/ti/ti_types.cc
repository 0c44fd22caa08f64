// Numbers of data types.
#include "apps/traces/ti/ti_types.h"

#include <array>

namespace ti {
namespace {

/// DUMPI's numbers.
enum : std::uint8_t {
  character = 2,
  signed_char = 3,
  unsigned_char = 4,
  byte = 5,
  wide_char = 6,
  short_int = 7,
  unsigned_short = 8,
  integer = 9,
  unsigned_int = 10,
  long_int = 11,
  unsigned_long = 12,
  single = 13,
  real = 14,
  long_double = 15,
  unsigned_long_long = 17,
  long_long = 18,
  packed = 19,
  lower_bound = 20,
  upper_bound = 21,
  first_user_type = 28,
};

struct Type {
  std::uint8_t number;  // 0: DUMPI has none
  std::uint8_t bytes;
};

/// By SimGrid's numbers: DOUBLE, INT, CHAR, SHORT, ... Types of a fixed size and of Fortran and C++
/// are those of C that are as long.
constexpr std::array<Type, type_count> types = {{
    {real, 8},
    {integer, 4},
    {character, 1},
    {short_int, 2},
    {long_int, 8},
    {single, 4},
    {byte, 1},
    {long_long, 8},
    {signed_char, 1},
    {unsigned_char, 1},
    {unsigned_short, 2},
    {unsigned_int, 4},
    {unsigned_long, 8},
    {unsigned_long_long, 8},
    {long_double, 16},
    {wide_char, 4},
    {unsigned_char, 1},  // 16: C_BOOL
    {signed_char, 1},
    {short_int, 2},
    {integer, 4},
    {long_int, 8},
    {unsigned_char, 1},
    {unsigned_short, 2},
    {unsigned_int, 4},
    {unsigned_long, 8},
    {0, 8},
    {0, 16},
    {0, 32},  // 25 to 27: complex ones of C
    {long_int, 8},
    {long_int, 8},  // AINT, OFFSET
    {22, 8},
    {24, 16},
    {23, 16},
    {25, 8},
    {26, 8},  // 30 to 34: pairs with an index
    {0, 8},
    {0, 16},
    {0, 16},  // 2FLOAT, 2DOUBLE, 2LONG
    {single, 4},
    {single, 4},
    {real, 8},
    {long_double, 16},  // 38 to 41: REAL
    {0, 8},
    {0, 16},
    {0, 16},  // 42 to 44: COMPLEX, whose longest is no longer there
    {integer, 4},
    {short_int, 2},
    {integer, 4},
    {long_int, 8},
    {0, 16},  // 45 to 49: INTEGER, whose shortest is an int there
    {27, 32},
    {unsigned_char, 1},  // LONG_DOUBLE_INT, CXX_BOOL
    {0, 8},
    {0, 16},
    {0, 32},  // 52 to 54: complex ones of C++
    {upper_bound, 0},
    {lower_bound, 0},
    {packed, 1},
    {unsigned_long, 8},  // PTR
    {long_long, 8},      // COUNT
}};

}  // namespace

std::int32_t dumpi_type(std::int32_t number) {
  const Type& type = types.at(static_cast<std::size_t>(number));
  return type.number != 0 ? type.number : first_user_type + number;
}

std::vector<std::uint32_t> type_sizes() {
  std::vector<std::uint32_t> sizes(first_user_type + type_count);
  for (std::int32_t number = 0; number < type_count; ++number) {
    sizes[static_cast<std::size_t>(dumpi_type(number))] =
        types.at(static_cast<std::size_t>(number)).bytes;
  }
  return sizes;
}

}  // namespace ti
