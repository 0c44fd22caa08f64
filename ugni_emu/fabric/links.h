// The ways to the job's other processes: transports, doorbells, messages that wait for room.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "corespec/job/job.h"
#include "ugni_emu/fabric/departures.h"
#include "ugni_emu/fabric/host/doorbell.h"
#include "ugni_emu/fabric/host/exposures.h"
#include "ugni_emu/fabric/host/host_memory.h"
#include "ugni_emu/fabric/host/host_transport.h"
#include "ugni_emu/fabric/libfabric/peer_watch.h"
#include "ugni_emu/fabric/parcel.h"
#include "ugni_emu/fabric/transport/transport.h"
#include "ugni_emu/faults/rank_faults.h"

namespace ugni::fabric {

/// Which process is where.
struct Layout {
  int rank = 0;           ///< this process
  std::vector<int> nid;   ///< by rank
  std::vector<int> host;  ///< by rank: equal numbers are on one host
  int size() const { return static_cast<int>(host.size()); }
  bool on_this_host(int other) const { return host_of(other) == host_of(rank); }
  int host_of(int other) const { return host[static_cast<std::size_t>(other)]; }
  int nid_of(int other) const { return nid[static_cast<std::size_t>(other)]; }
};

class LinkClient : public TransportClient {
 public:
  /// A process cannot be reached any more. `given_up`: its transport says so, or what wakes it;
  /// else it has ended.
  virtual void lost(int rank, bool given_up) = 0;

 protected:
  ~LinkClient() = default;
};

/// Messages to one rank arrive in the order of send(). Ranks of this host are reached by shared
/// memory and woken by the doorbell, others by the network, whose descriptor wakes them; or all by
/// the one provider that the user has named.
class Links {
 public:
  /// Collective: all ranks of the job meet. `faults`: what is to go wrong; null: nothing. Throws
  /// std::runtime_error with one line.
  Links(corespec::Process& process, Layout layout, const std::string& provider,
        faults::RankFaults* faults = nullptr);
  ~Links();
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;

  const Layout& layout() const { return layout_; }
  void set_client(LinkClient& client) { client_ = &client; }

  /// Largest message to `rank`.
  std::size_t limit(int rank) const { return peer(rank).transport->limit(); }
  /// A buffer for a message to `rank`; send() it next.
  Buffer& compose(int rank) { return peer(rank).transport->take(); }
  /// It leaves, with others to the same rank, at the next flush(). `wakes`: if the rank sleeps then
  /// it is woken up to take the message in; else it does so when it next looks. (What waits for
  /// room wakes it in any case.)
  void send(int rank, Buffer& buffer, bool wakes = true);
  /// The same for a message without data.
  template <typename Fixed>
  void send_fixed(int rank, const Fixed& message) {
    Buffer& buffer = compose(rank);
    put_fixed(buffer.bytes, message);
    buffer.size = sizeof message;
    send(rank, buffer);
  }

  bool any_unsent() const { return !unsent_.empty(); }
  /// Sends what has been handed to send(), several messages to a parcel. True if there was any.
  bool flush() {
    if (!any_unsent()) return false;
    flush_those();
    return true;
  }

  Outcome read(int rank, std::span<std::byte> into, RemoteMemory memory, Movement& movement);
  Outcome write(int rank, std::span<const std::byte> data, RemoteMemory memory, Movement& movement);
  /// False if `rank` need not be woken up for a message into a mailbox: no thread there sleeps
  /// until one comes, or its network wakes it. Looks at nothing that the rank writes as it comes
  /// and goes.
  bool wakes(int rank, const Transaction& transaction);
  /// Writes a PUT's data into the memory of a process of this host that is not polling, if that may
  /// be without asking it. False if it has to be asked.
  bool push(int rank, const Transaction& transaction, std::span<const std::byte> data);
  /// Reads a GET's data from the memory of a process of this host, whatever that process is doing,
  /// if that may be without asking it. False if it has to be asked.
  bool pull(int rank, const Transaction& transaction, std::span<std::byte> into);
  /// True if pull() is a way to read that rank's memory.
  bool reads(int rank) const;

  /// Memory of this process for RMA by peers; 0 if it cannot be.
  std::uint64_t expose(const ExposedRegion& region);
  void conceal(std::uint64_t registration);
  /// It as `rank` has to name it. False if `rank` cannot reach it.
  bool remote(int rank, std::uint64_t registration, const std::byte* address, RemoteMemory& memory);

  /// Takes in what has come, sends what had to wait. True if anything.
  bool poll();
  /// Gets ready to receive more, while there is time for it.
  void make_ready() {
    if (local_) local_->make_ready();
    if (network_) network_->make_ready();
  }
  /// True if messages wait for room at their receivers: poll() again before long.
  bool waiting() const { return !delayed_.empty(); }

  /// Sends what is still to be sent, for a while; nothing is delivered any more.
  void finish();

