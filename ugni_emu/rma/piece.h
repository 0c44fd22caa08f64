// A port's posts under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ugni_emu/rma/rma_port.h"

namespace rma {

constexpr std::size_t pieces_in_chunk = 16;

inline std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

/// For people.
inline const char* protocol_of(gni_post_type_t type) {
  switch (type) {
    case GNI_POST_RDMA_PUT:
      return "BTE PUT";
    case GNI_POST_RDMA_GET:
      return "BTE GET";
    case GNI_POST_FMA_GET:
      return "FMA GET";
    case GNI_POST_AMO:
      return "AMO";
    default:
      return "FMA PUT";
  }
}

/// A post under way.
struct RmaPort::Piece {
  gni_post_descriptor_t gni{};  ///< first: uGNI hands its address back
  Completion* completion = nullptr;
  CachedRegistration* registration = nullptr;
  std::byte* copy_to = nullptr;  ///< where what came into `landed` goes, if not there directly
  const std::byte* landed = nullptr;
  std::uint64_t copy_bytes = 0;
  bool awaits_local = false;            ///< a local event comes, and the global one after it
  std::unique_ptr<std::byte[]> bounce;  ///< kept from use to use
  gni_mem_handle_t bounce_handle{};
  std::uint64_t* word = nullptr;  ///< of the chunk's registered words
  gni_mem_handle_t* word_handle = nullptr;
  Piece* next = nullptr;
  int peer = 0;
  gni_ep_handle_t endpoint = nullptr;
  bool has_event = false;  ///< in the target's queue, of this word:
  std::uint32_t event = 0;
  bool is_in_order = false;           ///< one of its peer's `in_order_`
  std::int64_t times_again = 0;       ///< it was posted again
  std::unique_ptr<std::byte[]> copy;  ///< of the source, for that
};

struct RmaPort::Chunk {
  std::uint64_t words[pieces_in_chunk] = {};
  gni_mem_handle_t words_handle{};
  Piece pieces[pieces_in_chunk];
};

}  // namespace rma
