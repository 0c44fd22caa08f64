// Datagrams: posting, offers, matching, cancelling.
#include "ugni_emu/nic/datagram.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "corespec/config/parameters.h"
#include "corespec/threads/node.h"
#include "ugni_emu/nic/nic.h"

namespace nic {
namespace {

// Transaction::subkind of a datagram. immediate[0] is the sender's serial, immediate[1] the
// receiver's (answers only).
constexpr std::uint16_t offer_kind = 0;
constexpr std::uint16_t answer_kind = 1;
constexpr std::uint16_t withdraw_kind = 2;

}  // namespace

Peer Datagrams::self() const { return {domain_->nic().address(), domain_->id().instance}; }

gni_return_t Datagrams::post(Endpoint& endpoint, std::span<const std::byte> in, void* out,
                             std::uint16_t out_size, bool with_id, std::uint64_t id) {
  const bool busy = std::any_of(posted_.begin(), posted_.end(), [&](const auto& datagram) {
    return datagram->endpoint == &endpoint && !datagram->wildcard;
  });
  if (endpoint.bound && busy) return GNI_RC_ERROR_RESOURCE;
  auto datagram = std::make_unique<Datagram>();
  datagram->serial = domain_->nic().datagram_driver().next_serial();
  datagram->endpoint = &endpoint;
  datagram->with_id = with_id;
  datagram->id = id;
  datagram->wildcard = !endpoint.bound;
  datagram->peer = {endpoint.remote_address, endpoint.remote_instance};
  datagram->out = out;
  datagram->out_size = out_size;
  datagram->in = ugni::Payload(in);
  posted_.push_back(std::move(datagram));
  Datagram& fresh = *posted_.back();
  match_all();
  if (fresh.state == GNI_POST_PENDING && !fresh.wildcard) {
    fresh.offered = true;
    // Crossing posts are decided by the smaller peer: the other one never answers with its data.
    const bool may_answer = self() <= fresh.peer;
    send(fresh.peer, offer_kind, fresh.serial, 0,
         may_answer ? ugni::Payload(fresh.in.bytes()) : std::move(fresh.in));
  }
  return GNI_RC_SUCCESS;
}

Datagram* Datagrams::find(const Endpoint& endpoint, bool with_id, std::uint64_t id) {
  Datagram* found = nullptr;
  for (const auto& datagram : posted_) {
    if (!datagram->is(endpoint, with_id, id)) continue;
    if (datagram->state != GNI_POST_PENDING) return datagram.get();
    if (found == nullptr) found = datagram.get();
  }
  return found;
}

Datagram* Datagrams::first_finished(bool with_id) {
  Datagram* first = nullptr;
  for (const auto& datagram : posted_) {
    if (datagram->finished == 0 || datagram->with_id != with_id) continue;
    if (first == nullptr || datagram->finished < first->finished) first = datagram.get();
  }
  return first;
}

void Datagrams::harvest(Datagram& datagram) {
  if (datagram.finished != 0) --*unharvested_;
  const auto at = std::find_if(posted_.begin(), posted_.end(),
                               [&](const auto& entry) { return entry.get() == &datagram; });
  if (at != posted_.end()) posted_.erase(at);
  if (posted_.size() * 4 <= posted_.capacity()) posted_.shrink_to_fit();
}

bool Datagrams::cancel(const Endpoint& endpoint, bool with_id, std::uint64_t id) {
  bool completed = false;
  for (const auto& datagram : posted_) {
    if (!datagram->is(endpoint, with_id, id)) continue;
    if (datagram->state == GNI_POST_COMPLETED) completed = true;
    if (datagram->state != GNI_POST_PENDING) continue;
    if (datagram->offered) {
      send(datagram->peer, withdraw_kind, datagram->serial, 0, ugni::Payload());
    }
    finish(*datagram, GNI_POST_TERMINATED);
    match_all();
    return true;
  }
  return completed;
}

bool Datagrams::pending_on(const Endpoint& endpoint) const {
  return std::any_of(posted_.begin(), posted_.end(), [&](const auto& datagram) {
    return datagram->endpoint == &endpoint && datagram->state == GNI_POST_PENDING;
  });
}

void Datagrams::forget(const Endpoint& endpoint) {
  const std::size_t gone = std::erase_if(posted_, [&](const auto& entry) {
    if (entry->endpoint != &endpoint || entry->state == GNI_POST_PENDING) return false;
    if (entry->finished != 0) --*unharvested_;
    return true;
  });
  if (gone != 0) domain_->nic().waiters().wake(*this, false);  // may wait for one of them
  for (std::size_t i = 0; i < posted_.size(); ++i) {
    Datagram& datagram = *posted_[i];
    if (datagram.endpoint != &endpoint) continue;
    datagram.endpoint = nullptr;
    if (datagram.offered) send(datagram.peer, withdraw_kind, datagram.serial, 0, ugni::Payload());
    finish(datagram, GNI_POST_TERMINATED);
  }
  match_all();
}

void Datagrams::told(Datagram& datagram) {
  if (datagram.endpoint == nullptr) harvest(datagram);
}

void Datagrams::leave() {
  for (const auto& datagram : posted_) {
    if (datagram->offered && datagram->state == GNI_POST_PENDING) {
      send(datagram->peer, withdraw_kind, datagram->serial, 0, ugni::Payload());
      datagram->offered = false;
    }
  }
  for (Offer& offer : offers_) {
    domain_->nic().datagram_driver().keep({.from = offer.from,
                                           .to = domain_->id(),
                                           .what = offer_kind,
                                           .serial = offer.serial,
                                           .data = std::move(offer.data)});
  }
  offers_.clear();
}

void Datagrams::handle(Letter letter) {
  if (letter.what == offer_kind) {
    offers_.push_back({letter.from, letter.serial, std::move(letter.data)});
  } else {
    erase_offer(letter.from, letter.serial);
    if (letter.what == answer_kind) {
      for (const auto& datagram : posted_) {
        if (datagram->serial != letter.their_serial) continue;
        if (datagram->state == GNI_POST_PENDING && datagram->peer == letter.from) {
          complete(*datagram, letter.from, letter.data.bytes());
        }
        break;
      }
    }
  }
  match_all();
}

void Datagrams::send(Peer to, std::uint16_t what, std::uint64_t serial, std::uint64_t their_serial,
                     ugni::Payload data) {
  Endpoint aim(*domain_, nullptr);
  aim.remote_address = to.address;
  aim.remote_instance = to.instance;
  ugni::Submission& submission = domain_->nic().untracked(aim, ugni::TransactionKind::datagram);
  ugni::Transaction& transaction = submission.transaction;
  transaction.subkind = what;
  transaction.delivery_mode = GNI_DLVMODE_IN_ORDER;
  transaction.length = data.size();
  transaction.immediate = {serial, their_serial};
  submission.payload = std::move(data);
  domain_->nic().keep(submission);
  submission.perform();
}

void Datagrams::erase_offer(Peer from, std::uint64_t serial) {
  std::erase_if(offers_,
                [&](const Offer& offer) { return offer.from == from && offer.serial == serial; });
}

Datagram* Datagrams::candidate(const Offer& offer) {
  for (const auto& datagram : posted_) {
    if (datagram->state != GNI_POST_PENDING || datagram->wildcard) continue;
    if (datagram->peer != offer.from) continue;
    if (offer.from == self() && datagram->serial == offer.serial) continue;  // its own offer
    const bool decide_here = self() <= offer.from || !datagram->offered;
    return decide_here ? datagram.get() : nullptr;
  }
  for (const auto& datagram : posted_) {
    if (datagram->state == GNI_POST_PENDING && datagram->wildcard) return datagram.get();
  }
  return nullptr;
}

void Datagrams::match_all() {
  for (std::size_t i = 0; i < offers_.size();) {
    Datagram* datagram = candidate(offers_[i]);
    if (datagram == nullptr) {
      ++i;
      continue;
    }
    const Offer offer = std::move(offers_[i]);
    offers_.erase(offers_.begin() + static_cast<std::ptrdiff_t>(i));
    send(offer.from, answer_kind, datagram->serial, offer.serial, std::move(datagram->in));
    complete(*datagram, offer.from, offer.data.bytes());
    i = 0;  // what claimed an earlier offer may be gone now
  }
}

void Datagrams::complete(Datagram& datagram, Peer from, std::span<const std::byte> data) {
  const std::size_t fits = std::min<std::size_t>(data.size(), datagram.out_size);
  if (fits != 0) std::memcpy(datagram.out, data.data(), fits);
  datagram.too_long = data.size() > datagram.out_size;
  datagram.from = from;
  finish(datagram, GNI_POST_COMPLETED);
}

void Datagrams::finish(Datagram& datagram, gni_post_state_t state) {
  datagram.state = state;
  datagram.finished = next_finished_++;
  ++*unharvested_;
  domain_->arrived();
  Nic& nic = domain_->nic();
  if (!nic.waiters().any_for(*this)) return;
  if (state == GNI_POST_TERMINATED) {
    nic.waiters().wake(*this, false);
  } else {
    domain_->raise_interrupt();
  }
}

// A domain's datagrams come in the order in which they were sent.
void DatagramDriver::arrived(ugni::SegmentView segment) {
  const ugni::Transaction& transaction = segment.transaction;
  if (transaction.length > GNI_DATAGRAM_MAXSIZE) return;  // which no driver sends
  if (!nic_->pieces().put_together(nic_->wire().payloads(), segment)) return;
  arrived({.from = sender_of(transaction),
           .to = {transaction.target_instance, transaction.cookie, transaction.ptag},
           .what = transaction.subkind,
           .serial = transaction.immediate[0],
           .their_serial = transaction.immediate[1],
           .data = std::move(segment.payload)});
}

void DatagramDriver::arrived(Letter letter) {
  arrivals_.push_back(std::move(letter));
  corespec::EventDomain& domain = nic_->node().domain();
  domain.schedule(domain.now() + nic_->node().parameters().datagram, nic_->node().source(), *this,
                  0);
}

void DatagramDriver::fire(std::uint64_t) {
  Letter letter = std::move(arrivals_.front());
  arrivals_.erase(arrivals_.begin());
  if (arrivals_.empty()) arrivals_.shrink_to_fit();  // connecting is over, for now
  if (Domain* domain = nic_->find_domain(letter.to)) {
    domain->datagrams().handle(std::move(letter));
  } else if (letter.what == offer_kind) {
    keep(std::move(letter));
  } else if (letter.what == withdraw_kind) {
    std::erase_if(unclaimed_, [&](const Letter& kept) {
      return kept.from == letter.from && kept.serial == letter.serial;
    });
  }
}

void DatagramDriver::attached(Domain& domain) {
  for (std::size_t i = 0; i < unclaimed_.size();) {
    if (unclaimed_[i].to != domain.id()) {
      ++i;
      continue;
    }
    Letter letter = std::move(unclaimed_[i]);
    unclaimed_.erase(unclaimed_.begin() + static_cast<std::ptrdiff_t>(i));
    domain.datagrams().handle(std::move(letter));
  }
}

}  // namespace nic
