// Distributing the edges of a graph.
#include "netmod/mpi/topologies/distributed_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/communicators/highest.h"

namespace netmod {
namespace {

void check_end(const Communicator& comm, int rank, const char* name, int index) {
  if (rank >= 0 && rank < comm.size()) return;
  fail(MPI_ERR_RANK,
       fmt::format("{}[{}] is {} (allowed: 0 to {})", name, index, rank, comm.size() - 1));
}

void check_weight(int weight, const char* name, int index) {
  if (weight >= 0) return;
  fail(MPI_ERR_ARG, fmt::format("{}[{}] is {} (allowed: 0 and above)", name, index, weight));
}

/// An edge on its way to the rank at one of its ends.
struct Letter {
  int to = 0;
  int giver = 0;   ///< the rank that gave the edge,
  int number = 0;  ///< as which of its edges
  int leaves = 0;  ///< `to` is the edge's source
  Edge edge;
};

/// Ranks that do not agree on `weighted` hear MPI_ERR_ARG.
void agree_on_weights(const CollectiveCall& call, bool weighted) {
  std::array<std::uint32_t, 2> said{weighted ? 1U : 0U, weighted ? 0U : 1U};
  allreduce(call, highest_of(call.rank), reinterpret_cast<std::byte*>(said.data()), 2);
  if (said[0] != 0 && said[1] != 0) {
    fail(MPI_ERR_ARG, "some ranks gave weights, others MPI_UNWEIGHTED");
  }
}

/// Letters for one rank and from another, of any number.
std::vector<Letter> exchange(const Transfer& transfer, const std::vector<Letter>& out, int to,
                             int from) {
  const auto bytes_of = [](std::size_t letters) {
    return static_cast<std::int64_t>(letters * sizeof(Letter));
  };
  const std::uint64_t sent = out.size();
  std::uint64_t coming = 0;
  transfer.exchange(&sent, sizeof sent, to, &coming, sizeof coming, from);
  std::vector<Letter> in(coming);
  transfer.exchange(out.data(), bytes_of(out.size()), to, in.data(), bytes_of(in.size()), from);
  return in;
}

/// Each letter goes to its rank in steps of powers of two, those that have the same step to go
/// together: a rank has no more than log2(size) others to talk to, and keeps nothing of the rest.
std::vector<Letter> deliver(const CollectiveCall& call, std::vector<Letter> held) {
  const Transfer transfer(call, Collective::alltoall);
  const int size = transfer.size();
  const int rank = transfer.rank();
  for (std::int64_t step = 1; step < size; step *= 2) {
    const int bit = static_cast<int>(step);
    const auto stays = [&](const Letter& letter) {
      return (((letter.to - rank + size) % size) & bit) == 0;
    };
    const auto going = std::stable_partition(held.begin(), held.end(), stays);
    const std::vector<Letter> out(going, held.end());
    held.erase(going, held.end());
    const std::vector<Letter> in =
        exchange(transfer, out, (rank + bit) % size, (rank - bit + size) % size);
    held.insert(held.end(), in.begin(), in.end());
  }
  return held;
}

}  // namespace

std::vector<int> checked_ranks(const Communicator& comm, int count, const int* ranks,
                               const char* name) {
  check_count(count, name);
  if (count > 0) check_pointer(ranks, name);
  for (int i = 0; i < count; ++i) check_end(comm, ranks[i], name, i);
  return {ranks, ranks + count};
}

std::vector<int> checked_weights(int count, const int* weights, const char* name) {
  if (weights == MPI_UNWEIGHTED || count == 0) return {};
  check_pointer(weights, name);
  if (weights == MPI_WEIGHTS_EMPTY) {
    fail(MPI_ERR_ARG, fmt::format("{} is MPI_WEIGHTS_EMPTY, but there are {} edges", name, count));
  }
  for (int i = 0; i < count; ++i) check_weight(weights[i], name, i);
  return {weights, weights + count};
}

std::vector<Edge> checked_edges(const Communicator& comm, int n, const int* sources,
                                const int* degrees, const int* destinations, const int* weights) {
  check_count(n, "n");
  if (n > 0) check_pointer(sources, "sources");
  if (n > 0) check_pointer(degrees, "degrees");
  int count = 0;
  for (int i = 0; i < n; ++i) {
    check_end(comm, sources[i], "sources", i);
    check_count(degrees[i], "an element of degrees");
    if (__builtin_add_overflow(count, degrees[i], &count)) {
      fail(MPI_ERR_ARG, fmt::format("the degrees sum up to more than {} edges", INT32_MAX));
    }
  }
  const std::vector<int> ends = checked_ranks(comm, count, destinations, "destinations");
  const std::vector<int> costs = checked_weights(count, weights, "weights");
  std::vector<Edge> edges;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < degrees[i]; ++k) {
      const std::size_t next = edges.size();
      edges.push_back({sources[i], ends[next], costs.empty() ? 1 : costs[next]});
    }
  }
  return edges;
}

