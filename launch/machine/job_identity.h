// Who a job is to the network, in either clock.
#pragma once

#include <cstdint>

namespace launch {

/// The first protection tag for users (GNI_PTAG_USER_START).
inline constexpr std::uint8_t job_ptag = 3;
/// Of the first protection key for users (GNI_PKEY_USER_START).
inline constexpr std::uint32_t job_cookie = 128U << 16;

}  // namespace launch
