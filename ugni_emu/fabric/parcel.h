// Several messages that travel as one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "ugni_emu/fabric/transport/process_message.h"
#include "ugni_emu/fabric/transport/transport.h"

namespace ugni::fabric {

/// Grows in the buffer of its first message: each message begins aligned, behind them are their
/// sizes, then how many they are (16 bits each). MessageHead::parcel of the first says so; a
/// message by itself looks as it would without parcels.
class Parcel {
 public:
  /// Puts `message` behind what `parcel` holds. False if that would be more than `limit`.
  bool add(Buffer& parcel, const Buffer& message, std::size_t limit) {
    const std::size_t numbers = (sizes_.empty() ? 1 : sizes_.size()) + 2;
    const std::size_t at = aligned(parcel.size);
    if (at + message.size + numbers * sizeof(Number) > limit) return false;
    if (sizes_.empty()) sizes_.push_back(static_cast<Number>(parcel.size));
    sizes_.push_back(static_cast<Number>(message.size));
    std::memcpy(parcel.bytes + at, message.bytes, message.size);
    parcel.size = at + message.size;
    return true;
  }

  /// Nothing more is added; the next one may begin.
  void close(Buffer& parcel) {
    if (sizes_.empty()) return;
    reinterpret_cast<MessageHead*>(parcel.bytes)->flags |= MessageHead::parcel;
    sizes_.push_back(static_cast<Number>(sizes_.size()));
    const std::size_t bytes = sizes_.size() * sizeof(Number);
    std::memcpy(parcel.bytes + parcel.size, sizes_.data(), bytes);
    parcel.size += bytes;
    sizes_.clear();
  }

  void forget() { sizes_.clear(); }

  /// Calls each(message) for what has arrived, one message or a parcel of them. False: it is
  /// neither, which may show after some of it.
  template <typename Each>
  static bool for_each(std::span<const std::byte> arrived, const Each& each) {
    MessageHead head;
    if (!take_fixed(arrived, head)) return false;
    if ((head.flags & MessageHead::parcel) == 0) {
      each(arrived);
      return true;
    }
    Number count = 0;
    take_fixed(arrived.last(sizeof count), count);
    const std::size_t numbers = (std::size_t{count} + 1) * sizeof(Number);
    if (count < 2 || arrived.size() < numbers) return false;
    const auto messages = arrived.first(arrived.size() - numbers);
    const auto sizes = arrived.last(numbers);
    std::size_t end = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = aligned(end);
      Number size = 0;
      take_fixed(sizes.subspan(i * sizeof size), size);
      end = at + size;
      if (end > messages.size()) return false;
      const auto message = messages.subspan(at, size);
      if (!take_fixed(message, head) || ((head.flags & MessageHead::parcel) != 0) != (i == 0)) {
        return false;
      }
      each(message);
    }
    return end == messages.size();
  }

 private:
  using Number = std::uint16_t;
  static constexpr std::size_t aligned(std::size_t at) {
    return (at + message_alignment - 1) / message_alignment * message_alignment;
  }

  std::vector<Number> sizes_;  ///< of its messages, if there are several
};

}  // namespace ugni::fabric
