// A communication domain on a NIC: what gni_nic_handle_t points to.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "corespec/containers/flat_map.h"
#include "corespec/threads/node.h"
#include "corespec/threads/signal.h"
#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/nic/datagram.h"
#include "ugni_emu/nic/endpoint.h"
#include "ugni_emu/nic/mailbox.h"
#include "ugni_emu/nic/nic_statistics.h"
#include "ugni_emu/nic/region_table.h"
#include "ugni_emu/wire/wire.h"

namespace nic {

class CompletionQueue;
class Endpoint;
class MessageQueue;
class Nic;

/// The name of a communication domain: peers name it by instance and must have the same tag and
/// cookie.
using DomainId = ugni::DomainName;

/// Mailboxes, datagrams and counters of one communication domain. Endpoints and queues belong to
/// the interface above; they point here.
class alignas(64) Domain {
 public:
  /// `place`: that of its process among the ranks of the node.
  Domain(Nic& nic, DomainId id, std::uint32_t modes, std::uint32_t place);
  ~Domain();
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;

  /// Makes the domain reachable. INVALID_PARAM if the NIC has one with this identity already.
  gni_return_t attach();

  Nic& nic() const { return *nic_; }
  bool has_nic() const { return nic_ != nullptr; }
  /// The NIC is gone (the machine is being taken apart).
  void nic_is_gone() { nic_ = nullptr; }
  const DomainId& id() const { return id_; }
  std::uint32_t modes() const { return modes_; }
  bool dual_events() const { return (modes_ & GNI_CDM_MODE_DUAL_EVENTS) != 0; }

  /// What this domain may use and peers may name: the memory of all domains with its tag and
  /// cookie.
  RegionTable& memory() const { return *memory_; }
  std::uint32_t place() const { return place_; }
  Datagrams& datagrams() { return datagrams_; }
  bool has_finished_datagram() {
    return finished_datagrams_ != 0 && datagrams_.first_finished(true) != nullptr;
  }
  NicStatistics& statistics() { return statistics_; }
  corespec::Signal& arrival_signal() { return arrival_signal_; }
  /// That of the domain with this name, whether it is there yet or not.
  static corespec::Signal& arrival_signal_of(corespec::Node& node, std::uint32_t instance,
                                             std::uint32_t cookie);

  /// Something arrived that a polling thread may wait for.
  void arrived() { arrival_signal_.notify(); }
  void raise_interrupt();
  /// An event goes into one of its queues.
  void observe_event(bool remote) const;

  /// Makes `transaction` one of this kind from `endpoint` to its peer: ids and event word are
  /// filled in, all else is as in a new one.
  void address(ugni::Transaction& transaction, const Endpoint& endpoint,
               ugni::TransactionKind kind) const;

  /// What lies in landing regions (doors.h), by address.
  void land(std::uint64_t address, Message* message);
  const Message* landed_at(std::uint64_t address) const;
  Message* take_landed(std::uint64_t address);  ///< null if nothing is there

  Mailbox* find_mailbox(std::uint64_t address);
  /// Where `from`'s messages to `address` go: the mailbox of an endpoint connected to it, or an
  /// early one, made if need be. Null if the endpoint there is connected to another one.
  Mailbox* mailbox_for(const FarEnd& from, std::uint64_t address);
  /// Makes the endpoint's mailbox, whose far end is set, that at `address` in this domain's memory;
  /// false if another endpoint's is there.
  bool open_mailbox(Endpoint& endpoint, std::uint64_t address);
  /// Ends the endpoint's connection, if it has one.
  static void close_mailbox(Endpoint& endpoint);
  /// Drops mailboxes in [address, address + length) that belong to no endpoint.
  void remove_ownerless_mailboxes(std::uint64_t address, std::uint64_t length);

  /// The domain with its queues is about to go: detaches it, wakes the threads that wait for it.
  void about_to_go(std::span<CompletionQueue* const> queues);
  /// The queue is about to go: nothing sends events to it any more.
  void forget(CompletionQueue& queue);
  /// The endpoint is about to go: its posts under way, its datagrams, its mailbox forget it.
  void forget(Endpoint& endpoint);

 private:
  friend struct Prefetch;
  void detach();
  void take_out(Mailbox& mailbox);
  void remove(Mailbox& mailbox);
  static void drop(EarlyMailbox* first);
  void drop_mailboxes();

  // By lines: what every arrival and every look needs; what has landed; the regions; the counts of
  // events and descriptors (the statistics' first).
  Nic* nic_;
  corespec::Signal& arrival_signal_;  ///< in node memory: others of the node may notify it
  DomainId id_;
  std::uint32_t modes_;
  std::uint32_t place_;
  corespec::FlatMap<Mailbox*> mailboxes_;
  std::size_t finished_datagrams_ = 0;  ///< and not yet harvested
  corespec::FlatMap<Message*, ~std::uint64_t{0}, 4> landed_;
  RegionTable* memory_;
  Datagrams datagrams_;
  NicStatistics statistics_;
  bool attached_ = false;

 public:
  std::uint8_t bte_channel = 0;  ///< the only one it uses, with GNI_CDM_MODE_BTE_SINGLE_CHANNEL
  std::uint16_t max_retransmissions = FMA_SMSG_MAX_RETRANS_DEFAULT;
  std::uint16_t message_delivery_mode = GNI_DLVMODE_PERFORMANCE;
  bool keeps_places = false;                            ///< doors::keep_places()
  std::array<std::uint32_t, GNI_NUM_STATS> counters{};  ///< GNI_GetNicStat
  MessageQueue* message_queue = nullptr;                ///< its part of the node's, or null
  std::optional<ugni::NicAddress> failed_target;        ///< of the last transaction that failed
};
static_assert(sizeof(Domain) == 384);

/// Handles are pointers to these objects.
inline gni_nic_handle_t handle_of(Domain& domain) {
  return reinterpret_cast<gni_nic_handle_t>(&domain);
}
inline Domain& domain_of(gni_nic_handle_t handle) { return *reinterpret_cast<Domain*>(handle); }

}  // namespace nic
