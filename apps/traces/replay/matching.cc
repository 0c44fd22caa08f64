// Each pair of ranks tells each other its messages, and both come to the same result.
#include "apps/traces/replay/matching.h"

#include <mpi.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>

namespace replay {
namespace {

constexpr std::int64_t no_time = std::numeric_limits<std::int64_t>::min();

/// A message as its other rank hears of it.
struct Told {
  std::int32_t half, comm, tag, unused;
  std::int64_t time;
};

/// Which messages match each other by their order.
using Key = std::tuple<Half, std::int32_t, std::int32_t>;  ///< half, communicator, tag
using Times = std::vector<std::int64_t>;

Half other_half(Half half) { return half == Half::send ? Half::receive : Half::send; }

/// The messages of this rank with another one, from both sides.
struct Pair {
  std::map<Key, std::vector<const Message*>> own;
  std::map<Key, Times> told;  ///< by the key of this rank's half
};

/// Rows of equal length to each rank of the world and from each.
template <typename Row>
std::vector<std::vector<Row>> exchange(const std::vector<std::vector<Row>>& out) {
  constexpr std::size_t limit = std::numeric_limits<int>::max();
  const std::size_t ranks = out.size();
  std::vector<int> out_bytes(ranks), in_bytes(ranks), out_places(ranks), in_places(ranks);
  std::vector<Row> flat;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    out_places[rank] = static_cast<int>(flat.size() * sizeof(Row));
    out_bytes[rank] = static_cast<int>(out[rank].size() * sizeof(Row));
    flat.insert(flat.end(), out[rank].begin(), out[rank].end());
    if (flat.size() * sizeof(Row) > limit) throw std::runtime_error("a rank's trace is too long");
  }
  MPI_Alltoall(out_bytes.data(), 1, MPI_INT, in_bytes.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::size_t all = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    in_places[rank] = static_cast<int>(all);
    all += static_cast<std::size_t>(in_bytes[rank]);
    if (all > limit) throw std::runtime_error("a rank gets too many messages");
  }
  std::vector<Row> got(all / sizeof(Row));
  MPI_Alltoallv(flat.data(), out_bytes.data(), out_places.data(), MPI_BYTE, got.data(),
                in_bytes.data(), in_places.data(), MPI_BYTE, MPI_COMM_WORLD);
  std::vector<std::vector<Row>> in(ranks);
  auto next = got.begin();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto end = next + in_bytes[rank] / static_cast<int>(sizeof(Row));
    in[rank].assign(next, end);
    next = end;
  }
  return in;
}

/// By the other rank; those of ranks that have received from unknown senders are not here.
std::map<std::int32_t, Pair> pairs_of(const RankMessages& own, std::size_t ranks) {
  std::vector<std::vector<Told>> out(ranks);
  const bool is_unsure = own.of_unknown_sender > 0;
  for (const Message& message : own.all) {
    const auto peer = static_cast<std::size_t>(message.peer);
    if (is_unsure || peer >= ranks) continue;
    out[peer].push_back({static_cast<std::int32_t>(message.half), message.comm, message.tag, 0,
                         message.time.value_or(no_time)});
  }
  std::map<std::int32_t, Pair> pairs;
  const std::vector<std::vector<Told>> in = exchange(out);
  std::vector<int> unsure(ranks);
  const int own_unsure = is_unsure ? 1 : 0;
  MPI_Allgather(&own_unsure, 1, MPI_INT, unsure.data(), 1, MPI_INT, MPI_COMM_WORLD);
  if (is_unsure) return pairs;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (const Told& told : in[rank]) {
      const Key key{other_half(static_cast<Half>(told.half)), told.comm, told.tag};
      pairs[static_cast<std::int32_t>(rank)].told[key].push_back(told.time);
    }
  }
  for (const Message& message : own.all) {
    const auto peer = static_cast<std::size_t>(message.peer);
    if (peer >= ranks || unsure[peer] != 0) continue;
    pairs[message.peer].own[{message.half, message.comm, message.tag}].push_back(&message);
  }
  return pairs;
}

Times times_of(const std::vector<const Message*>& messages) {
  Times times;
  for (const Message* each : messages) times.push_back(each->time.value_or(no_time));
  return times;
}

/// Of one key: sends and receives, by the clocks of their ranks.
struct Sides {
  Times sends, receives;
};
Sides sides_of(const Key& key, const std::vector<const Message*>& own, const Times& told) {
  return std::get<0>(key) == Half::send ? Sides{times_of(own), told} : Sides{told, times_of(own)};
}

/// The shortest time from a send to its receive, by two clocks.
std::optional<std::int64_t> fastest(const Sides& sides) {
  std::optional<std::int64_t> found;
  for (std::size_t at = 0; at < sides.sends.size(); ++at) {
    if (sides.sends[at] == no_time || sides.receives[at] == no_time) continue;
    const std::int64_t time = sides.receives[at] - sides.sends[at];
    found = found ? std::min(*found, time) : time;
  }
  return found;
}

