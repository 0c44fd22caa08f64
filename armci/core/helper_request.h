// What clients and helper threads send each other.
#pragma once

#include <array>
#include <cstdint>

#include "armci/core/element.h"
#include "armci/core/patch.h"
#include "ugni_emu/include/gni_pub.h"

namespace armci {

enum class Kind : std::uint8_t { put, get, accumulate, read_modify_write, lock, unlock, stop };

enum class Update : std::uint8_t { add, swap };

/// The 96 bytes that begin every request. A description of the target's patch follows (strides, or
/// a list of offsets), then, of eager ones, the data. The answer is 8 bytes in the client's page of
/// answers, at its request's number, with that number as event; of a get, the data, with the event,
/// where the client wants them.
struct RequestHeader {
  Kind kind = Kind::put;
  Element element = Element::none;
  std::uint8_t levels = 0;        ///< of the strides; `listed`: a list instead
  std::uint8_t flags = 0;         ///< see request_flag
  std::int32_t from = 0;          ///< client's rank
  std::int32_t target = 0;        ///< whose memory: a rank of the helper's node
  std::uint32_t number = 0;       ///< of the request, the client's
  std::int32_t chunk = 0;         ///< of the target's memory
  std::uint32_t description = 0;  ///< bytes of it
  std::uint64_t chunk_bytes = 0;
  std::int64_t base = 0;       ///< offset of the patch's base in the chunk
  std::int64_t first_run = 0;  ///< strides: the runs meant are these
  std::int64_t runs = 0;
  std::uint64_t memory = 0;  ///< client's: where a rendezvous fetches, a get answers
  gni_mem_handle_t memory_handle{};
  std::array<std::uint64_t, 2> operand{};  ///< scale factor; read-modify-write: operand
};
static_assert(sizeof(RequestHeader) == 96);

namespace request_flag {
constexpr std::uint8_t listed = 0x01;  ///< a list of offsets, not strides
constexpr std::uint8_t eager = 0x02;   ///< the data are in the message
constexpr std::uint8_t swap = 0x04;    ///< read-modify-write: exchange (else add)
constexpr std::uint8_t wide = 0x08;    ///< read-modify-write: 8 bytes (else 4)
}  // namespace request_flag

/// What a lock's `base` is: sets follow each other, and one that was destroyed while a rank held
/// a mutex leaves nothing behind for the next.
constexpr std::int64_t mutex_number(std::int32_t set, std::int32_t mutex) {
  return std::int64_t{set} << 32 | mutex;
}

/// What every rank publishes about itself before ARMCI_Init ends: plain data.
struct Peer {
  std::uint64_t answers = 0;  ///< its page of answers
  gni_mem_handle_t answers_handle{};
  std::uint64_t buffers = 0;  ///< of a node's lowest rank: its helper's buffers, for all clients
  gni_mem_handle_t buffers_handle{};
};

constexpr std::uint32_t most_requests = 512;  ///< of a client under way: places in its page

/// Events in a helper's queue: which buffer.
constexpr std::uint32_t buffer_number(int client, std::uint32_t buffer, std::uint32_t each) {
  return static_cast<std::uint32_t>(client) * each + buffer;
}

}  // namespace armci
