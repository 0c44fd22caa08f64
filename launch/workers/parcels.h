// Bytes of any length between the processes of several hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ugni_emu/fabric/transport/transport.h"

namespace launch {

/// Over a transport, which carries messages of some kilobytes. Parcels from one process to another
/// arrive whole and in order.
class Parcels final : ugni::fabric::TransportClient {
 public:
  using Reader =
      std::function<void(std::size_t from, std::uint32_t kind, std::span<const std::byte> content)>;

  /// `addresses`: of all processes' transports, this one's among them.
  Parcels(std::unique_ptr<ugni::fabric::Transport> transport, std::size_t own,
          const std::vector<std::vector<std::byte>>& addresses);
  ~Parcels();
  Parcels(const Parcels&) = delete;
  Parcels& operator=(const Parcels&) = delete;

  std::size_t own() const { return own_; }
  /// Gives each process a first parcel, and waits until there is one from each. What comes behind
  /// it waits for a reader.
  void meet();
  void set_reader(Reader reader);

  /// Room for a parcel's content, to be filled in before the next call of anything here.
  std::span<std::byte> add(std::size_t to, std::uint32_t kind, std::size_t bytes);
  /// Sends what can be sent, and has what has come read. False: there was nothing to do.
  bool poll();
  bool all_sent() const;
  /// Until something comes, or so long.
  void rest(int milliseconds);
  /// A process that can no longer be reached; own() if there is none.
  std::size_t lost() const { return lost_; }
  /// A process that has sent what no process of this job sends; own() if there is none.
  std::size_t garbled() const { return garbled_; }

 private:
  struct Head {
    std::uint64_t bytes;
    std::uint32_t kind;
    std::uint32_t unused;
  };
  struct Peer {
    ugni::fabric::Transport::Address address = 0;
    std::deque<std::vector<std::byte>> outgoing;  ///< each a head and what follows
    std::size_t sent = 0;                         ///< of the first of them
    std::vector<std::byte> incoming;              ///< the same, as far as it has come
    bool greeted = false;                         ///< its first parcel has come
  };
  struct Unread {
    std::size_t from;
    std::uint32_t kind;
    std::vector<std::byte> content;
  };
  bool send_to(std::size_t to);
  void received(std::span<const std::byte> message, std::uint64_t from) override;
  void movement_ended(ugni::fabric::Movement&, bool) override {}
  void send_failed(int peer) override { lost_ = static_cast<std::size_t>(peer); }

  std::unique_ptr<ugni::fabric::Transport> transport_;
  std::size_t own_;
  std::size_t lost_;
  std::size_t garbled_;
  std::vector<Peer> peers_;
  Reader reader_;
  std::vector<Unread> unread_;  ///< that came while there was no reader
};

}  // namespace launch
