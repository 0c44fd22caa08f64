// What a NIC needs to go on where pieces of transactions are lost and come later.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "corespec/host/check.h"
#include "corespec/random/random_stream.h"
#include "corespec/time/time.h"
#include "ugni_emu/gemini/links/network_faults.h"
#include "ugni_emu/wire/wire.h"

namespace gemini {

/// Transaction::number where pieces can be lost: of those that keep their order, the injector and a
/// count per injector and target; of all others, their first packet.
namespace loss_number {
inline constexpr std::uint32_t ordered = 1U << 31;
inline constexpr unsigned count_bits = 27;
inline constexpr std::uint32_t most_count = (1U << count_bits) - 1;
inline constexpr unsigned most_injectors = 16;
inline constexpr std::uint32_t most_unordered = ordered - 1;

constexpr bool is_ordered(std::uint32_t number) { return (number & ordered) != 0; }
constexpr std::uint32_t injector(std::uint32_t number) { return (number & ~ordered) >> count_bits; }
constexpr std::uint32_t count(std::uint32_t number) { return number & most_count; }
}  // namespace loss_number

/// Which of a source's requests a number is for.
struct OrderedFlow {
  ugni::NicAddress source = 0;
  std::uint32_t number = 0;  ///< Transaction::number
};
template <typename Segment>
OrderedFlow flow_of(const Segment& segment) {
  return {segment.transaction.source, segment.transaction.number};
}

/// One NIC's. As the source of requests it counts those that keep their order (wire.h); as their
/// target it holds back those that come before an earlier one, which its source is sending again.
/// After the faults' patience it goes on without that one.
template <typename Segment>
class Recovery {
 public:
  /// `nic`: a number that no other NIC of the network has.
  Recovery(const NetworkFaults& faults, std::uint64_t nic)
      : faults_(faults), random_(faults.seed, loss_stream + nic) {}

  const NetworkFaults& faults() const { return faults_; }

  /// The number of a transaction that is submitted. `plain`: if it keeps no order.
  std::uint32_t number(const ugni::Transaction& transaction, std::uint32_t plain) {
    if (!in_order(transaction)) return plain & loss_number::most_unordered;
    CASTOR_CHECK(transaction.injector < loss_number::most_injectors, "so many injectors");
    std::uint32_t& next = sent_[flow_key(transaction.target, transaction.injector)];
    const std::uint32_t count = next;
    next = (next + 1) & loss_number::most_count;
    return loss_number::ordered | std::uint32_t{transaction.injector} << loss_number::count_bits |
           count;
  }

  /// Draws whether one of a piece's packets is lost.
  bool draws_loss(std::uint32_t packets) {
    bool lost = false;
    for (; packets != 0 && faults_.one_lost_in != 0; --packets) {
      if (random_.below(faults_.one_lost_in) == 0) lost = true;
    }
    return lost;
  }

  /// A request that keeps its order has come: whether it has to wait for earlier ones. Then it is
  /// this object's until take_next() or take_expired().
  bool holds_back(Segment& segment, corespec::Time now) {
    Flow& flow = find(flow_of(segment));
    const std::uint32_t ahead = flow.distance(loss_number::count(segment.transaction.number));
    // One that comes after all is as good as in its place.
    if (ahead == 0 || ahead > loss_number::most_count / 2) return false;
    flow.held.push_back({&segment, now});
    return true;
  }
  /// The transaction of that number has come as a whole.
  void complete(OrderedFlow which) {
    Flow& flow = find(which);
    if (flow.distance(loss_number::count(which.number)) == 0) flow.step();
  }
  /// A piece that was held back behind it and need not wait any longer; null: none.
  Segment* take_next(OrderedFlow behind) { return take_first(find(behind)); }
  /// The same, of any flow in which a piece has waited since `time` or longer.
  Segment* take_expired(corespec::Time time) {
    for (auto& [key, flow] : received_) {
      const bool expired = std::any_of(flow.held.begin(), flow.held.end(),
                                       [time](const Held& held) { return held.since <= time; });
      if (!expired) continue;
      std::uint32_t least = loss_number::most_count;
      for (const Held& held : flow.held) least = std::min(least, flow.distance(held.count()));
      flow.expected = (flow.expected + least) & loss_number::most_count;
      return take_first(flow);
    }
    return nullptr;
  }

  bool holds_any() const {
    return std::any_of(received_.begin(), received_.end(),
                       [](const auto& entry) { return !entry.second.held.empty(); });
  }

  /// How many are held back.
  std::size_t held() const {
    std::size_t count = 0;
    for (const auto& [key, flow] : received_) count += flow.held.size();
    return count;
  }

 private:
  static constexpr std::uint64_t loss_stream = 0x6C6F737300000000;

  struct Held {
    Segment* segment;
    corespec::Time since;
    std::uint32_t count() const { return loss_number::count(segment->transaction.number); }
  };
  struct Flow {
    std::uint32_t expected = 0;
    std::vector<Held> held;
    std::uint32_t distance(std::uint32_t count) const {
      return (count - expected) & loss_number::most_count;
    }
    void step() { expected = (expected + 1) & loss_number::most_count; }
  };

  static bool in_order(const ugni::Transaction& transaction) {
    return (transaction.delivery_mode & ugni::in_order) == ugni::in_order;
  }
  static std::uint64_t flow_key(ugni::NicAddress nic, std::uint32_t injector) {
    return std::uint64_t{nic} << 8 | injector;
  }
  Flow& find(OrderedFlow flow) {
    return received_[flow_key(flow.source, loss_number::injector(flow.number))];
  }
  static Segment* take_first(Flow& flow) {
    const auto found = std::find_if(flow.held.begin(), flow.held.end(), [&](const Held& held) {
      return flow.distance(held.count()) == 0;
    });
    if (found == flow.held.end()) return nullptr;
    Segment* const segment = found->segment;
    flow.held.erase(found);
    return segment;
  }

  const NetworkFaults& faults_;
  corespec::RandomStream random_;
  std::map<std::uint64_t, std::uint32_t> sent_;  ///< by target and injector
  std::map<std::uint64_t, Flow> received_;       ///< by source and injector
};

}  // namespace gemini
