// Numbers of data types.
#pragma once

#include <cstdint>
#include <vector>

namespace ti {

/// How many data types a time-independent trace may name: 0 to 59.
constexpr std::int32_t type_count = 60;
/// DUMPI's number of a data type of time-independent traces.
std::int32_t dumpi_type(std::int32_t number);
/// Bytes of an element, by DUMPI's numbers.
std::vector<std::uint32_t> type_sizes();

}  // namespace ti
