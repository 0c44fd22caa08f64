// Connections to peers on other nodes: set up by datagram on first use, mailboxes and landing
// rings.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "corespec/containers/flat_map.h"
#include "netmod/device/messages/device_statistics.h"
#include "netmod/device/messages/landing_ring.h"
#include "netmod/device/messages/packet.h"
#include "netmod/device/messages/request_impl.h"
#include "netmod/device/nic/memory_slice.h"
#include "netmod/device/nic/rank_port.h"
#include "netmod/device/settings/settings.h"
#include "ugni_emu/doors/doors.h"

namespace netmod {

/// What both sides tell each other in the datagram that connects them. While a job connects, a few
/// of them are under way for each rank.
struct Exchange {
  std::uint64_t mailbox = 0;
  gni_mem_handle_t handle{};  ///< of the mailbox and the landing ring behind it
  gni_mem_handle_t interrupt_handle{};
  std::uint32_t mailbox_bytes = 0;
  std::uint32_t message_bytes = 0;  ///< of the largest message
  std::uint32_t landing_units = 0;  ///< none: there is no ring
  std::uint16_t credits = 0;
  std::uint16_t reserved = 0;
};
static_assert(sizeof(Exchange) == 56 && sizeof(Exchange) <= GNI_DATAGRAM_MAXSIZE);

/// One endpoint with its mailbox and landing ring. A peer may have two: when both sides begin at
/// the same moment, each datagram meets the other's wildcard. Each side sends on the first it
/// learns of and listens on both.
struct Channel {
  gni_ep_handle_t endpoint = nullptr;
  std::byte* landing = nullptr;
  LandingRing ring;
};

/// An E1 message that left by the BTE, whose event says that it has left and no more. Where
/// transactions may fail it is kept until the peer has given back its place.
struct LeftMessage {
  std::uint64_t end = 0;  ///< how many units had been used with it
  DataDescriptor* descriptor = nullptr;
};

/// What few connections need, or only while they are set up.
struct ConnectionExtras {
  std::vector<Channel> channels;  ///< beyond the first two
  std::vector<ControlPacket> control_backlog;
  gni_mem_handle_t interrupt_handle{};  ///< the peer's, with progress threads
  // Where transactions may fail.
  std::deque<LeftMessage> left;
  std::uint64_t units_used = 0;  ///< of the peer's landing ring, so far
};

/// A peer. Two lines of memory: taking in, and sending.
struct alignas(64) Connection {
  std::int32_t peer = -1;
  std::uint32_t receive_sequence = 0;
  std::uint32_t landed = 0;           ///< receiving E1: messages that landed (at most)
  std::uint16_t units_to_return = 0;  ///< receiving E1: freed, not yet told
  std::uint8_t channel_count = 0;     ///< none while connecting
  bool waiting : 1 = false;           ///< in Connections::waiting_
  bool undrained : 1 = false;         ///< in Connections::undrained_
  std::uint8_t heard_on : 6 = 0;      ///< the channel that the peer sends on, from 1; 0: not known
  Channel first_channel;
  std::unique_ptr<Channel> second_channel;
  std::unique_ptr<ConnectionExtras> extras;
  // Sending; E1 into the peer's landing ring.
  std::uint64_t remote_landing = 0;
  gni_mem_handle_t remote_landing_handle{};
  LandingRing remote_ring;
  std::uint32_t free_units = 0;
  std::uint32_t send_sequence = 0;
  Connection* used_next = nullptr;  ///< which one was used after this one, the last time
  RequestList backlog;

