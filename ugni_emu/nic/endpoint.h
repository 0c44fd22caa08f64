// An endpoint: one peer, the event words for it, and the connection's sending half.
#pragma once

#include <cstdint>

#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/nic/mailbox.h"
#include "ugni_emu/nic/region_table.h"
#include "ugni_emu/wire/wire.h"

namespace nic {

class CompletionQueue;
class Domain;

/// What a post needs and whether anything has arrived lies in the first cache line.
class alignas(64) Endpoint {
 public:
  Endpoint(Domain& owner, CompletionQueue* source_queue) : domain(&owner), queue(source_queue) {}

  /// What local events carry: the word that was set, else the peer's instance.
  std::uint32_t local_word() const { return words_set ? local_event : remote_instance; }
  Peer peer() const { return {remote_address, remote_instance}; }
  FarEnd far_end() const {
    return {remote_address, memory_handle::number_of(remote_handle.qword1), remote_mailbox};
  }
  /// Has an SMSG connection.
  bool connected() const { return mailbox.endpoint != nullptr; }
  /// For a new message to the peer that is not lost on its way (which is known when it leaves).
  MessageNumber next_message() { return {connection, numbered++}; }

  Domain* domain;
  CompletionQueue* queue;  ///< for local events, may be null
  ugni::NicAddress remote_address = 0;
  std::uint32_t remote_instance = 0;
  std::uint32_t local_event = 0;
  std::uint32_t remote_event = 0;
  std::uint32_t connection : MessageNumber::connection_bits = 0;  ///< SMSG: among the NIC's
  bool bound : 1 = false;
  bool words_set : 1 = false;
  bool retransmits : 1 = false;  ///< a message was lost and is being sent again
  bool auto_retransmit : 1 = false;
  bool has_places : 1 = false;   ///< of failed messages: Nic::next_message()
  std::uint16_t credits = 0;     ///< SMSG messages that may be sent now
  std::uint16_t own_region = 0;  ///< the number of the memory that its mailbox is in

  // The SMSG connection.
  Mailbox mailbox;                   ///< where the peer's messages arrive
  std::uint64_t remote_mailbox = 0;  ///< address at the peer
  ugni::MemoryHandleBits remote_handle;
  std::uint16_t released = 0;           ///< messages released whose credits the peer lacks yet
  std::uint16_t return_credits_at = 0;  ///< give them back when there are so many
  std::uint16_t slot_lines = 0;         ///< of 64 bytes: for a message to the peer
  std::uint16_t numbered = 0;           ///< messages to the peer
};
static_assert(sizeof(Endpoint) == 128);

}  // namespace nic
