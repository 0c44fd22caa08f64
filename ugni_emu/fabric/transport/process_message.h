// What travels between processes: a fixed part by kind, and data after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "ugni_emu/wire/wire.h"

namespace ugni::fabric {

inline constexpr std::size_t message_alignment = 16;

enum class MessageKind : std::uint8_t {
  hello,             ///< MessageHead only: the way from this rank works
  clock,             ///< ClockMessage
  request,           ///< RequestMessage, a piece of data, `count` Acknowledgement
  response,          ///< ResponseMessage and a piece of data
  acknowledgements,  ///< MessageHead, then `count` Acknowledgement
  question,          ///< RouteMessage: which rank has this domain, or this region?
  answer,            ///< RouteMessage: this rank has it, or none (-1)
  fetch,             ///< FetchMessage: a direct PUT's data is to come in messages
  data,              ///< DataMessage and a piece of it
  goodbye,  ///< MessageHead only: this rank leaves in order, nothing comes from it any more
};

struct MessageHead {
  /// In `flags` of a parcel's first message: more follow it, see Parcel.
  static constexpr std::uint8_t parcel = 128;
  MessageKind kind = MessageKind::hello;
  std::uint8_t flags = 0;
  std::uint16_t count = 0;
  std::int32_t rank = 0;  ///< the sender
};

/// Memory of the sender that the receiver may read or write, in the terms of the transport that
/// carries the message.
struct RemoteMemory {
  std::uint64_t address = 0;
  std::uint64_t key = 0;
};

/// A request without its transaction.
struct RequestHead {
  static constexpr std::uint8_t last = 1;  ///< the transaction's last piece
  static constexpr std::uint8_t direct =
      2;  ///< `memory` holds the data of a PUT, or is for a GET's
  static constexpr std::uint8_t patient = 4;  ///< the response: ResponseUrgency::whenever
  static constexpr std::uint8_t quiet = 8;    ///< or soon
  static constexpr std::uint8_t pushed = 16;  ///< a direct PUT's data is at its target already

  MessageHead head;
  std::uint64_t number = 0;  ///< the sender's, for the response; 0: none is expected
  std::int64_t due = 0;      ///< modelled time of the piece's arrival before ejection, ps
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  ///< of this piece
  RemoteMemory memory;
};

struct RequestMessage : RequestHead {
  Transaction transaction;
};

struct ResponseMessage {
  static constexpr std::uint8_t last = 1;
  static constexpr std::uint8_t in_place = 2;  ///< the data is there already
  static constexpr std::uint8_t patient = 4;   ///< not waited for: ResponseUrgency::whenever

  MessageHead head;
  std::uint64_t number = 0;
  std::int64_t due = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  ResponseStatus status = ResponseStatus::ok;
};

/// The response to a whole transaction, without data.
struct Acknowledgement {
  std::uint64_t number = 0;
  std::int64_t due = 0;
  ResponseStatus status = ResponseStatus::ok;
  std::uint8_t flags = 0;  ///< those of ResponseMessage
};

/// The target of a direct PUT may not read its source: the system refuses it.
struct FetchMessage {
  MessageHead head;
  std::uint64_t number = 0;  ///< the request's
};

/// The answer, in as many pieces as it takes.
struct DataMessage {
  static constexpr std::uint8_t gone = 1;  ///< there is no data: its source is not registered
  MessageHead head;
  std::uint64_t number = 0;
  std::uint64_t offset = 0;
  std::uint64_t injector = 0;  ///< the transaction's
};

struct RouteMessage {
  MessageHead head;
  std::int32_t rank = -1;   ///< answers only
  std::uint32_t route = 0;  ///< the asker's number for it
  DomainName name;
  std::uint64_t handle = 0;  ///< of a region of the protection domain; 0: the domain is meant
};

struct ClockMessage {
  static constexpr std::uint8_t ping = 0, pong = 1, done = 2;  // flags
  MessageHead head;
  std::int64_t asked = 0;     ///< the asker's clock, ps
  std::int64_t answered = 0;  ///< the answerer's
};

/// Kinds whose data goes to the target.
inline bool carries(TransactionKind kind) {
  return kind == TransactionKind::put || kind == TransactionKind::message ||
         kind == TransactionKind::datagram;
}

/// Largest message without its data.
inline constexpr std::size_t largest_head = sizeof(RequestMessage);

/// The fixed part of a message, where it lies: messages are aligned as Buffer::bytes are. Null if
/// it is too short.
template <typename Fixed>
const Fixed* fixed_part(std::span<const std::byte> message) {
  static_assert(std::is_trivially_copyable_v<Fixed> && alignof(Fixed) <= message_alignment);
  return message.size() < sizeof(Fixed) ? nullptr : reinterpret_cast<const Fixed*>(message.data());
}

/// Copies the fixed part out of a message, or of what lies behind another part and has no
/// alignment (or into it). False if it is too short.
template <typename Fixed>
bool take_fixed(std::span<const std::byte> message, Fixed& into) {
  static_assert(std::is_trivially_copyable_v<Fixed>);
  if (message.size() < sizeof into) return false;
  std::memcpy(&into, message.data(), sizeof into);
  return true;
}

template <typename Fixed>
void put_fixed(std::byte* at, const Fixed& from) {
  static_assert(std::is_trivially_copyable_v<Fixed>);
  std::memcpy(at, &from, sizeof from);
}

}  // namespace ugni::fabric
