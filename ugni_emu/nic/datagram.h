// Datagrams: the exchange of small blocks by which endpoints get to know each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "corespec/events/event_domain.h"
#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/nic/peer.h"
#include "ugni_emu/wire/wire.h"

namespace nic {

class Domain;
class Endpoint;
class Nic;

/// One posted exchange. When a job starts its ranks have many.
struct Datagram {
  std::uint64_t serial = 0;
  Endpoint* endpoint = nullptr;  ///< null: it has gone, and the exchange with it
  std::uint64_t id = 0;
  Peer peer;                   ///< of a bound post
  Peer from;                   ///< the one that answered
  std::uint64_t finished = 0;  ///< order in which exchanges of the domain finished
  void* out = nullptr;
  ugni::Payload in;  ///< for as long as it may be asked for
  gni_post_state_t state = GNI_POST_PENDING;
  std::uint16_t out_size = 0;
  bool with_id : 1 = false;
  bool wildcard : 1 = false;  ///< posted on an unbound endpoint: any peer will do
  bool offered : 1 = false;   ///< the peer's NIC was told
  bool too_long : 1 = false;  ///< the peer's data did not fit

  /// True if it was posted on `of` with this id (or without).
  bool is(const Endpoint& of, bool has_id, std::uint64_t its_id) const {
    return endpoint == &of && with_id == has_id && (!with_id || id == its_id);
  }
};
static_assert(sizeof(Datagram) == 72);

/// What a datagram transaction has brought. When a job starts, NICs hold many.
struct Letter {
  Peer from;
  ugni::DomainName to;
  std::uint16_t what = 0;
  std::uint64_t serial = 0;        ///< the sender's post
  std::uint64_t their_serial = 0;  ///< of an answer: the receiver's post
  ugni::Payload data;
};
static_assert(sizeof(Letter) == 48);

/// The exchanges of one communication domain.
///
/// A bound post that finds no offer of its peer here sends its own offer there (a datagram
/// transaction). The domain that holds both an offer and a post that fits matches them and answers
/// with its own data. If two bound posts cross on the way, the smaller peer decides and the other
/// one waits for its answer; the answer names both posts, so that the offer left over is dropped.
/// Wildcards are matched in the order in which they were posted, by offers that no bound post
/// claims.
class Datagrams {
 public:
  /// `unharvested` counts the finished ones: it is looked at often, all else of them seldom.
  Datagrams(Domain& domain, std::size_t& unharvested)
      : domain_(&domain), unharvested_(&unharvested) {}

  /// Posts an exchange; `in` is captured. ERROR_RESOURCE if a bound endpoint has one already.
  gni_return_t post(Endpoint& endpoint, std::span<const std::byte> in, void* out,
                    std::uint16_t out_size, bool with_id, std::uint64_t id);

  /// The exchange posted on `endpoint` with this id (or without), a finished one first; or null.
  Datagram* find(const Endpoint& endpoint, bool with_id, std::uint64_t id);
  /// The exchange, with or without id, that finished first and was not harvested; or null.
  Datagram* first_finished(bool with_id);
  /// Takes a finished exchange's result and forgets it.
  void harvest(Datagram& datagram);
  /// Ends the exchange posted on `endpoint` with this id (or without): it becomes
  /// GNI_POST_TERMINATED. One that was completed before, and not harvested, stays so. False if
  /// there is none, or only one that has been ended already.
  bool cancel(const Endpoint& endpoint, bool with_id, std::uint64_t id);

  bool pending_on(const Endpoint& endpoint) const;
  /// The endpoint goes: what is pending on it is terminated, which probes tell of once.
  void forget(const Endpoint& endpoint);
  /// A probe has told of a finished exchange: one whose endpoint has gone nothing else ends.
  void told(Datagram& datagram);

  /// A datagram has come through the driver.
  void handle(Letter letter);
  /// The domain is about to be detached: takes back what it has offered, and leaves the offers that
  /// it has got to the domain that comes after it.
  void leave();

 private:
  struct Offer {
    Peer from;
    std::uint64_t serial;
    ugni::Payload data;
  };

  Peer self() const;
  void send(Peer to, std::uint16_t what, std::uint64_t serial, std::uint64_t their_serial,
            ugni::Payload data);
  void erase_offer(Peer from, std::uint64_t serial);
  Datagram* candidate(const Offer& offer);
  void match_all();
  void complete(Datagram& datagram, Peer from, std::span<const std::byte> data);
  void finish(Datagram& datagram, gni_post_state_t state);

  Domain* domain_;
  std::vector<std::unique_ptr<Datagram>> posted_;  // in order of posting
  std::vector<Offer> offers_;                      // in order of arrival
  std::uint64_t next_finished_ = 1;
  std::size_t* unharvested_;  ///< finished and still in posted_
};

/// The kernel driver's part on a NIC: handles each datagram some time after it arrived, and keeps
/// offers for domains that do not exist yet.
class DatagramDriver final : public corespec::Event {
 public:
  explicit DatagramDriver(Nic& nic) : nic_(&nic) {}

  /// A piece of a datagram is here, mostly all of it.
  void arrived(ugni::SegmentView segment);
  /// A domain was attached: hands it what waited for it.
  void attached(Domain& domain);
  /// Keeps an offer for a domain that does not exist (any more).
  void keep(Letter offer) { unclaimed_.push_back(std::move(offer)); }
  /// No two posts of the NIC's domains have the same, those of domains that have gone included:
  /// what is under way may still name them.
  std::uint64_t next_serial() { return next_serial_++; }

  void fire(std::uint64_t) override;

 private:
  void arrived(Letter letter);

  Nic* nic_;
  std::vector<Letter> arrivals_;   // handled one after the other, each after the same time
  std::vector<Letter> unclaimed_;  // for domains that do not exist
  std::uint64_t next_serial_ = 1;
};

}  // namespace nic
