// A transport in front of another one: what goes through it goes wrong as a plan says.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ugni_emu/fabric/transport/transport.h"
#include "ugni_emu/faults/rank_faults.h"

namespace ugni::fabric {

/// What it refuses never reaches the transport behind it. What was refused once is let through
/// when it comes again, so that whatever the plan something gets on: it counts once.
class FaultyTransport final : public Transport {
 public:
  /// `peers`: the NICs of the peers, in the order in which they will be added. `faults` outlives
  /// it.
  FaultyTransport(std::unique_ptr<Transport> behind, std::vector<NicAddress> peers,
                  faults::RankFaults& faults);

  std::string name() const override { return behind_->name(); }
  bool by_memory() const override { return behind_->by_memory(); }
  std::vector<std::byte> address() const override { return behind_->address(); }
  Address add(std::span<const std::byte> address, pid_t process) override;
  void all_added() override { behind_->all_added(); }
  std::vector<std::byte> own_socket() const override { return behind_->own_socket(); }
  std::vector<std::byte> socket_of(Address peer) const override { return behind_->socket_of(peer); }
  bool has_name() const override { return behind_->has_name(); }
  void forget_name() override { behind_->forget_name(); }
  std::size_t limit() const override { return behind_->limit(); }
  Outcome send(Address to, Buffer& buffer) override;
  Outcome read(Address from, std::span<std::byte> into, RemoteMemory memory,
               Movement& movement) override;
  Outcome write(Address to, std::span<const std::byte> data, RemoteMemory memory,
                Movement& movement) override;
  std::unique_ptr<Registration> expose(std::byte* address, std::size_t bytes) override {
    return behind_->expose(address, bytes);
  }
  bool poll(TransportClient& client) override { return behind_->poll(client); }
  void make_ready() override { behind_->make_ready(); }
  int wait_descriptor() const override { return behind_->wait_descriptor(); }
  bool may_wait() override { return behind_->may_wait(); }
  std::uint64_t refused() const override { return behind_->refused(); }
  std::size_t sends_under_way() const override { return behind_->sends_under_way(); }

 private:
  struct Peer {
    NicAddress nic = 0;
    bool fails = false;       ///< for good
    bool send_waits = false;  ///< the next one is one that has to come again
    bool send_begun = false;  ///< and the transport behind has been asked
    bool copy_waits = false;
    corespec::Time until;  ///< when that one may leave
  };

  bool is_held_up(Peer& peer);
  template <typename Move>
  Outcome copy(Address address, std::size_t bytes, const Move& move);

  std::unique_ptr<Transport> behind_;
  std::vector<NicAddress> nics_;
  faults::RankFaults& faults_;
  std::map<Address, Peer> peers_;
};

}  // namespace ugni::fabric
