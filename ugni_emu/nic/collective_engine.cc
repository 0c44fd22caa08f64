// A virtual collective engine: contributions in, one contribution out, the result back down.
#include "ugni_emu/nic/collective_engine.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "corespec/config/parameters.h"
#include "corespec/events/event_domain.h"
#include "ugni_emu/nic/collective_engines.h"
#include "ugni_emu/nic/completion_queue.h"
#include "ugni_emu/nic/cq_entry_bits.h"
#include "ugni_emu/nic/nic.h"

namespace nic {
namespace {

using ugni::ResponseStatus;
using ugni::Transaction;
using ugni::TransactionKind;

constexpr std::uint32_t rounding_modes =
    GNI_CE_MODE_ROUND_UP | GNI_CE_MODE_ROUND_DOWN | GNI_CE_MODE_ROUND_NEAR | GNI_CE_MODE_ROUND_ZERO;

constexpr std::uint32_t bit(unsigned child) { return std::uint32_t{1} << child; }

/// What the routing mode is called for other transactions.
std::uint16_t delivery_mode(std::uint32_t modes) {
  if ((modes & GNI_CE_MODE_RC_NMIN_HASH) != 0) return GNI_DLVMODE_NMIN_HASH;
  if ((modes & GNI_CE_MODE_RC_MIN_HASH) != 0) return GNI_DLVMODE_MIN_HASH;
  if ((modes & GNI_CE_MODE_RC_MNON_HASH) != 0) return GNI_DLVMODE_MNON_HASH;
  return GNI_DLVMODE_PERFORMANCE;
}

}  // namespace

CollectiveEngine::CollectiveEngine(Domain& domain) : domain_(&domain) {
  const CollectiveEngines::Name name = domain.nic().engines().add(*this);
  id_ = name.id;
  serial_ = name.serial;
}

CollectiveEngine::~CollectiveEngine() {
  if (domain_->has_nic()) domain_->nic().engines().remove(*this);
}

void CollectiveEngine::configure(const Setup& setup) {
  setup_ = setup;
  children_ = 0;
  for (unsigned child = 0; child < setup.children.size(); ++child) {
    if (setup.children[child].type != GNI_CE_CHILD_UNUSED) children_ |= bit(child);
  }
}

void CollectiveEngine::forget(const CompletionQueue& queue) {
  if (setup_.queue == &queue) setup_.queue = nullptr;
}

void CollectiveEngine::abandon() {
  for (Reduction& reduction : reductions_) {
    if (reduction.stage != Stage::ended) set_end(reduction, ResponseStatus::no_such_child);
    deliver(reduction);
  }
  reductions_.clear();
}

bool CollectiveEngine::is_child(const Transaction& transaction, unsigned child) const {
  const Link& link = setup_.children[child];
  const bool from_engine = (transaction.flags & transaction_flag::engine) != 0;
  return link.type == (from_engine ? GNI_CE_CHILD_VCE : GNI_CE_CHILD_PE) &&
         link.address == transaction.source &&
         (!from_engine || link.engine == transaction.source_instance);
}

ResponseStatus CollectiveEngine::refuse(std::uint32_t reduction, ResponseStatus status) {
  tell(reduction, status);
  return status;
}

ResponseStatus CollectiveEngine::contribution_arrived(const Transaction& transaction) {
  const std::uint32_t id = transaction.remote_event;
  const CollectiveOperation operation = collective_bits::operation_in(transaction.subkind);
  const unsigned child = collective_bits::child_in(transaction.subkind);
  if (!is_child(transaction, child)) return refuse(id, ResponseStatus::no_such_child);
  if (!is_collective_command(operation.command)) {
    return refuse(id, ResponseStatus::other_reduction);
  }
  auto reduction = std::find_if(reductions_.begin(), reductions_.end(), [&](const Reduction& each) {
    return (each.arrived & bit(child)) == 0;
  });
  if (reduction == reductions_.end()) {
    if (reductions_.size() == most_reductions) return ResponseStatus::lost;
    Reduction& fresh = reductions_.emplace_back();
    fresh.id = id;
    fresh.operation = operation;
    reduction = reductions_.end() - 1;
  } else if (reduction->id != id || reduction->operation != operation) {
    return refuse(id, ResponseStatus::other_reduction);
  }
  const CollectiveValue operands{transaction.immediate[0], transaction.immediate[1],
                                 collective_bits::exceptions_in(transaction.subkind)};
  reduction->from[child] = {taken(operation, operands), transaction.remote_handle,
                            transaction.remote_address};
  reduction->arrived |= bit(child);
  if (reduction->arrived == children_) {
    combine_all(*reduction);
    reduction->stage = Stage::complete;
    schedule(send_up);
  }
  return ResponseStatus::ok;
}

void CollectiveEngine::combine_all(Reduction& reduction) const {
  bool first = true;
  for (unsigned child = 0; child < reduction.from.size(); ++child) {
    if ((children_ & bit(child)) == 0) continue;
    const CollectiveValue& value = reduction.from[child].value;
    reduction.value =
        first ? value
              : combine(reduction.operation, setup_.modes & rounding_modes, reduction.value, value);
    first = false;
  }
}

CollectiveEngine::Place CollectiveEngine::first_in(Stage stage) {
  return std::find_if(reductions_.begin(), reductions_.end(),
                      [stage](const Reduction& each) { return each.stage == stage; });
}

CollectiveEngine::Place CollectiveEngine::sent_up(std::uint32_t reduction) {
  return std::find_if(reductions_.begin(), reductions_.end(), [reduction](const Reduction& each) {
    return each.stage == Stage::sent_up && each.id == reduction;
  });
}

ResponseStatus CollectiveEngine::result_arrived(const Transaction& transaction) {
  const Link& parent = setup_.parent;
  const Place reduction = sent_up(transaction.remote_event);
  if (parent.type != GNI_CE_CHILD_VCE || parent.address != transaction.source ||
      parent.engine != transaction.source_instance || reduction == reductions_.end()) {
    return ResponseStatus::no_such_child;
  }
  reduction->value = {transaction.immediate[0], transaction.immediate[1],
                      collective_bits::exceptions_in(transaction.subkind)};
  end(*reduction, collective_bits::status_in(transaction.subkind));
  return ResponseStatus::ok;
}

void CollectiveEngine::refused(const Transaction& transaction, ResponseStatus status) {
  const bool upwards = transaction.kind == TransactionKind::collective &&
                       (transaction.flags & transaction_flag::result) == 0;
  if (!upwards) {
    tell(transaction.remote_event, status);
    return;
  }
  const Place reduction = sent_up(transaction.remote_event);
  if (reduction != reductions_.end()) end(*reduction, status);
}

void CollectiveEngine::set_end(Reduction& reduction, ResponseStatus status) {
  reduction.stage = Stage::ended;
  reduction.status = status;
  if (status != ResponseStatus::ok) reduction.value = {};
}

void CollectiveEngine::end(Reduction& reduction, ResponseStatus status) {
  set_end(reduction, status);
  schedule(send_down);
}

void CollectiveEngine::schedule(Step step) {
  corespec::Node& node = domain_->nic().node();
  node.domain().schedule(node.domain().now() + node.parameters().ce_step, node.source(),
                         domain_->nic().engines(), CollectiveEngines::argument_of(serial_, step));
}

// Steps of one kind come in the order in which they were scheduled: that of the reductions.
void CollectiveEngine::take(Step step) {
  if (step == send_down) {
    const Place reduction = first_in(Stage::ended);
    deliver(*reduction);
    tell(reduction->id, reduction->status);
    reductions_.erase(reduction);
    return;
  }
  const Place reduction = first_in(Stage::complete);
  if (setup_.parent.type == GNI_CE_CHILD_VCE) {
    reduction->stage = Stage::sent_up;
    contribute(*reduction);
  } else {  // it has been up as far as there is
    reduction->stage = Stage::ended;
    take(send_down);
  }
}

void CollectiveEngine::tell(std::uint32_t reduction, ResponseStatus status) {
  const bool wanted = (setup_.modes & GNI_CE_MODE_CQE_ONCOMP) != 0 ||
                      ((setup_.modes & GNI_CE_MODE_CQE_ONERR) != 0 && status != ResponseStatus::ok);
  if (wanted && setup_.queue != nullptr) {
    setup_.queue->push_remote(cq_entry::reduced(id_, reduction, status));
  }
}

ugni::Submission& CollectiveEngine::transaction_to(const Link& link, TransactionKind kind) const {
  Endpoint aim(*domain_, nullptr);
  aim.remote_address = link.address;
  aim.remote_instance = link.engine;
  ugni::Submission& submission = domain_->nic().untracked(aim, kind);
  submission.transaction.flags = transaction_flag::engine;
  submission.transaction.source_instance = id_;
  submission.transaction.delivery_mode = delivery_mode(setup_.modes);
  // A child's contributions, and the parent's results, belong to one reduction after the other.
  if (kind == TransactionKind::collective) submission.transaction.delivery_mode |= ugni::in_order;
  return submission;
}

void CollectiveEngine::contribute(const Reduction& reduction) const {
  ugni::Submission& submission = transaction_to(setup_.parent, TransactionKind::collective);
  Transaction& transaction = submission.transaction;
  transaction.subkind = collective_bits::contribution(reduction.operation, setup_.number_at_parent,
                                                      reduction.value.exceptions);
  transaction.remote_event = reduction.id;
  transaction.immediate = {reduction.value.first, reduction.value.second};
  submission.perform();
}

void CollectiveEngine::deliver(const Reduction& reduction) const {
  for (unsigned child = 0; child < reduction.from.size(); ++child) {
    if ((reduction.arrived & bit(child)) == 0) continue;
    const Link& link = setup_.children[child];
    if (link.type == GNI_CE_CHILD_VCE) {
      deliver_to_engine(reduction, link);
    } else {
      deliver_to_memory(reduction, link, reduction.from[child]);
    }
  }
}

void CollectiveEngine::deliver_to_engine(const Reduction& reduction, const Link& child) const {
  ugni::Submission& submission = transaction_to(child, TransactionKind::collective);
  Transaction& transaction = submission.transaction;
  transaction.flags |= transaction_flag::result;
  transaction.subkind = collective_bits::result(reduction.status, reduction.value.exceptions);
  transaction.remote_event = reduction.id;
  transaction.immediate = {reduction.value.first, reduction.value.second};
  submission.perform();
}

// The control word is written behind the results, so that they are there when it says so.
void CollectiveEngine::deliver_to_memory(const Reduction& reduction, const Link& child,
                                         const Contribution& to) const {
  const std::array<std::uint64_t, 2> results = {reduction.value.first, reduction.value.second};
  ugni::Submission& submission = transaction_to(child, TransactionKind::put);
  Transaction& transaction = submission.transaction;
  transaction.flags |= transaction_flag::sync_flag;
  transaction.remote_event = reduction.id;
  transaction.remote_handle = to.handle;
  transaction.remote_address = to.address + offsetof(gni_ce_result_t, result1);
  transaction.length = sizeof results;
  transaction.immediate = {
      collective_result::control(reduction.id, reduction.status, reduction.value.exceptions),
      to.address + offsetof(gni_ce_result_t, control)};
  submission.payload =
      ugni::Payload(domain_->nic().wire().payloads(), std::as_bytes(std::span(results)));
  submission.perform();
}

}  // namespace nic
