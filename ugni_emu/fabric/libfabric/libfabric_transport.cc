// One libfabric endpoint: opening, sending, receiving, moving data.
#include "ugni_emu/fabric/libfabric/libfabric_transport.h"

#include <fmt/format.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "ugni_emu/fabric/host/host_copy.h"
#include "ugni_emu/fabric/libfabric/kernel_symbols.h"
#include "ugni_emu/fabric/libfabric/provider.h"

namespace ugni::fabric {
namespace {

constexpr std::uint32_t interface_version = FI_VERSION(1, 14);
constexpr std::string_view shm_prefix = "fi_shm://";
constexpr std::size_t posted_again_at = 32;

using Information = std::unique_ptr<fi_info, decltype(&fi_freeinfo)>;

Information wanted(const Library& library, const std::string& provider) {
  Information hints(library.dupinfo(nullptr), library.freeinfo);
  if (!hints) throw std::bad_alloc();
  hints->caps = FI_MSG | FI_RMA;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->tx_attr->msg_order = FI_ORDER_SAS;
  hints->rx_attr->msg_order = FI_ORDER_SAS;
  if (!provider.empty()) hints->fabric_attr->prov_name = strdup(provider.c_str());
  return hints;
}

Information ask(const Library& library, const char* node, std::uint64_t flags,
                const fi_info& hints) {
  const KernelSymbolsHidden hidden(library.handle);
  fi_info* found = nullptr;
  if (library.getinfo(interface_version, node, nullptr, flags, &hints, &found) != 0) {
    found = nullptr;
  }
  return {found, library.freeinfo};
}

Information find(const Library& library, const std::string& provider, bool loopback,
                 const fi_info& hints) {
  Information found(nullptr, library.freeinfo);
  if (loopback) found = ask(library, "127.0.0.1", FI_SOURCE, hints);
  if (!found) found = ask(library, nullptr, 0, hints);
  if (!found) {
    throw std::invalid_argument(
        fmt::format("CASTOR_PROVIDER: libfabric has no provider \"{}\" with reliable unconnected "
                    "endpoints and RMA here; it has {}",
                    provider, known_providers()));
  }
  return found;
}

class Region final : public Registration {
 public:
  /// `base`: what addresses are counted from.
  Region(fid_mr* region, const std::byte* base) : region_(region), base_(base) {}
  ~Region() override { fi_close(&region_->fid); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  RemoteMemory remote(const std::byte* address) const override {
    return {reinterpret_cast<std::uint64_t>(address) - reinterpret_cast<std::uint64_t>(base_),
            fi_mr_key(region_)};
  }

 private:
  fid_mr* region_;
  const std::byte* base_;
};

}  // namespace

std::string known_providers() {
  const KeptSignals signals;
  const Library library;
  const Information all = ask(library, nullptr, 0, *wanted(library, ""));
  std::vector<std::string> names;
  for (const fi_info* info = all.get(); info != nullptr; info = info->next) {
    const std::string name = info->fabric_attr->prov_name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

void check_provider(const std::string& name) {
  const KeptSignals signals;
  const Library library;
  find(library, name, true, *wanted(library, name));
}

LibfabricTransport::LibfabricTransport(const Request& request) : provider_(request.provider) {
  const KeptSignals signals;
  try {
    open(request);
  } catch (...) {
    close();
    throw;
  }
}

LibfabricTransport::~LibfabricTransport() { close(); }

void LibfabricTransport::check(long result, const char* what) const {
  if (result >= 0) return;
  throw std::runtime_error(fmt::format("libfabric provider {}: {}: {}", provider_, what,
                                       library_.strerror(static_cast<int>(-result))));
}

void LibfabricTransport::close() {
  if (endpoint_ != nullptr) fi_close(&endpoint_->fid);
  if (queue_ != nullptr) fi_close(&queue_->fid);
  if (addresses_ != nullptr) fi_close(&addresses_->fid);
  if (domain_ != nullptr) fi_close(&domain_->fid);
  if (fabric_ != nullptr) fi_close(&fabric_->fid);
  if (info_ != nullptr) library_.freeinfo(info_);
  endpoint_ = nullptr;
  queue_ = nullptr;
  addresses_ = nullptr;
  domain_ = nullptr;
  fabric_ = nullptr;
  info_ = nullptr;
}

void LibfabricTransport::open(const Request& request) {
  Information hints = wanted(library_, provider_);
  if (provider_ == "shm") {
    const std::string name = std::string(shm_prefix) + request.name;
    hints->addr_format = FI_ADDR_STR;
    hints->src_addr = strdup(name.c_str());
    hints->src_addrlen = name.size() + 1;
  }
  // Over verbs ofi_rxm wants its eager limit to equal its buffers' size.
  if (provider_.starts_with("tcp")) ask_for_small_buffers();
  info_ = find(library_, provider_, request.loopback, *hints).release();
  provider_ = info_->fabric_attr->prov_name;
  const std::size_t injected = info_->tx_attr->inject_size;
  injects_ = injected >= 1024;
  constexpr std::size_t with_secret = Buffer::room + Secret::bytes;
  limit_ = std::min(injects_ ? injected : with_secret, with_secret) - Secret::bytes;

  check(library_.fabric(info_->fabric_attr, &fabric_, nullptr), "cannot be opened");
  check(fi_domain(fabric_, info_, &domain_, nullptr), "no domain");
  fi_av_attr address_attributes{};
  address_attributes.type = FI_AV_TABLE;
  address_attributes.count = request.peers;
  check(fi_av_open(domain_, &address_attributes, &addresses_, nullptr), "no addresses");
  fi_cq_attr queue_attributes{};
  queue_attributes.format = FI_CQ_FORMAT_MSG;
  queue_attributes.size = 4096;
  queue_attributes.wait_obj = FI_WAIT_FD;
  if (provider_ == "shm" || fi_cq_open(domain_, &queue_attributes, &queue_, nullptr) != 0) {
    queue_attributes.wait_obj = FI_WAIT_NONE;
    check(fi_cq_open(domain_, &queue_attributes, &queue_, nullptr), "no queue");
  } else if (fi_control(&queue_->fid, FI_GETWAIT, &wait_descriptor_) != 0) {
    wait_descriptor_ = -1;
  }
  check(fi_endpoint(domain_, info_, &endpoint_, nullptr), "no endpoint");
  check(fi_ep_bind(endpoint_, &addresses_->fid, 0), "addresses");
  check(fi_ep_bind(endpoint_, &queue_->fid, FI_TRANSMIT | FI_RECV), "queue");
  check(fi_enable(endpoint_), "cannot be used");
  hang_door();
  const std::size_t posted = std::min<std::size_t>(info_->rx_attr->size, 256);
  for (std::size_t i = 0; i < posted; ++i) {
    received_into_.push_back(std::make_unique<Buffer>());
    post(*received_into_.back());
  }
}

void LibfabricTransport::hang_door() {
  switch (info_->addr_format) {
    case FI_SOCKADDR:
    case FI_SOCKADDR_IN:
    case FI_SOCKADDR_IN6:
      door_ = NetworkDoor::hang(library_.handle, own_socket());
      break;
    default:
      break;
  }
}

std::vector<std::byte> LibfabricTransport::provider_address() const {
  std::vector<std::byte> address(512);
  std::size_t size = address.size();
  check(fi_getname(&endpoint_->fid, address.data(), &size), "has no address");
  address.resize(size);
  return address;
}

std::vector<std::byte> LibfabricTransport::address() const {
  std::vector<std::byte> address = provider_address();
  const NetworkDoor::Ports ports = door_ ? door_->ports() : NetworkDoor::Ports{};
  const auto append = [&](std::span<const std::byte> bytes) {
    address.insert(address.end(), bytes.begin(), bytes.end());
  };
  append(std::as_bytes(std::span(ports)));
  append(secret_.view());
  return address;
}

Transport::Address LibfabricTransport::add(std::span<const std::byte> address, pid_t process) {
  NetworkDoor::Ports ports{};
  constexpr std::size_t behind = sizeof ports + Secret::bytes;
  fi_addr_t number = FI_ADDR_UNSPEC;
  if (address.size() <= behind ||
      fi_av_insert(addresses_, address.data(), 1, &number, 0, nullptr) != 1) {
    throw std::runtime_error(
        fmt::format("libfabric provider {}: a peer's address is refused ({})", provider_,
                    by_memory() ? "it takes 256 processes of a host"
                                : "is it one that this host's network can reach?"));
  }
  if (number >= peers_.size()) peers_.resize(number + 1);
  peers_[number] = Peer{process, Secret(address.last<Secret::bytes>())};
  if (door_) {
    std::memcpy(&ports, address.last<behind>().data(), sizeof ports);
    door_->add_peer(address.first(address.size() - behind), ports);
  }
  return number;
}

std::vector<std::byte> LibfabricTransport::own_socket() const {
  std::vector<std::byte> socket(512);
  std::size_t size = socket.size();
  if (fi_getname(&endpoint_->fid, socket.data(), &size) != 0) size = 0;
  socket.resize(size);
  return socket;
}

std::vector<std::byte> LibfabricTransport::socket_of(Address peer) const {
  std::vector<std::byte> socket(512);
  std::size_t size = socket.size();
  if (fi_av_lookup(addresses_, peer, socket.data(), &size) != 0) size = 0;
  socket.resize(std::min<std::size_t>(size, socket.size()));
  return socket;
}

void LibfabricTransport::forget_name() {
  if (!has_name()) return;
  const std::vector<std::byte> own = provider_address();
  const std::string name(reinterpret_cast<const char*>(own.data()));
  shm_unlink(name.substr(name.find(shm_prefix) == 0 ? shm_prefix.size() : 0).c_str());
}

Outcome LibfabricTransport::send(Address to, Buffer& buffer) {
  buffer.kind = Operation::Kind::send;
  std::memcpy(buffer.bytes + buffer.size, peers_[to]->secret.view().data(), Secret::bytes);
  const std::size_t size = buffer.size + Secret::bytes;
  const long result = injects_
                          ? fi_inject(endpoint_, buffer.bytes, size, to)
                          : fi_send(endpoint_, buffer.bytes, size, nullptr, to, &buffer.context);
  if (result == -FI_EAGAIN) return Outcome::again;
  if (injects_ || result != 0) {
    put_back(buffer);
  } else {
    ++sends_;
  }
  return result == 0 ? Outcome::done : Outcome::failed;
}

namespace {
Outcome outcome_of(long result) {
  if (result == 0) return Outcome::done;
  return result == -FI_EAGAIN ? Outcome::again : Outcome::failed;
}
}  // namespace

Outcome LibfabricTransport::read(Address from, std::span<std::byte> into, RemoteMemory memory,
                                 Movement& movement) {
  if (by_memory()) return read_host(peers_[from]->process, into, memory);
  return outcome_of(fi_read(endpoint_, into.data(), into.size(), nullptr, from, memory.address,
                            memory.key, &movement.context));
}

Outcome LibfabricTransport::write(Address to, std::span<const std::byte> data, RemoteMemory memory,
                                  Movement& movement) {
  if (by_memory()) return write_host(peers_[to]->process, data, memory);
  return outcome_of(fi_write(endpoint_, data.data(), data.size(), nullptr, to, memory.address,
                             memory.key, &movement.context));
}

std::unique_ptr<Registration> LibfabricTransport::expose(std::byte* address, std::size_t bytes) {
  fid_mr* region = nullptr;
  long result = 0;
  do {  // where the provider makes the keys itself, it takes no notice of ours
    result =
        fi_mr_reg(domain_, address, bytes, FI_REMOTE_READ | FI_REMOTE_WRITE | FI_READ | FI_WRITE, 0,
                  random_key(info_->domain_attr->mr_key_size), 0, &region, nullptr);
  } while (result == -FI_ENOKEY);  // it is in use
  if (result != 0) return nullptr;
  const bool by_address = (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  return std::make_unique<Region>(region, by_address ? nullptr : address);
}

void LibfabricTransport::post(Buffer& buffer) {
  buffer.kind = Operation::Kind::receive;
  const long result = fi_recv(endpoint_, buffer.bytes, sizeof buffer.bytes, nullptr, FI_ADDR_UNSPEC,
                              &buffer.context);
  check(result, "a receive was refused");
}

void LibfabricTransport::post_those() {
  for (Buffer* buffer : taken_in_) post(*buffer);
  taken_in_.clear();
}

bool LibfabricTransport::poll(TransportClient& client) {
  std::array<fi_cq_msg_entry, 16> entries;
  bool any = false;
  for (int round = 0; round < 4; ++round) {
    const long count = fi_cq_read(queue_, entries.data(), entries.size());
    if (count == -FI_EAGAIN || count == 0) return any;
    any = true;
    if (count < 0) {
      if (!fail(client)) return any;
      continue;
    }
    for (long i = 0; i < count; ++i) {
      const fi_cq_msg_entry& entry = entries[static_cast<std::size_t>(i)];
      if (entry.op_context == nullptr) {  // what a peer's write may leave here: none of ours does
        ++refused_;
        continue;
      }
      complete(*static_cast<Operation*>(entry.op_context), entry.len, client);
    }
    if (count < static_cast<long>(entries.size())) return any;
  }
  return any;
}

void LibfabricTransport::complete(Operation& operation, std::size_t length,
                                  TransportClient& client) {
  switch (operation.kind) {
    case Operation::Kind::receive: {
      auto& buffer = static_cast<Buffer&>(operation);
      received(buffer, length, client);
      taken_in_.push_back(&buffer);
      if (taken_in_.size() >= posted_again_at) make_ready();
      break;
    }
    case Operation::Kind::send:
      --sends_;
      put_back(static_cast<Buffer&>(operation));
      break;
    case Operation::Kind::movement:
      client.movement_ended(static_cast<Movement&>(operation), true);
      break;
  }
}

/// Nothing else of what has come is looked at before its secret.
void LibfabricTransport::received(Buffer& buffer, std::size_t length, TransportClient& client) {
  const std::span<const std::byte> arrived(buffer.bytes, length);
  if (length <= Secret::bytes || !secret_.is(arrived.last<Secret::bytes>())) {
    ++refused_;
    return;
  }
  client.received(arrived.first(length - Secret::bytes), TransportClient::some_process_of_the_job);
}

/// Takes an error off the queue; false if there was none.
bool LibfabricTransport::fail(TransportClient& client) {
  fi_cq_err_entry entry{};
  if (fi_cq_readerr(queue_, &entry, 0) <= 0) return false;
  if (entry.op_context == nullptr) return true;
  auto& operation = *static_cast<Operation*>(entry.op_context);
  switch (operation.kind) {
    case Operation::Kind::receive:
      // One that was too long, or could not be fetched: no process of the job sends such a thing.
      if (entry.err == FI_ECANCELED) break;
      ++refused_;
      post(static_cast<Buffer&>(operation));
      break;
    case Operation::Kind::send: {
      auto& buffer = static_cast<Buffer&>(operation);
      --sends_;
      put_back(buffer);
      client.send_failed(buffer.peer);
      break;
    }
    case Operation::Kind::movement:
      client.movement_ended(static_cast<Movement&>(operation), false);
      break;
  }
  return true;
}

bool LibfabricTransport::may_wait() {
  if (wait_descriptor_ < 0) return true;
  fid* const queue = &queue_->fid;
  fid* one[1] = {queue};
  return fi_trywait(fabric_, one, 1) == FI_SUCCESS;
}

}  // namespace ugni::fabric
