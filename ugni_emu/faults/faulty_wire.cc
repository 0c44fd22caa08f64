// What becomes of a transaction on its way out, at its target, and on its way back.
#include "ugni_emu/faults/faulty_wire.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace faults {
namespace {

using corespec::Time;
using ugni::Payload;
using ugni::ResponseStatus;
using ugni::SegmentView;
using ugni::Transaction;

constexpr std::uint16_t own_bits = (1U << ugni::verdict_shift) - 1;

void set_verdict(Transaction& transaction, std::uint32_t rule) {
  transaction.delivery_mode = static_cast<std::uint16_t>((transaction.delivery_mode & own_bits) |
                                                         rule << ugni::verdict_shift);
}
std::uint32_t verdict_of(const Transaction& transaction) {
  return transaction.delivery_mode >> ugni::verdict_shift;
}

}  // namespace

/// Between the wire and one NIC, on both of its sides.
class FaultyWire::Nic final : public ugni::WireClientAround, private corespec::Event {
  /// An event of its own, so that it can be cancelled.
  struct Death final : corespec::Event {
    explicit Death(Nic& dying) : nic(dying) {}
    void fire(std::uint64_t) override { nic.die(); }
    Nic& nic;
  };

 public:
  Nic(FaultyWire& wire, ugni::NicAddress address, ugni::WireClient& client,
      corespec::EventDomain& domain)
      : WireClientAround(client),
        wire_(wire),
        address_(address),
        domain_(domain),
        source_(wire.make_source_()),
        faults_(wire.plan_, address, domain, wire.rank_) {
    faults_.occasions().set_listener(wire.listener_);
    const FaultRule* const death = wire.plan_.death_of(address);
    if (death != nullptr) domain.schedule(death->trigger.at, source_, death_.emplace(*this), 0);
  }

  NodeFaults& faults() { return faults_; }
  const corespec::Event* death() const { return death_ ? &*death_ : nullptr; }

  /// The NIC submits a transaction.
  void enter(Transaction transaction, Payload payload) {
    if (is_dead_) return;
    std::uint32_t verdict = strike(FaultKind::post_fails, transaction);
    if (verdict == 0) verdict = strike(FaultKind::completion_late, transaction);
    set_verdict(transaction, verdict);
    Time at = departure(transaction);
    const bool in_order = (transaction.delivery_mode & ugni::in_order) == ugni::in_order;
    if (in_order) at = std::max(at, ordered_until_);
    if (at == domain_.now() && (!in_order || ordered_kept_ == 0)) {
      wire_.pass_on(transaction, std::move(payload));
      return;
    }
    if (in_order) {
      ordered_until_ = at;
      ++ordered_kept_;
    }
    keep({Kept::Way::out, transaction, 0, 0, in_order, std::move(payload), ResponseStatus::ok}, at);
  }

  ResponseStatus request_arrived(SegmentView segment) override {
    if (is_dead_) {
      segment.payload = {};
      return ResponseStatus::unreachable;
    }
    const FaultRule* const rule = wire_.rule_of(segment.transaction);
    if (rule == nullptr || rule->kind != FaultKind::post_fails) {
      return WireClientAround::request_arrived(segment);
    }
    const bool may_be_repeated = !rule->is_done || ugni::may_be_repeated(segment.transaction);
    const ResponseStatus failure = rule->is_recoverable && may_be_repeated
                                       ? ResponseStatus::lost
                                       : ResponseStatus::unreachable;
    if (!rule->is_done) {
      segment.payload = {};
      return failure;
    }
    const ResponseStatus done = WireClientAround::request_arrived(segment);
    if (!ugni::is_done(done)) return done;
    segment.payload = {};
    return failure;
  }

  void response_arrived(SegmentView segment) override {
    if (is_dead_) return;
    const Time late = lateness(segment);
    if (late == Time()) {
      WireClientAround::response_arrived(segment);
      return;
    }
    keep({Kept::Way::back, segment.transaction, segment.offset, segment.length, segment.in_place,
          std::move(segment.payload), segment.status},
         domain_.now() + late);
  }

  // What the target refuses it has to hear of, before any data moves.
  ugni::DirectMemory source_memory(const Transaction& transaction) override {
    ugni::DirectMemory memory = WireClientAround::source_memory(transaction);
    const FaultRule* const rule = wire_.rule_of(transaction);
    if (rule != nullptr && rule->kind == FaultKind::post_fails) {
      memory.ahead = memory.unnoticed = false;
    }
    return memory;
  }

  ugni::DirectMemory target_memory(const Transaction& transaction) override {
    const FaultRule* const rule = wire_.rule_of(transaction);
    if (rule != nullptr && rule->kind == FaultKind::post_fails) return {};
    return WireClientAround::target_memory(transaction);
  }

 private:
  /// What waits here.
  struct Kept {
    enum class Way : std::uint8_t { out, back } way;
    Transaction transaction;
    std::uint64_t offset, length;
    bool is_marked;  ///< out: keeps its order; back: the wire has moved the data
    Payload payload;
    ResponseStatus status;
  };

