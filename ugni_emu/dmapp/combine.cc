// What a collective operation does with two members' values.
#include <algorithm>
#include <cstring>
#include <functional>
#include <type_traits>

#include "ugni_emu/dmapp/pset.h"

namespace dmapp {
namespace {

template <typename Value, typename Operation>
void each(Values& sum, const Values& with, std::uint32_t nelems, const Operation& operation) {
  for (std::size_t i = 0; i < nelems; ++i) {
    Value one;
    Value other;
    std::memcpy(&one, sum.data() + i * sizeof one, sizeof one);
    std::memcpy(&other, with.data() + i * sizeof other, sizeof other);
    one = operation(one, other);
    std::memcpy(sum.data() + i * sizeof one, &one, sizeof one);
  }
}

/// Integers wrap around.
template <typename Value>
auto unsigned_of(Value value) {
  if constexpr (std::is_integral_v<Value>) {
    return static_cast<std::make_unsigned_t<Value>>(value);
  } else {
    return value;
  }
}

template <typename Value>
void combine_as(Values& sum, const Values& with, std::uint32_t nelems, dmapp_c_op_t op) {
  const auto by = [&](const auto& operation) { each<Value>(sum, with, nelems, operation); };
  switch (op) {
    case DMAPP_C_SUM:
      return by([](Value a, Value b) -> Value { return unsigned_of(a) + unsigned_of(b); });
    case DMAPP_C_PROD:
      return by([](Value a, Value b) -> Value { return unsigned_of(a) * unsigned_of(b); });
    case DMAPP_C_MIN:
      return by([](Value a, Value b) { return std::min(a, b); });
    case DMAPP_C_MAX:
      return by([](Value a, Value b) { return std::max(a, b); });
    default:
      break;
  }
  if constexpr (std::is_integral_v<Value>) {
    if (op == DMAPP_C_BAND) by(std::bit_and<Value>());
    if (op == DMAPP_C_BOR) by(std::bit_or<Value>());
    if (op == DMAPP_C_BXOR) by(std::bit_xor<Value>());
  }
}

}  // namespace

std::size_t bytes_of_collective(dmapp_c_type_t type) {
  switch (type) {
    case DMAPP_C_INT32:
    case DMAPP_C_UINT32:
    case DMAPP_C_FLOAT:
      return 4;
    case DMAPP_C_INT64:
    case DMAPP_C_UINT64:
    case DMAPP_C_DOUBLE:
      return 8;
  }
  return 0;
}

bool combines(dmapp_c_type_t type, dmapp_c_op_t op) {
  return op < DMAPP_C_BAND || (type != DMAPP_C_FLOAT && type != DMAPP_C_DOUBLE);
}

void combine(Values& sum, const Values& with, std::uint32_t nelems, dmapp_c_type_t type,
             dmapp_c_op_t op) {
  switch (type) {
    case DMAPP_C_INT32:
      return combine_as<std::int32_t>(sum, with, nelems, op);
    case DMAPP_C_UINT32:
      return combine_as<std::uint32_t>(sum, with, nelems, op);
    case DMAPP_C_INT64:
      return combine_as<std::int64_t>(sum, with, nelems, op);
    case DMAPP_C_UINT64:
      return combine_as<std::uint64_t>(sum, with, nelems, op);
    case DMAPP_C_FLOAT:
      return combine_as<float>(sum, with, nelems, op);
    case DMAPP_C_DOUBLE:
      return combine_as<double>(sum, with, nelems, op);
  }
}

}  // namespace dmapp
