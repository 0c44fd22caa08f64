// What arrivals and answers touch of a NIC and its domains, prefetched.
#include "ugni_emu/nic/nic_prefetch.h"

#include <memory>

#include "corespec/containers/flat_map_prefetch.h"
#include "corespec/threads/signal_prefetch.h"
#include "ugni_emu/nic/nic.h"
#include "ugni_emu/wire/wire_prefetch.h"

namespace nic {

using corespec::FlatMapPrefetch;
using ugni::TransactionKind;

bool Prefetch::arrival(const Domain& domain, const ugni::Transaction& transaction, unsigned step,
                       Lines& lines) {
  const std::uint64_t address = transaction.remote_address;
  const bool in_mailbox =
      transaction.kind == TransactionKind::message || transaction.kind == TransactionKind::credit;
  if (step == 0) {
    lines.add(&domain, 3);
    lines.add(&domain.statistics_);  // a rank that hears of it may well send
    return true;
  }
  if (step == 1) {
    lines.add(&domain.arrival_signal_);
    if (in_mailbox) FlatMapPrefetch::slot(domain.mailboxes_, address, lines);
    return true;
  }
  if (step == 2) {
    Mailbox* const* const found = in_mailbox ? domain.mailboxes_.find(address) : nullptr;
    if (found != nullptr) lines.add(*found, 2);
  }
  return corespec::SignalPrefetch::notification(domain.arrival_signal_, step - 2, lines);
}

bool Prefetch::answer(const PostTable& posts, std::uint64_t number, unsigned step, Lines& lines) {
  if (number >= posts.size_ || step > 2) return false;
  const auto& place = posts.place_of(static_cast<std::uint32_t>(number));
  if (step == 0) {
    lines.add(&(*place)[number % PostTable::chunk]);
    return true;
  }
  const Post& post = (*place)[number % PostTable::chunk];
  if (step == 1) {
    lines.add(post.queue);
    if (post.domain != nullptr) lines.add(&post.domain->statistics_);
    return true;
  }
  // Meanwhile it may have ended, and its queue.
  if (post.live && post.queue != nullptr) events(*post.queue, lines);
  return false;
}

bool Nic::prefetch(corespec::Upcoming what, unsigned step, corespec::LineRequests& lines) const {
  const ugni::UpcomingArrival arrival(what);
  const ugni::Transaction& transaction = arrival.transaction;
  const std::uint64_t key =
      key_of({transaction.target_instance, transaction.cookie, transaction.ptag});
  if (step == 0) {
    Prefetch::table(posts_, lines);
    if (arrival.request) FlatMapPrefetch::map(domains_, key, lines);
    return true;
  }
  if (!arrival.request) {
    return Prefetch::answer(posts_, transaction.initiator_key - 1, step - 1, lines);
  }
  if (step == 1) Prefetch::next_post(posts_, lines);  // a rank that hears of it may well send
  Domain* const* domain = domains_.find(key);
  return domain != nullptr && Prefetch::arrival(**domain, transaction, step - 1, lines);
}

}  // namespace nic
