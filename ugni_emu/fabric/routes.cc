// Routes: looked up, asked for, remembered.
#include "ugni_emu/fabric/routes.h"

#include <algorithm>

namespace ugni::fabric {

std::size_t Routes::Hash::operator()(const Place& place) const {
  const std::uint64_t word = (std::uint64_t{place.nid} << 32 | place.name.instance) ^
                             (std::uint64_t{place.name.cookie} << 8 | place.name.ptag);
  return static_cast<std::size_t>(word * 0x9E3779B97F4A7C15ULL >> 16);
}

int Routes::some_rank(NicAddress nid, std::uint32_t instance) const {
  const std::vector<int>& nids = carrier_->links.layout().nid;
  if (instance < nids.size() && static_cast<NicAddress>(nids[instance]) == nid) {
    return static_cast<int>(instance);
  }
  const auto found = std::find(nids.begin(), nids.end(), static_cast<int>(nid));
  return found == nids.end() ? -1 : static_cast<int>(found - nids.begin());
}

Routes::Route& Routes::route(const Transaction& transaction) {
  const Place place{transaction.target, target_of(transaction)};
  if (last_ < routes_.size() && routes_[last_].place == place) return routes_[last_];
  const auto [at, fresh] = numbers_.try_emplace(place, static_cast<std::uint32_t>(routes_.size()));
  if (fresh) routes_.push_back({place, unknown, -1, {}});
  last_ = at->second;
  return routes_[last_];
}

int Routes::find(const Transaction& transaction) {
  Route& known = route(transaction);
  if (known.rank >= 0) return known.rank;
  const int likely = some_rank(transaction.target, transaction.target_instance);
  if (likely < 0 || carrier_->links.is_lost(likely)) return -1;
  if (transaction.kind == TransactionKind::datagram &&
      static_cast<std::uint32_t>(likely) == transaction.target_instance) {
    return likely;
  }
  if (transaction.target == carrier_->nid()) {
    const int rank = carrier_->domains.find(known.place.name);
    if (rank >= 0) known.rank = rank;
    return rank >= 0 || transaction.kind != TransactionKind::datagram ? rank : likely;
  }
  return unknown;
}

void Routes::hold(Submission& submission) {
  const Transaction& transaction = submission.transaction;
  Route& wanted = route(transaction);
  wanted.waiting.push_back(&submission);
  if (wanted.asked >= 0) return;
  wanted.asked = some_rank(transaction.target, transaction.target_instance);
  RouteMessage question;
  question.head = {MessageKind::question, 0, 0, carrier_->rank()};
  question.route = static_cast<std::uint32_t>(&wanted - routes_.data());
  question.name = wanted.place.name;
  carrier_->links.send_fixed(wanted.asked, question);
}

void Routes::answer(const RouteMessage& question) {
  RouteMessage answer = question;
  answer.head = {MessageKind::answer, 0, 0, carrier_->rank()};
  answer.rank = carrier_->domains.find(question.name);
  carrier_->links.send_fixed(question.head.rank, answer);
}

void Routes::answered(const RouteMessage& answer, const Launch& launch) {
  const bool known = answer.route < routes_.size();
  const Layout& layout = carrier_->links.layout();
  const bool there =
      known && (answer.rank < 0 || static_cast<NicAddress>(layout.nid_of(answer.rank)) ==
                                       routes_[answer.route].place.nid);
  if (!there) {
    carrier_->faults.faulty(answer.head.rank, "an answer to a question that was not asked");
    return;
  }
  Route& wanted = routes_[answer.route];
  if (wanted.asked != answer.head.rank) return;  // it was given up
  settle(wanted, answer.rank, launch);
}

void Routes::settle(Route& wanted, int rank, const Launch& launch) {
  wanted.asked = -1;
  wanted.rank = rank >= 0 ? rank : unknown;
  const Place place = wanted.place;
  const std::vector<Submission*> waiting = std::exchange(wanted.waiting, {});
  for (Submission* each : waiting) {  // `wanted` may move meanwhile
    const bool datagram = each->transaction.kind == TransactionKind::datagram;
    const int to = rank < 0 && datagram ? some_rank(place.nid, place.name.instance) : rank;
    launch(to, *each);
  }
}

void Routes::forget(const Transaction& transaction) {
  Route& known = route(transaction);
  if (known.asked < 0) known.rank = unknown;
}

void Routes::lost(int rank, const Launch& launch) {
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    if (routes_[i].asked == rank) settle(routes_[i], -1, launch);
  }
}

}  // namespace ugni::fabric