  /// This process is going to sleep: a thread of it on word(), or in the kernel on
  /// wait_descriptors(). What comes over a network makes these readable in any case.
  void arm(bool on_word);
  /// As Doorbell has it.
  void set_sleeper(const corespec::Guest& guest) { bell_->set_sleeper(guest); }
  corespec::futex::Word* word() { return local_ ? bell_->word() : nullptr; }
  void disarm();
  /// Between disarm() and arm(): forgets rings. False if a network's descriptor may be readable.
  bool quieten();
  bool is_armed() const { return armed_; }
  std::vector<int> wait_descriptors() const;

  /// Gives up what waits for `rank`, which its transport cannot reach. The next poll() tells the
  /// client, once, after all that `rank` sent before.
  void lose(int rank) { lose(rank, true); }
  /// The same of a rank that has ended.
  void let_go(int rank) { lose(rank, false); }
  bool is_lost(int rank) const { return peer(rank).lost; }
  /// True if the process of `rank` is known to live: it is of this host, and the kernel says so.
  bool lives(int rank) const { return departures_.lives(rank); }
  /// The rank that a transport calls `from`; -1 if the transport does not know it.
  int rank_of(Transport::Address from) const {
    return from < members_.size() ? members_[from] : -1;
  }
  /// Arrivals that were dropped unread, for they were not the job's.
  std::uint64_t refused() const {
    return (local_ ? local_->refused() : 0) + (network_ ? network_->refused() : 0);
  }
  std::string text() const;
  /// What carries messages to `rank`.
  std::string text_of(int rank) const { return peer(rank).transport->name(); }
  /// How other hosts are reached; no peers if none are, or by no sockets.
  NetworkSockets network_sockets() const;
  /// Zero at first, and the same for all processes of this host.
  std::atomic<std::uint32_t>& host_word();
  std::uint64_t wake_ups() const { return bell_ ? bell_->rung() : 0; }

 private:
  struct Peer {
    Transport* transport = nullptr;
    Transport::Address address = 0;
    int member = -1;  ///< number on this host, if the doorbell wakes it
    bool lost = false;
    bool wakes = false;        ///< for what leaves with the next flush()
    bool used = false;         ///< something has been sent there
    Buffer* unsent = nullptr;  ///< leaves then: one message, or a parcel
    Parcel parcel;
    std::deque<Buffer*> backlog;
  };

  /// Copies between this process and `peer` by `move(place, movement)`, if what the transaction
  /// aims at may be touched without asking. False if the target has to be asked.
  template <typename Move>
  bool move_unasked(Peer& peer, const Transaction& transaction, Move move);
  struct Exposed {
    bool used = false;
    std::unique_ptr<Registration> local;
    std::unique_ptr<Registration> remote;
    std::uint32_t shown = Exposures::none;
  };
  struct Card;

  NicAddress nic_of(int rank) const { return static_cast<NicAddress>(layout_.nid_of(rank)); }
  Peer& peer(int rank) { return peers_[static_cast<std::size_t>(rank)]; }
  const Peer& peer(int rank) const { return peers_[static_cast<std::size_t>(rank)]; }
  void open(const std::string& provider);
  void put_faults_before(std::unique_ptr<Transport>& transport, bool own_host);
  Card own_card() const;
  void meet(corespec::Process& process);
  void greet();
  void ring(int rank, Peer& to);
  void flush_those();
  Outcome send_by(const Peer& to, Buffer& buffer);
  void post(int rank, Peer& to);
  void take_leave();
  bool retry();
  void lose(int rank, bool given_up);
  void tell_of_losses();

  Layout layout_;
  std::vector<int> members_;  ///< ranks of this host
  std::size_t own_ = 0;       ///< this one's place among them
  faults::RankFaults* faults_ = nullptr;
  const corespec::EventDomain& clock_;
  LinkClient* client_ = nullptr;
  std::unique_ptr<HostMemory> memory_;
  std::unique_ptr<Doorbell> bell_;
  Exposures exposures_;
  std::unique_ptr<Transport> local_;    ///< this host's ranks, or all
  HostTransport* queues_ = nullptr;     ///< local_, if it is the host's queues
  std::unique_ptr<Transport> network_;  ///< other hosts' ranks
  Departures departures_;
  std::vector<Peer> peers_;
  std::vector<int> unsent_;   ///< ranks with messages that wait for flush()
  std::vector<int> delayed_;  ///< ranks with a backlog
  struct Gone {
    int rank;
    bool given_up;
  };
  std::vector<Gone> gone_;  ///< lost, and the client does not know yet
  std::vector<Exposed> exposed_;
  std::vector<std::uint64_t> free_registrations_;
  unsigned turn_ = 0;
  bool armed_ = false;
  bool copies_ = false;  ///< the kernel lets processes of a host read each other's memory
};

}  // namespace ugni::fabric
