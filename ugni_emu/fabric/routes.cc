// Routes: looked up, asked for, remembered.
#include "ugni_emu/fabric/routes.h"

#include <algorithm>

#include "corespec/job/job.h"
#include "ugni_emu/wire/collective_id.h"
#include "ugni_emu/wire/memory_handle.h"

namespace ugni::fabric {
namespace {

/// What the transaction's aim says of the process that has it: one more than its place; 0: nothing.
std::uint32_t named_owner(const Transaction& transaction) {
  if (transaction.kind == TransactionKind::datagram) return 0;
  if (transaction.kind == TransactionKind::collective) {
    return collective_id::owner_of(transaction.target_instance);
  }
  return memory_handle::owner_of(transaction.remote_handle.qword2);
}

bool is_in(const std::vector<int>& ranks, int rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

}  // namespace

Routes::Routes(Carrier& carrier, const corespec::Job& job) : carrier_(&carrier) {
  const Layout& layout = carrier.links.layout();
  for (int rank = 0; rank < layout.size(); ++rank) {
    // By local numbers: those are the owners in memory handles.
    std::vector<int>& ranks = ranks_[static_cast<NicAddress>(layout.nid_of(rank))];
    if (ranks.empty()) ranks = job.ranks_on(layout.nid_of(rank));
  }
}

std::size_t Routes::Hash::operator()(const Place& place) const {
  const std::uint64_t word = (std::uint64_t{place.nid} << 32 | place.name.instance) ^
                             (std::uint64_t{place.name.cookie} << 8 | place.name.ptag) ^
                             place.handle;
  return static_cast<std::size_t>(word * 0x9E3779B97F4A7C15ULL >> 16);
}

Routes::Place Routes::aim_of(const Transaction& transaction) {
  const DomainName name{transaction.target_instance, transaction.cookie, transaction.ptag};
  if (transaction.kind == TransactionKind::datagram) return {transaction.target, name, 0};
  return {transaction.target, {0, name.cookie, name.ptag}, transaction.remote_handle.qword1};
}

const std::vector<int>* Routes::ranks_on(NicAddress nid) const {
  const auto found = ranks_.find(nid);
  return found == ranks_.end() ? nullptr : &found->second;
}

int Routes::some_rank(const Place& place) const {
  const std::vector<int>* const ranks = ranks_on(place.nid);
  if (ranks == nullptr) return -1;
  const auto number = static_cast<int>(place.name.instance);
  const bool own = place.handle == 0 && is_in(*ranks, number);
  return own ? number : ranks->front();
}

int Routes::find_here(const DomainName& name, std::uint64_t handle) const {
  if (handle == 0) return carrier_->domains.find(name);
  if (!carrier_->domains.has(name.protection())) return carrier_->rank();
  const int owner = carrier_->regions.find(name.protection(), memory_handle::number_of(handle));
  return owner >= 0 ? owner : carrier_->rank();  // which says what is wrong with the handle
}

Routes::Route& Routes::route(const Transaction& transaction) {
  const Place place = aim_of(transaction);
  if (last_ < routes_.size() && routes_[last_].place == place) return routes_[last_];
  const auto [at, fresh] = numbers_.try_emplace(place, static_cast<std::uint32_t>(routes_.size()));
  if (fresh) routes_.push_back({place, unknown, -1, {}});
  last_ = at->second;
  return routes_[last_];
}

int Routes::find(const Transaction& transaction) {
  const bool datagram = transaction.kind == TransactionKind::datagram;
  const bool collective = transaction.kind == TransactionKind::collective;
  const std::uint32_t owner = named_owner(transaction);
  if (owner != 0 || collective) {
    const std::vector<int>* const ranks = ranks_on(transaction.target);
    return ranks == nullptr || owner == 0 || owner > ranks->size() ? -1 : (*ranks)[owner - 1];
  }
  if (!datagram && transaction.target == carrier_->nid()) {
    return find_here(aim_of(transaction).name, transaction.remote_handle.qword1);
  }
  Route& known = route(transaction);
  if (known.rank >= 0) return known.rank;
  const int likely = some_rank(known.place);
  if (likely < 0 || carrier_->links.is_lost(likely)) return -1;
  if (datagram && static_cast<std::uint32_t>(likely) == transaction.target_instance) return likely;
  if (transaction.target == carrier_->nid()) {
    const int rank = find_here(known.place.name, 0);
    if (rank >= 0) known.rank = rank;
    return rank >= 0 ? rank : likely;
  }
  return unknown;
}

void Routes::hold(Submission& submission) {
  const Transaction& transaction = submission.transaction;
  Route& wanted = route(transaction);
  wanted.waiting.push_back(&submission);
  if (wanted.asked >= 0) return;
  wanted.asked = some_rank(wanted.place);
  RouteMessage question;
  question.head = {MessageKind::question, 0, 0, carrier_->rank()};
  question.route = static_cast<std::uint32_t>(&wanted - routes_.data());
  question.name = wanted.place.name;
  question.handle = wanted.place.handle;
  carrier_->links.send_fixed(wanted.asked, question);
}

void Routes::answer(const RouteMessage& question) {
  RouteMessage answer = question;
  answer.head = {MessageKind::answer, 0, 0, carrier_->rank()};
  answer.rank = find_here(question.name, question.handle);
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
    const int to = rank < 0 && datagram ? some_rank(place) : rank;
    launch(to, *each);
  }
}

void Routes::forget(const Transaction& transaction) {
  if (transaction.kind == TransactionKind::collective) return;       // its id says where it goes
  if (numbers_.find(aim_of(transaction)) == numbers_.end()) return;  // it was not asked for
  Route& known = route(transaction);
  if (known.asked < 0) known.rank = unknown;
}

void Routes::lost(int rank, const Launch& launch) {
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    if (routes_[i].asked == rank) settle(routes_[i], -1, launch);
  }
}

}  // namespace ugni::fabric