  /// By how much a response comes later. Of a transaction in pieces it is the last one, behind all
  /// others: what it completes is late. What a dead node does not answer is given up after a while.
  Time lateness(const SegmentView& segment) const {
    if (!segment.last) return Time();
    const FaultRule* const death = wire_.plan_.death_of(segment.transaction.target);
    const bool is_unanswered = death != nullptr && segment.status == ResponseStatus::unreachable &&
                               domain_.now() >= death->trigger.at;
    if (is_unanswered) return death->by;
    const FaultRule* const rule = wire_.rule_of(segment.transaction);
    return rule != nullptr && rule->kind == FaultKind::completion_late ? rule->by : Time();
  }

  std::uint32_t strike(FaultKind kind, const Transaction& transaction) {
    return faults_.strike(kind, transaction.kind, transaction.target);
  }

  /// When the transaction may leave.
  Time departure(const Transaction& transaction) {
    const Time now = domain_.now();
    if (const std::uint32_t stall = strike(FaultKind::nic_stalls, transaction); stall != 0) {
      stalls_until_ = std::max(stalls_until_, now + wire_.plan_.rules()[stall - 1].by);
    }
    Time at = std::max(now, stalls_until_);
    for (const FaultKind kind : {FaultKind::datagram_late, FaultKind::credits_late}) {
      const std::uint32_t late = strike(kind, transaction);
      if (late != 0) at = std::max(at, now + wire_.plan_.rules()[late - 1].by);
    }
    return at;
  }

  /// What is kept until the same time goes on in the order in which it came.
  void keep(Kept kept, Time until) {
    kept_.emplace(next_, std::move(kept));
    domain_.schedule(until, source_, *this, next_++);
  }
  void fire(std::uint64_t number) override {
    if (is_dead_) return;
    Kept kept = std::move(kept_.extract(number).mapped());
    if (kept.way == Kept::Way::out) {
      if (kept.is_marked) --ordered_kept_;
      wire_.pass_on(kept.transaction, std::move(kept.payload));
      return;
    }
    WireClientAround::response_arrived({kept.transaction, kept.offset, kept.length, true,
                                        kept.payload, kept.status, kept.is_marked});
  }

  void die() {
    if (is_dead_ || !faults_.fails()) return;
    is_dead_ = true;
    wire_.node_fails_(address_);
  }

  FaultyWire& wire_;
  const ugni::NicAddress address_;
  corespec::EventDomain& domain_;
  corespec::EventSource source_;
  NodeFaults faults_;
  std::optional<Death> death_;
  bool is_dead_ = false;
  Time stalls_until_;
  Time ordered_until_;  ///< those that keep their order and wait here leave by then
  std::uint64_t ordered_kept_ = 0;
  std::map<std::uint64_t, Kept> kept_;
  std::uint64_t next_ = 0;
};

FaultyWire::FaultyWire(ugni::Wire& inner, FaultPlan plan, MakeSource make_source,
                       NodeFails node_fails, std::optional<int> rank)
    : WireAround(inner),
      plan_(std::move(plan)),
      make_source_(std::move(make_source)),
      node_fails_(std::move(node_fails)),
      rank_(rank) {}

FaultyWire::~FaultyWire() = default;

void FaultyWire::attach(ugni::NicAddress address, ugni::WireClient& client,
                        corespec::EventDomain& domain) {
  auto& nic = nics_[address];
  nic = std::make_unique<Nic>(*this, address, client, domain);
  WireAround::attach(address, *nic, domain);
}

ugni::NicFaults* FaultyWire::faults_at(ugni::NicAddress address) {
  const auto found = nics_.find(address);
  return found == nics_.end() ? nullptr : &found->second->faults();
}

const corespec::Event* FaultyWire::death_of(ugni::NicAddress node) const {
  const auto found = nics_.find(node);
  return found == nics_.end() ? nullptr : found->second->death();
}

std::optional<Time> FaultyWire::end_of(ugni::NicAddress node) const {
  const std::uint32_t rule = plan_.death_rule_of(node);
  if (rule == 0 || !plan_.happens({rule, node, 1})) return std::nullopt;
  return plan_.rules()[rule - 1].trigger.at;
}

void FaultyWire::enter(const Transaction& transaction, Payload payload) {
  nics_.at(transaction.source)->enter(transaction, std::move(payload));
}

const FaultRule* FaultyWire::rule_of(const Transaction& transaction) const {
  const std::uint32_t verdict = verdict_of(transaction);
  return verdict == 0 || verdict > plan_.rules().size() ? nullptr : &plan_.rules()[verdict - 1];
}

std::vector<Fault> FaultyWire::faults() const {
  std::vector<Fault> all;
  for (const auto& [address, nic] : nics_) {
    const std::vector<Fault>& own = nic->faults().occasions().faults();
    all.insert(all.end(), own.begin(), own.end());
  }
  std::stable_sort(all.begin(), all.end(), [](const Fault& left, const Fault& right) {
    return std::tuple(left.at, left.name.node) < std::tuple(right.at, right.name.node);
  });
  return all;
}

std::uint64_t FaultyWire::count() const {
  std::uint64_t all = 0;
  for (const auto& [address, nic] : nics_) all += nic->faults().occasions().count();
  return all;
}

}  // namespace faults
