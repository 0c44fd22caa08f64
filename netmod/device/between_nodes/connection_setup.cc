// Connections: room for mailboxes and landing rings, datagrams, opening.
#include <algorithm>

#include "corespec/job/job.h"
#include "netmod/device/between_nodes/connection.h"
#include "netmod/device/between_nodes/connection_parts.h"
#include "ugni_emu/doors/doors.h"

namespace netmod {
namespace {

constexpr std::uint32_t rooms_per_block = 16;
constexpr std::uint64_t wildcard_id = std::uint64_t{1} << 63;

std::uint64_t datagram_id(int peer) { return static_cast<std::uint64_t>(peer) + 1; }

gni_smsg_attr_t mailbox_of(const Exchange& exchange) {
  gni_smsg_attr_t mailbox{};
  mailbox.msg_type = GNI_SMSG_TYPE_MBOX_AUTO_RETRANSMIT;
  mailbox.msg_buffer = reinterpret_cast<void*>(exchange.mailbox);
  mailbox.buff_size = exchange.mailbox_bytes;
  mailbox.mem_hndl = exchange.handle;
  mailbox.mbox_maxcredit = exchange.credits;
  mailbox.msg_maxsize = exchange.message_bytes;
  return mailbox;
}

}  // namespace

Connections::Connections(corespec::Process& process, const Settings& settings, RankPort& port,
                         MemorySlice& memory, DeviceStatistics& statistics,
                         ConnectionClient& client)
    : client_(client),
      port_(port),
      settings_(settings),
      process_(process),
      memory_(memory),
      statistics_(statistics) {
  // Half of the DMA buffers are landed in, half are sent from.
  landing_buffers_left_ = static_cast<std::int32_t>(settings.parameters->num_bufs / 2);
  gni_smsg_attr_t shape{};
  shape.msg_type = GNI_SMSG_TYPE_MBOX_AUTO_RETRANSMIT;
  shape.mbox_maxcredit = static_cast<std::uint16_t>(settings.parameters->smsg_credits);
  shape.msg_maxsize = mailbox_message_bytes(settings);
  unsigned needed = 0;
  port.check("GNI_SmsgBufferSizeNeeded", GNI_SmsgBufferSizeNeeded(&shape, &needed));
  mailbox_bytes_ = (needed + 63) / 64 * 64;
  if (process.job().size() > 1) post_wildcard();
}

Connections::~Connections() {
  if (wildcard_) {
    GNI_EpPostDataCancelById(wildcard_->endpoint, wildcard_id);
    GNI_EpDestroy(wildcard_->endpoint);
  }
  for (const auto& pending : pending_) {
    GNI_EpPostDataCancelById(pending->endpoint, datagram_id(pending->peer));
    GNI_EpDestroy(pending->endpoint);
  }
  for (std::size_t i = 0; i < connection_count_; ++i) {
    Connection& connection = connection_at(i);
    for (std::size_t at = 0; at < connection.channel_count; ++at) {
      GNI_EpDestroy(connection.channel(at).endpoint);
    }
  }
  for (gni_mem_handle_t& handle : registered_) GNI_MemDeregister(port_.nic(), &handle);
}

Connection* Connections::find(int peer) {
  if (last_peer_ == peer) return last_used_;
  for (std::size_t i = 0; i < near_peers_.size(); ++i) {
    if (near_peers_[i] == peer) return &connection_at(i);
  }
  if (!far_peers_) return nullptr;
  Connection** found = far_peers_->find(static_cast<std::uint64_t>(peer));
  return found == nullptr ? nullptr : *found;
}

Connection& Connections::to(int peer) {
  if (last_peer_ == peer) return *last_used_;
  Connection* connection =
      used_next_ != nullptr && used_next_->peer == peer ? used_next_ : find(peer);
  if (connection == nullptr) {
    connection = &add(peer);
    connect(*connection);
  }
  if (last_used_ != nullptr && connection != used_next_) last_used_->used_next = connection;
  last_used_ = connection;
  last_peer_ = peer;
  used_next_ = connection->used_next;
  return *connection;
}

Connection& Connections::add(int peer) {
  const std::size_t number = connection_count_++;
  if (number % chunk == 0) {
    if (number >= near_chunks * chunk) chunks_.emplace_back();
    chunk_of(number) = std::make_unique<Chunk>();
  }
  Connection& connection = connection_at(number);
  connection.peer = peer;
  if (number < near_peers_.size()) {
    near_peers_[number] = peer;
  } else {
    if (!far_peers_) far_peers_ = std::make_unique<PeerMap>();
    far_peers_->insert(static_cast<std::uint64_t>(peer), &connection);
  }
  return connection;
}

Connections::Room Connections::make_room() {
  const std::uint32_t landing_bytes = settings_.landing_bytes;
  const std::uint32_t room_bytes = mailbox_bytes_ + landing_bytes;
  if (static_cast<std::size_t>(block_end_ - block_next_) < room_bytes) {
    const std::size_t block_bytes = std::size_t{room_bytes} * rooms_per_block;
    block_next_ = memory_.take(block_bytes);
    block_end_ = block_next_ + block_bytes;
    block_handle_ = port_.register_memory(block_next_, block_bytes, port_.receive_queue());
    registered_.push_back(block_handle_);
    port_.calls().prepare_landing(port_, block_handle_);
  }
  Room room;
  room.mailbox = block_next_;
  room.handle = block_handle_;
  const std::uint32_t buffers = (landing_bytes + dma_buffer_bytes - 1) / dma_buffer_bytes;
  if (landing_buffers_left_ >= static_cast<std::int32_t>(buffers)) {
    landing_buffers_left_ -= static_cast<std::int32_t>(buffers);
    room.landing = block_next_ + mailbox_bytes_;
  }
  block_next_ += room_bytes;
  return room;
}

std::uint32_t Connections::landing_units(const Room& room) const {
  return room.landing == nullptr ? 0 : settings_.landing_bytes / LandingRing::unit_bytes;
}

Exchange Connections::exchange_for(const Room& room) const {
  return {.mailbox = reinterpret_cast<std::uint64_t>(room.mailbox),
          .handle = room.handle,
          .interrupt_handle = port_.interrupt_handle(),
          .mailbox_bytes = mailbox_bytes_,
          .message_bytes = mailbox_message_bytes(settings_),
          .landing_units = landing_units(room),
          .credits = static_cast<std::uint16_t>(settings_.parameters->smsg_credits)};
}

void Connections::connect(Connection& connection) {
  auto pending = std::make_unique<Pending>();
  pending->peer = connection.peer;
  pending->room = make_room();
  pending->endpoint = port_.make_endpoint(connection.peer);
  Exchange exchange = exchange_for(pending->room);  // captured at the call
  port_.check("GNI_EpPostDataWId",
              GNI_EpPostDataWId(pending->endpoint, &exchange, sizeof(Exchange), &pending->answer,
                                sizeof(Exchange), datagram_id(connection.peer)));
  pending_.push_back(std::move(pending));
}

void Connections::post_wildcard() {
  auto wildcard = std::make_unique<Pending>();
  wildcard->room = make_room();
  if (wildcard_) {
    wildcard->endpoint = wildcard_->endpoint;
  } else {
    port_.check("GNI_EpCreate", GNI_EpCreate(port_.nic(), nullptr, &wildcard->endpoint));
  }
  wildcard_ = std::move(wildcard);
  Exchange exchange = exchange_for(wildcard_->room);
  port_.check("GNI_EpPostDataWId",
              GNI_EpPostDataWId(wildcard_->endpoint, &exchange, sizeof(Exchange),
                                &wildcard_->answer, sizeof(Exchange), wildcard_id));
}

bool Connections::poll_datagrams() {
  bool any = false;
  std::uint64_t id = 0;
  while (GNI_PostDataProbeById(port_.nic(), &id) == GNI_RC_SUCCESS) {
    any = true;
    gni_post_state_t state = GNI_POST_PENDING;
    std::uint32_t address = 0;
    std::uint32_t instance = 0;
    if (id == wildcard_id) {
      port_.check("GNI_EpPostDataTestById",
                  GNI_EpPostDataTestById(wildcard_->endpoint, id, &state, &address, &instance));
      const int peer = static_cast<int>(instance);
      const corespec::Job& job = process_.job();
      if (peer < 0 || peer >= job.size() ||
          static_cast<std::uint32_t>(job.nid_of(peer)) != address) {
        port_.fail_peer(peer, "a wish to connect, from where no rank is");
      }
      Connection* known = find(peer);
      if (known == nullptr) {
        known = &add(peer);
      }
      gni_ep_handle_t endpoint = port_.make_endpoint(peer);
      const Pending finished = *wildcard_;
      post_wildcard();
      open_channel(*known, endpoint, finished);
      continue;
    }
    const auto at = std::find_if(pending_.begin(), pending_.end(), [&](const auto& pending) {
      return datagram_id(pending->peer) == id;
    });
    const std::unique_ptr<Pending> finished = std::move(*at);
    pending_.erase(at);
    port_.check("GNI_EpPostDataTestById",
                GNI_EpPostDataTestById(finished->endpoint, id, &state, &address, &instance));
    if (state == GNI_POST_COMPLETED) {
      open_channel(*find(finished->peer), finished->endpoint, *finished);
    } else {
      port_.check("GNI_EpDestroy", GNI_EpDestroy(finished->endpoint));
    }
  }
  return any;
}

void Connections::open_channel(Connection& connection, gni_ep_handle_t endpoint,
                               const Pending& pending) {
  const Exchange& answer = pending.answer;
  gni_smsg_attr_t local = mailbox_of(exchange_for(pending.room));
  gni_smsg_attr_t remote = mailbox_of(answer);
  port_.check("GNI_SmsgInit", GNI_SmsgInit(endpoint, &local, &remote));
  const std::uint32_t largest = settings_.largest_eager / LandingRing::unit_bytes;
  connection.add_channel(
      {endpoint, pending.room.landing, LandingRing(landing_units(pending.room), largest)});
  if (connection.channel_count == 1) {
    ++statistics_.connections;
    connection.remote_landing = answer.mailbox + answer.mailbox_bytes;
    connection.remote_landing_handle = answer.handle;
    connection.remote_ring = LandingRing(answer.landing_units, largest);
    connection.free_units = answer.landing_units;
    if (settings_.wakes_thread()) {
      connection.need_extras().interrupt_handle = answer.interrupt_handle;
    }
  }
  if (has_missed_events_) connection.landed += landing_units(pending.room);
  drain(connection);
  flush(connection);
}

}  // namespace netmod
