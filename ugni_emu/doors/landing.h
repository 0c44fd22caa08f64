// Landing regions: buffers that cost host memory only while something lies in them.
#pragma once

#include <cstdint>
#include <span>

#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/wire/payload.h"

namespace nic {

/// From now on a PUT that arrives in the region (a handle of `nic_handle`'s) stays in the payload
/// that carried it instead of being copied to its address: DMA buffers of 32,768 ranks need not
/// exist all at once. It is there as a whole, once its last piece has come. Nothing else differs:
/// checks, times and events are those of every PUT. False if the handle names no region.
bool keep_payloads(gni_nic_handle_t nic_handle, const gni_mem_handle_t& region);

/// What landed at `address` and is still there (of what was captured in two parts, the first);
/// empty if nothing did, or not all of it yet.
std::span<const std::byte> landed(gni_nic_handle_t nic_handle, std::uint64_t address);

/// Takes out what landed at `address` and is still there: the buffer is free again, and the bytes
/// are the caller's. Empty if nothing did.
ugni::Payload take_landed(gni_nic_handle_t nic_handle, std::uint64_t address);

/// Where payloads come from, for all of the machine's NICs in this process.
ugni::PayloadPool& payload_pool(gni_nic_handle_t nic_handle);

}  // namespace nic