  bool open() const { return channel_count != 0; }
  gni_ep_handle_t endpoint() const { return first_channel.endpoint; }
  Receiver receiver() const {
    return {endpoint(), peer, extras ? extras->interrupt_handle : gni_mem_handle_t{}};
  }
  Channel& channel(std::size_t i) {
    return i == 0 ? first_channel : i == 1 ? *second_channel : extras->channels[i - 2];
  }
  void add_channel(const Channel& channel) {
    if (channel_count == 0) {
      first_channel = channel;
    } else if (channel_count == 1) {
      second_channel = std::make_unique<Channel>(channel);
    } else {
      need_extras().channels.push_back(channel);
    }
    ++channel_count;
  }
  /// A peer sends on one channel only: once it is known, nothing comes on another.
  bool may_hear_on(std::size_t i) const { return heard_on == 0 || heard_on == i + 1; }
  void hear_on(std::size_t i) {
    if (i + 1 < 64) heard_on = (i + 1) & 63;
  }
  bool has_control_backlog() const { return extras && !extras->control_backlog.empty(); }
  ConnectionExtras& need_extras() {
    if (!extras) extras = std::make_unique<ConnectionExtras>();
    return *extras;
  }
};
static_assert(sizeof(Connection) == 128);

/// Acts on what connections deliver.
class ConnectionClient {
 public:
  /// Sends a request's first packet. False if there is no credit: it stays in the backlog.
  virtual bool transmit(Connection& connection, RequestImpl& request) = 0;
  /// An eager message or RTS, in order. Its data are there during the call, or for as long as the
  /// client keeps `holder`, which it may take.
  virtual void envelope_arrived(Connection& connection, const PacketHeader& header,
                                const MemoryReference& memory, const std::byte* data,
                                ugni::Payload& holder) = 0;
  /// CTS, send done, receive done.
  virtual void control_arrived(Connection& connection, const ControlPacket& packet) = 0;
  /// What the polling thread waits for has come: the rest can be taken in later.
  virtual bool satisfied() const = 0;

 protected:
  ~ConnectionClient() = default;
};

/// What a look at the queues touches comes first.
class alignas(64) Connections {
 public:
  Connections(corespec::Process& process, const Settings& settings, RankPort& port,
              MemorySlice& memory, DeviceStatistics& statistics, ConnectionClient& client);
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  /// The connection to a rank; a new one begins to connect.
  Connection& to(int peer);
  Connection* find(int peer);

  /// Sends an envelope-bearing request now or, in order, as soon as it can.
  void send(Connection& connection, RequestImpl& request);
  /// Takes a request out of the backlog; false if it has left already.
  bool withdraw(RequestImpl& request);

  // The packets' headers are the caller's; sequence and credits are filled in here.

  // With a `loan` (not open) the host may leave the data where it is until that ends.

  /// E0: header and data into the peer's mailbox. False without a credit.
  bool send_message(Connection& connection, PacketHeader& header, const std::byte* data,
                    std::uint64_t bytes, ugni::Loan* loan);
  /// E1: into the landing ring, from a DMA buffer. False without room there or a buffer.
  bool send_buffered(Connection& connection, PacketHeader& header, const std::byte* data,
                     std::uint64_t bytes, ugni::Loan* loan);
  /// A control packet (RTS, CTS, dones), never lost: waits for a credit if need be. With progress
  /// threads a CQ write follows it, to wake the peer's.
  void send_control(Connection& connection, ControlPacket& packet);
  /// An RTS: like a control packet, but false (nothing sent) without a credit.
  bool send_rts(Connection& connection, ControlPacket& packet);

  /// The event of an E1 message that went by the BTE, or of its failure.
  void eager_put_event(gni_cq_entry_t entry, DataDescriptor& descriptor, bool failed);

  /// Takes in finished datagrams. True if any.
  bool poll_datagrams();
  /// Takes in whatever has come from a peer, or as much as satisfies the client. True if anything.
  bool drain(Connection& connection);
  /// Goes on where drain() stopped early.
  bool drain_rest();
  /// Events were lost: the same for all, also of peers whose datagrams are still to come.
  void drain_all();
  /// There was an event of a peer whose datagram is still to come.
  void miss_event() { has_missed_events_ = true; }
  /// Tries the backlogs again. True if anything left.
  bool flush();

  std::uint64_t buffered_sent() const { return buffered_sent_; }

  /// True while anything waits to be sent.
  bool busy() const { return !waiting_.empty() || puts_under_way_ != 0; }
  bool has_undrained() const { return !undrained_.empty(); }