/// The pair's clocks, if both directions have messages and none without its other side.
std::optional<ClockPair> clocks_of_pair(std::int32_t one, std::int32_t other, const Pair& pair) {
  std::optional<std::int64_t> out, in;
  for (const auto& [key, own] : pair.own) {
    const auto told = pair.told.find(key);
    if (told == pair.told.end() || told->second.size() != own.size()) continue;
    const std::optional<std::int64_t> time = fastest(sides_of(key, own, told->second));
    std::optional<std::int64_t>& best = std::get<0>(key) == Half::send ? out : in;
    if (time) best = best ? std::min(*best, *time) : *time;
  }
  if (!out || !in) return std::nullopt;
  return ClockPair{one, other, (*out - *in) / 2, (*out + *in) / 2};
}

/// To each rank its own.
Clock find_clock(int rank, std::size_t ranks, const std::map<std::int32_t, Pair>& pairs) {
  std::vector<ClockPair> own;
  for (const auto& [other, pair] : pairs) {
    if (other <= rank) continue;  // the other one tells it
    if (const auto found = clocks_of_pair(rank, other, pair)) own.push_back(*found);
  }
  const int bytes = static_cast<int>(own.size() * sizeof(ClockPair));
  std::vector<int> all_bytes(ranks), places(ranks);
  MPI_Gather(&bytes, 1, MPI_INT, all_bytes.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::exclusive_scan(all_bytes.begin(), all_bytes.end(), places.begin(), 0);
  std::vector<ClockPair> all(static_cast<std::size_t>(places.back() + all_bytes.back()) /
                             sizeof(ClockPair));
  MPI_Gatherv(own.data(), bytes, MPI_BYTE, all.data(), all_bytes.data(), places.data(), MPI_BYTE, 0,
              MPI_COMM_WORLD);
  std::vector<Clock> clocks;
  if (rank == 0) clocks = clocks_of(ranks, std::move(all));
  Clock clock;
  MPI_Scatter(clocks.data(), sizeof clock, MPI_BYTE, &clock, sizeof clock, MPI_BYTE, 0,
              MPI_COMM_WORLD);
  return clock;
}

/// How many receives are before their sends, if the longer side begins `skip` later.
std::size_t impossible(const Sides& sides, std::size_t skip) {
  const bool sends_more = sides.sends.size() > sides.receives.size();
  const std::size_t matched = std::min(sides.sends.size(), sides.receives.size());
  std::size_t count = 0;
  for (std::size_t at = 0; at < matched; ++at) {
    const std::int64_t send = sides.sends[at + (sends_more ? skip : 0)];
    const std::int64_t receive = sides.receives[at + (sends_more ? 0 : skip)];
    count += send != no_time && receive != no_time && receive < send ? 1 : 0;
  }
  return count;
}

/// The surplus of this rank's side: its places [begin, end).
std::pair<std::size_t, std::size_t> surplus(const Key& key, const std::vector<const Message*>& own,
                                            Times told, std::int64_t clock_difference) {
  if (own.size() <= told.size()) return {0, 0};
  for (std::int64_t& time : told) {
    if (time != no_time) time -= clock_difference;
  }
  const std::size_t more = own.size() - told.size();
  const Sides sides = sides_of(key, own, told);
  if (impossible(sides, more) < impossible(sides, 0)) return {0, more};
  return {told.size(), own.size()};
}

}  // namespace

Matching match(const RankMessages& own) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::map<std::int32_t, Pair> pairs = pairs_of(own, static_cast<std::size_t>(ranks));
  Matching made;
  made.clock = find_clock(rank, static_cast<std::size_t>(ranks), pairs);
  std::vector<Clock> clocks(static_cast<std::size_t>(ranks));
  MPI_Allgather(&made.clock, sizeof(Clock), MPI_BYTE, clocks.data(), sizeof(Clock), MPI_BYTE,
                MPI_COMM_WORLD);
  for (const auto& [other, pair] : pairs) {
    const Clock& theirs = clocks[static_cast<std::size_t>(other)];
    const bool are_known = theirs.is_known && made.clock.is_known;
    const std::int64_t difference = are_known ? theirs.offset_ns - made.clock.offset_ns : 0;
    for (const auto& [key, messages] : pair.own) {
      const auto told = pair.told.find(key);
      const auto [begin, end] =
          surplus(key, messages, told == pair.told.end() ? Times() : told->second, difference);
      for (std::size_t at = begin; at < end; ++at) {
        made.left_out[messages[at]->call].emplace_back(messages[at]->half, messages[at]->place);
      }
    }
  }
  return made;
}

}  // namespace replay
