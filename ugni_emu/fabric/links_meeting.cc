// Links coming into being: which transports, addresses exchanged, every way tried once.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "corespec/host/os_thread.h"
#include "corespec/threads/node.h"
#include "ugni_emu/fabric/faults/faulty_transport.h"
#include "ugni_emu/fabric/host/host_copy.h"
#include "ugni_emu/fabric/host/left_over.h"
#include "ugni_emu/fabric/libfabric/libfabric_transport.h"
#include "ugni_emu/fabric/libfabric/provider.h"
#include "ugni_emu/fabric/links.h"
#include "ugni_emu/fabric/validate.h"

namespace ugni::fabric {

/// What every process tells all others.
struct Links::Card {
  static constexpr std::size_t room = 120;
  struct Address {
    std::uint64_t size = 0;
    std::byte bytes[room] = {};
  };
  std::int32_t process = 0;  ///< id
  HostMemory::Card memory;
  Doorbell::Card bell;
  Address local;
  Address network;
};

namespace {

/// The flags of all, then their boards, then their queues.
std::size_t flags_bytes(std::size_t members) { return members * sizeof(Doorbell::Flag); }
std::size_t boards_bytes(std::size_t members) { return members * Exposures::board_bytes(); }
std::size_t queues_at(std::size_t members) {
  const std::size_t before = flags_bytes(members) + boards_bytes(members);
  return (before + HostQueue::line - 1) / HostQueue::line * HostQueue::line;
}
std::size_t host_memory_bytes(std::size_t members) {
  return queues_at(members) + HostTransport::memory_bytes(members) + HostQueue::line;
}
std::size_t word_at(std::size_t members) { return host_memory_bytes(members) - HostQueue::line; }

}  // namespace

Links::Links(corespec::Process& process, Layout layout, const std::string& provider,
             faults::RankFaults* faults)
    : layout_(std::move(layout)),
      faults_(faults),
      clock_(process.node().domain()),
      exposures_(clock_),
      peers_(layout_.host.size()) {
  for (int rank = 0; rank < layout_.size(); ++rank) {
    if (rank == layout_.rank) own_ = members_.size();
    if (layout_.on_this_host(rank)) members_.push_back(rank);
  }
  // Peers read this process's memory, which some systems allow to relatives only, others never.
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  copies_ = may_copy();
  memory_ = std::make_unique<HostMemory>(members_.front() == layout_.rank,
                                         host_memory_bytes(members_.size()));
  bell_ = std::make_unique<Doorbell>();
  if (layout_.size() > 1) {
    open(provider);
  } else if (provider != "auto" && provider != "shm") {
    check_provider(provider);  // a job of one has no peers, but a mistake is one whatever the size
  }
  meet(process);
  if (local_ && local_->has_name()) greet();
  process.job().barrier(process);
  if (local_) local_->forget_name();
}

Links::~Links() {
  for (std::uint64_t i = 1; i <= exposed_.size(); ++i) conceal(i);
}

void Links::open(const std::string& provider) {
  const bool several_hosts = static_cast<int>(members_.size()) < layout_.size();
  const auto peers = static_cast<std::size_t>(layout_.size());
  const auto over = [](const LibfabricTransport::Request& request) {
    return std::make_unique<LibfabricTransport>(request);
  };
  if (provider == "auto") {
    if (members_.size() > 1) {
      auto queues = std::make_unique<HostTransport>(members_.size(), own_);
      queues_ = queues.get();
      local_ = std::move(queues);
    }
    if (several_hosts) network_ = over({"tcp;ofi_rxm", "", false, peers});
  } else if (provider == "shm") {
    if (several_hosts) {
      throw std::invalid_argument(
          "CASTOR_PROVIDER=shm reaches ranks on one host only; this job has "
          "several: set auto, or a network's provider");
    }
    remove_left_over_regions();
    local_ = over({provider, region_name(layout_.rank), false, members_.size()});
  } else {
    network_ = over({provider, "", !several_hosts, peers});
  }
  if (network_ && network_->wait_descriptor() < 0) {
    throw std::invalid_argument(
        fmt::format("CASTOR_PROVIDER: libfabric's {} cannot wake a sleeping process; it has {}",
                    network_->name(), known_providers()));
  }
  put_faults_before(local_, true);
  put_faults_before(network_, false);
}

void Links::put_faults_before(std::unique_ptr<Transport>& transport, bool own_host) {
  if (faults_ == nullptr || transport == nullptr) return;
  std::vector<NicAddress> nics;  // as meet() adds them
  for (int rank = 0; rank < layout_.size(); ++rank) {
    const bool by_local = local_ != nullptr && layout_.on_this_host(rank);
    if (rank != layout_.rank && by_local == own_host) nics.push_back(nic_of(rank));
  }
  transport = std::make_unique<FaultyTransport>(std::move(transport), std::move(nics), *faults_);
}

Links::Card Links::own_card() const {
  Card card;
  card.process = getpid();
  card.memory = memory_->card();
  card.bell = bell_->card();
  const auto fill = [](const Transport* transport, Card::Address& into) {
    if (transport == nullptr) return;
    const std::vector<std::byte> address = transport->address();
    if (address.size() > Card::room) {
      throw std::runtime_error(fmt::format("libfabric provider {}: an address of {} bytes",
                                           transport->name(), address.size()));
    }
    into.size = address.size();
    std::copy(address.begin(), address.end(), into.bytes);
  };
  fill(local_.get(), card.local);
  fill(network_.get(), card.network);
  return card;
}

void Links::meet(corespec::Process& process) {
  const Card own = own_card();
  std::vector<Card> cards(peers_.size());
  process.job().allgather(process, std::as_bytes(std::span(&own, 1)),
                          std::as_writable_bytes(std::span(cards)));
  std::vector<Doorbell::Card> bells;
  for (const int rank : members_) {
    if (local_) peer(rank).member = static_cast<int>(bells.size());
    const Card& card = cards[static_cast<std::size_t>(rank)];
    bells.push_back(card.bell);
    if (rank != layout_.rank) departures_.watch(card.process, rank);
  }
  memory_->meet(cards[static_cast<std::size_t>(members_.front())].memory);
  const std::size_t members = members_.size();
  bell_->meet(std::move(bells), reinterpret_cast<Doorbell::Flag*>(memory_->bytes()), own_);
  exposures_.meet(memory_->bytes() + flags_bytes(members), members, own_);
  if (queues_ != nullptr) queues_->share(memory_->bytes() + queues_at(members));
  for (int rank = 0; rank < layout_.size(); ++rank) {
    if (rank == layout_.rank) continue;
    const Card& card = cards[static_cast<std::size_t>(rank)];
    Peer& to = peer(rank);
    const bool by_memory = local_ && layout_.on_this_host(rank);
    to.transport = by_memory ? local_.get() : network_.get();
    const Card::Address& address = by_memory ? card.local : card.network;
    to.address = to.transport->add({address.bytes, std::min<std::size_t>(address.size, Card::room)},
                                   card.process);
  }
  if (network_) network_->all_added();
}

NetworkSockets Links::network_sockets() const {
  NetworkSockets sockets;
  if (!network_) return sockets;
  sockets.own = network_->own_socket();
  for (int rank = 0; rank < layout_.size(); ++rank) {
    if (layout_.on_this_host(rank)) continue;
    std::vector<std::byte> address = network_->socket_of(peer(rank).address);
    if (!address.empty()) sockets.peers.push_back({rank, std::move(address)});
  }
  return sockets;
}

std::atomic<std::uint32_t>& Links::host_word() {
  return *reinterpret_cast<std::atomic<std::uint32_t>*>(memory_->bytes() +
                                                        word_at(members_.size()));
}

/// A shared region's name is needed until both sides have mapped each other's: one message each
/// way proves it.
void Links::greet() {
  struct Greeted final : LinkClient {
    explicit Greeted(const Layout& job) : layout(job), from(job.host.size()) {}
    const Layout& layout;
    std::vector<bool> from;
    std::size_t heard = 0;
    void received(std::span<const std::byte> message, std::uint64_t) override {
      if (fault_in(message, layout, -1, true) != nullptr) return;
      const auto& head = *fixed_part<MessageHead>(message);
      if (head.kind != MessageKind::hello || from[static_cast<std::size_t>(head.rank)]) return;
      from[static_cast<std::size_t>(head.rank)] = true;
      ++heard;
    }
    void movement_ended(Movement&, bool) override {}
    void send_failed(int) override {}
    void lost(int rank, bool given_up) override {
      throw std::runtime_error(fmt::format("live wire: rank {} {} during start-up", rank,
                                           given_up ? "is out of reach" : "ended"));
    }
  } greeted(layout_);
  client_ = &greeted;
  for (const int rank : members_) {
    if (rank != layout_.rank) {
      send_fixed(rank, MessageHead{MessageKind::hello, 0, 0, layout_.rank});
    }
  }
  flush();
  armed_ = true;  // looks for departures as well
  corespec::Patience patience;
  while (greeted.heard + 1 < members_.size() || waiting()) {
    if (!poll()) patience.found_nothing();
  }
  armed_ = false;
  client_ = nullptr;
}

}  // namespace ugni::fabric