DistributedGraphTopology distribute(const CollectiveCall& call, const std::vector<Edge>& edges,
                                    bool weighted) {
  agree_on_weights(call, weighted);
  std::vector<Letter> letters;
  letters.reserve(2 * edges.size());
  int number = 0;
  for (const Edge& edge : edges) {
    letters.push_back({edge.source, call.comm.rank, number, 1, edge});
    letters.push_back({edge.destination, call.comm.rank, number, 0, edge});
    ++number;
  }
  letters = deliver(call, std::move(letters));
  std::sort(letters.begin(), letters.end(), [](const Letter& a, const Letter& b) {
    return std::tie(a.giver, a.number, a.leaves) < std::tie(b.giver, b.number, b.leaves);
  });
  DistributedGraphTopology mine;
  mine.weighted = weighted;
  for (const auto& [to, giver, order, leaves, edge] : letters) {
    (leaves != 0 ? mine.destinations : mine.sources)
        .push_back(leaves != 0 ? edge.destination : edge.source);
    if (!weighted) continue;
    (leaves != 0 ? mine.destination_weights : mine.source_weights).push_back(edge.weight);
  }
  return mine;
}

std::vector<Edge> collect(const CollectiveCall& call, const DistributedGraphTopology& own) {
  const int self = call.comm.rank;
  std::vector<Letter> letters;
  for (std::size_t i = 0; i < own.destinations.size(); ++i) {
    const int weight = own.weighted ? own.destination_weights[i] : 1;
    letters.push_back({0, self, static_cast<int>(i), 1, {self, own.destinations[i], weight}});
  }
  letters = deliver(call, std::move(letters));
  std::sort(letters.begin(), letters.end(), [](const Letter& a, const Letter& b) {
    return std::tie(a.giver, a.number) < std::tie(b.giver, b.number);
  });
  std::vector<Edge> edges;
  edges.reserve(letters.size());
  for (const Letter& letter : letters) edges.push_back(letter.edge);
  return edges;
}

DistributedGraphTopology pass_on(const CollectiveCall& call, const DistributedGraphTopology& own,
                                 int to, int from) {
  const Transfer transfer(call, Collective::alltoall);
  const auto pass = [&](const std::vector<int>& out, std::size_t coming) {
    const auto bytes_of = [](std::size_t count) {
      return static_cast<std::int64_t>(count * sizeof(int));
    };
    std::vector<int> in(coming);
    transfer.exchange(out.data(), bytes_of(out.size()), to, in.data(), bytes_of(coming), from);
    return in;
  };
  const std::vector<int> counts = pass(
      {static_cast<int>(own.sources.size()), static_cast<int>(own.source_weights.size()),
       static_cast<int>(own.destinations.size()), static_cast<int>(own.destination_weights.size())},
      4);
  DistributedGraphTopology got;
  got.weighted = own.weighted;
  got.sources = pass(own.sources, static_cast<std::size_t>(counts[0]));
  got.source_weights = pass(own.source_weights, static_cast<std::size_t>(counts[1]));
  got.destinations = pass(own.destinations, static_cast<std::size_t>(counts[2]));
  got.destination_weights = pass(own.destination_weights, static_cast<std::size_t>(counts[3]));
  return got;
}

}  // namespace netmod
