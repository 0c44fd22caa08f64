// Credits and datagrams: no post of a program's stands behind them, so that no error tells of one
// that the network has given up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "ugni_emu/wire/wire.h"

namespace nic {

/// What a NIC keeps of them until they are there, where the network can lose them: they are sent
/// again, as often as a message of a mailbox by default. A datagram that comes so has been
/// overtaken by later ones.
class Untracked {
 public:
  explicit Untracked(ugni::Wire& wire) : wire_(wire) {}

  /// It is about to leave. Gives it a key.
  void keep(ugni::Submission& submission);
  /// True if the response was to one of them.
  bool answered(const ugni::SegmentView& response);
  /// How many are under way.
  std::size_t size() const { return kept_.size(); }

 private:
  /// Beyond all keys of posts.
  static constexpr std::uint64_t first_key = std::uint64_t{1} << 63;
  struct Kept {
    ugni::Transaction transaction;
    ugni::Payload payload;
    std::uint32_t times = 0;  ///< it was sent again
  };

  ugni::Wire& wire_;
  std::map<std::uint64_t, Kept> kept_;  ///< by key
  std::uint64_t next_key_ = first_key;
};

}  // namespace nic