 private:
  friend struct DevicePrefetch;
  struct Room;     ///< mailbox and landing ring for one channel to be
  struct Pending;  ///< a datagram under way
  Connection& add(int peer);
  using Chunk = std::array<Connection, 4>;
  static constexpr std::size_t chunk = std::tuple_size_v<Chunk>;
  static constexpr std::size_t near_chunks = 2;
  std::unique_ptr<Chunk>& chunk_of(std::size_t i) {
    return i < near_chunks * chunk ? near_chunks_[i / chunk] : chunks_[i / chunk - near_chunks];
  }
  Connection& connection_at(std::size_t i) { return (*chunk_of(i))[i % chunk]; }
  Room make_room();
  std::uint32_t landing_units(const Room& room) const;
  Exchange exchange_for(const Room& room) const;
  void connect(Connection& connection);
  void post_wildcard();
  void open_channel(Connection& connection, gni_ep_handle_t endpoint, const Pending& pending);
  bool holds_more(Connection& connection) const;
  bool take_message(Connection& connection, Channel& channel);
  bool take_landed(Connection& connection, Channel& channel);
  [[noreturn]] void fail_packet(const Connection& connection) const;
  void return_credits(Connection& connection, std::uint32_t freed);
  bool post_control(Connection& connection, ControlPacket& packet);
  bool send_raw(const Connection& connection, std::span<const std::byte> header,
                std::span<const std::byte> data, ugni::Loan* loan);
  std::byte* take_buffer();
  void give_back_buffer(std::byte* buffer);
  bool put_by_bte(Connection& connection, const gni_post_descriptor_t& put, std::byte* buffer,
                  std::uint32_t cost);
  void forget_landed(Connection& connection);
  void wait(Connection& connection);
  bool flush(Connection& connection);

  std::vector<Connection*> waiting_;
  std::vector<Connection*> undrained_;
  std::uint32_t puts_under_way_ = 0;
  bool has_missed_events_ = false;  ///< a new landing ring may hold what was not counted
  std::int32_t last_peer_ = -1;
  Connection* last_used_ = nullptr;  ///< the connection to last_peer_
  Connection* used_next_ = nullptr;  ///< last_used_->used_next, whose line is not looked at for it

  ConnectionClient& client_;
  RankPort& port_;
  const Settings& settings_;
  std::uint64_t buffered_sent_ = 0;
  // DMA buffers that E1 messages leave from.
  std::byte* spare_buffer_ = nullptr;  ///< the one that came back last
  gni_mem_handle_t buffer_handle_{};
  std::vector<std::byte*> free_buffers_;  ///< others that have been used

  /// All connections in order of creation. Several at a time: what each needs while it is set up
  /// then leaves room for messages behind, not a hole between two connections.
  std::array<std::unique_ptr<Chunk>, near_chunks> near_chunks_;
  /// Ranks of the first connections, as many as recursive doubling over 4,096 nodes makes: few have
  /// more, and these are found without a map's memory.
  std::array<std::int32_t, 12> near_peers_ = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

  std::byte* next_fresh_buffer_ = nullptr;
  std::uint32_t buffer_bytes_ = 0;
  std::uint32_t fresh_buffers_ = 0;
  bool buffers_made_ = false;

  std::uint32_t connection_count_ = 0;
  corespec::Process& process_;
  MemorySlice& memory_;
  DeviceStatistics& statistics_;
  using PeerMap = corespec::FlatMap<Connection*>;
  std::unique_ptr<PeerMap> far_peers_;  ///< connections beyond near_peers_
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<std::unique_ptr<Pending>> pending_;
  std::unique_ptr<Pending> wildcard_;

  // Mailboxes and landing buffers come in registered blocks.
  std::byte* block_next_ = nullptr;
  std::byte* block_end_ = nullptr;
  gni_mem_handle_t block_handle_{};
  std::vector<gni_mem_handle_t> registered_;
  std::uint32_t mailbox_bytes_ = 0;
  std::int32_t landing_buffers_left_ = 0;
};

}  // namespace netmod
