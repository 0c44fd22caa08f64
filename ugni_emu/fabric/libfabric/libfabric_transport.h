// A transport over libfabric: one endpoint with its completion queue, its buffers and its
// registered memory.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ugni_emu/fabric/libfabric/library.h"
#include "ugni_emu/fabric/libfabric/network_door.h"
#include "ugni_emu/fabric/transport/transport.h"

namespace ugni::fabric {

/// Over a reliable, unconnected endpoint of one provider, with manual progress. Any host of a
/// network can try to reach it: a door turns connections away that are not from its peers, what
/// does not end with its secret is dropped before any of it is looked at, and memory is registered
/// under random keys.
class LibfabricTransport final : public Transport {
 public:
  struct Request {
    std::string provider;   ///< as fi_getinfo() knows it
    std::string name;       ///< shm: of the shared region
    bool loopback = false;  ///< network: of this host only
    std::size_t peers = 1;  ///< how many there will be at most
  };

  /// Throws std::runtime_error with one line.
  explicit LibfabricTransport(const Request& request);
  ~LibfabricTransport() override;

  std::string name() const override { return provider_; }
  bool by_memory() const override { return provider_ == "shm"; }
  std::vector<std::byte> address() const override;
  Address add(std::span<const std::byte> address, pid_t process) override;
  void all_added() override {
    if (door_) door_->open();
  }
  std::vector<std::byte> own_socket() const override;
  std::vector<std::byte> socket_of(Address peer) const override;
  /// The region of provider shm has one.
  bool has_name() const override { return provider_ == "shm"; }
  void forget_name() override;

  /// What fits into one message goes without waiting for the receiver.
  std::size_t limit() const override { return limit_; }
  Outcome send(Address to, Buffer& buffer) override;
  Outcome read(Address from, std::span<std::byte> into, RemoteMemory memory,
               Movement& movement) override;
  Outcome write(Address to, std::span<const std::byte> data, RemoteMemory memory,
                Movement& movement) override;
  std::unique_ptr<Registration> expose(std::byte* address, std::size_t bytes) override;

  bool poll(TransportClient& client) override;
  /// Posts the buffers again that messages were received into.
  void make_ready() override {
    if (!taken_in_.empty()) post_those();
  }

  int wait_descriptor() const override { return wait_descriptor_; }
  bool may_wait() override;
  std::uint64_t refused() const override { return refused_ + (door_ ? door_->refused() : 0); }
  std::size_t sends_under_way() const override { return sends_; }

 private:
  void open(const Request& request);
  void close();
  void check(long result, const char* what) const;
  void post(Buffer& buffer);
  void post_those();
  std::vector<std::byte> provider_address() const;
  void hang_door();
  void complete(Operation& operation, std::size_t length, TransportClient& client);
  void received(Buffer& buffer, std::size_t length, TransportClient& client);
  bool fail(TransportClient& client);

  Library library_;
  std::string provider_;
  fi_info* info_ = nullptr;
  fid_fabric* fabric_ = nullptr;
  fid_domain* domain_ = nullptr;
  fid_av* addresses_ = nullptr;
  fid_cq* queue_ = nullptr;
  fid_ep* endpoint_ = nullptr;
  std::size_t limit_ = 0;
  bool injects_ = false;  ///< messages up to the limit are copied by the provider
  int wait_descriptor_ = -1;
  std::size_t sends_ = 0;
  std::vector<std::unique_ptr<Buffer>> received_into_;
  std::vector<Buffer*> taken_in_;  ///< of these, to be posted again
  struct Peer {
    pid_t process;  ///< shm
    Secret secret;
  };
  Secret secret_ = Secret::draw();
  std::shared_ptr<NetworkDoor> door_;       ///< null where nothing listens
  std::vector<std::optional<Peer>> peers_;  ///< by address
  std::uint64_t refused_ = 0;
};

}  // namespace ugni::fabric
