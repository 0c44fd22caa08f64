// What the GNI functions know of the node's only device.
#pragma once

#include <cstdint>

#include "ugni_emu/gni/gni_caller.h"

namespace gni {

/// True for device 0 and for "the nearest" (all ones).
bool is_local_device(std::uint32_t device_id);

/// The protection tag that the job has for a cookie; false if the cookie is not the job's.
bool find_ptag(const Caller& caller, std::uint32_t cookie, std::uint8_t& ptag);

}  // namespace gni
