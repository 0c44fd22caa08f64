// Adds a profile's ranks up.
#include "launch/profile/profile_summary.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace launch {
namespace {

using corespec::Time;

OverRanks over_ranks(const ProfileData& data, const std::function<Time(const RankProfile&)>& of) {
  OverRanks all;
  bool first = true;
  for (const RankProfile& rank : data.ranks) {
    const double value = of(rank).s();
    all.total += value;
    if (first || value < all.least) all.least = value;
    if (first || value > all.most) {
      all.most = value;
      all.slowest = rank.rank;
    }
    first = false;
  }
  if (!data.ranks.empty()) {
    // Equal times add up to a little more or less than so many times each.
    all.mean = std::clamp(all.total / static_cast<double>(data.ranks.size()), all.least, all.most);
  }
  return all;
}

const CallStatistics& call_of(const RankProfile& rank, std::size_t number) {
  static const CallStatistics none;
  return number < rank.calls.size() ? rank.calls[number] : none;
}

CallSummary summary_of(const ProfileData& data, std::size_t number) {
  CallSummary made;
  made.name = data.calls[number];
  made.group = group_of(made.name);
  made.sizes = data.sizes[number];
  made.time =
      over_ranks(data, [number](const RankProfile& rank) { return call_of(rank, number).time; });
  for (const RankProfile& rank : data.ranks) {
    const CallStatistics& own = call_of(rank, number);
    made.calls += own.calls;
    made.messages += own.messages;
    made.bytes += own.bytes;
    made.longest_s = std::max(made.longest_s, own.longest.s());
  }
  return made;
}

Time time_in(const RankProfile& rank, const std::vector<std::size_t>& calls) {
  Time all;
  for (const std::size_t number : calls) all += call_of(rank, number).time;
  return all;
}

/// The order of the protocols in tables.
std::size_t place_of(const std::string& protocol) {
  static const char* const known[] = {"E0", "E1", "R0", "R1", "node"};
  const auto* const found = std::find(std::begin(known), std::end(known), protocol);
  return static_cast<std::size_t>(found - std::begin(known));
}

}  // namespace

double OverRanks::imbalance_percent(std::size_t ranks) const {
  if (most <= 0 || ranks < 2) return 0;
  const auto count = static_cast<double>(ranks);
  return 100 * (most - mean) / most * count / (count - 1);
}

ProfileSummary summarise(const ProfileData& data) {
  ProfileSummary all;
  all.ranks = data.ranks.size();
  all.whole = over_ranks(data, [](const RankProfile& rank) { return rank.end - rank.begin; });
  all.computing = over_ranks(data, [](const RankProfile& rank) { return rank.computing; });
  all.lock_waits = over_ranks(data, [](const RankProfile& rank) { return rank.lock_waits; });
  for (std::size_t i = 0; i < losses; ++i) {
    all.lost_computing[i] =
        over_ranks(data, [i](const RankProfile& rank) { return rank.lost_computing[i]; });
    all.lost_in_calls[i] =
        over_ranks(data, [i](const RankProfile& rank) { return rank.lost_in_calls[i]; });
  }
  std::array<std::vector<std::size_t>, call_groups> members;
  for (std::size_t number = 0; number < data.calls.size(); ++number) {
    CallSummary call = summary_of(data, number);
    if (call.calls == 0 && call.messages == 0) continue;
    const auto group = static_cast<std::size_t>(call.group);
    if (call.group != CallGroup::others) {
      members[group].push_back(number);
      all.group_calls[group] += call.calls;
    }
    all.calls.push_back(std::move(call));
  }
  all.groups[static_cast<std::size_t>(CallGroup::computing)] = all.computing;
  for (std::size_t i = 1; i < call_groups; ++i) {
    all.groups[i] =
        over_ranks(data, [&](const RankProfile& rank) { return time_in(rank, members[i]); });
  }
  std::stable_sort(all.calls.begin(), all.calls.end(),
                   [](const CallSummary& a, const CallSummary& b) {
                     if (a.group != b.group) return a.group < b.group;
                     return a.time.total > b.time.total;
                   });
  all.sizes = data.sizes_by_kind;
  all.protocols = data.protocols;
  std::stable_sort(all.protocols.begin(), all.protocols.end(),
                   [](const ProtocolStatistics& a, const ProtocolStatistics& b) {
                     return place_of(a.name) < place_of(b.name);
                   });
  for (const RankProfile& rank : data.ranks) {
    all.service.cpu_time += rank.service.cpu_time;
    all.service.turns += rank.service.turns;
    all.service.sent += rank.service.sent;
    all.service.received += rank.service.received;
  }
  all.service_time =
      over_ranks(data, [](const RankProfile& rank) { return rank.service.cpu_time; });
  all.cpu_time = over_ranks(data, [](const RankProfile& rank) { return rank.cpu_time; });
  all.without_cpu = over_ranks(data, [](const RankProfile& rank) { return rank.without_cpu; });
  return all;
}

}  // namespace launch
