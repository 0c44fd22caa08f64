// Distributing the edges of a graph.
#include "netmod/mpi/distributed_graph.h"

#include <fmt/format.h>

#include "netmod/mpi/arguments.h"

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

/// What a rank hears of another one's edges: all it leaves by, then all it is reached by.
struct Heard {
  int leaving = 0;
  int arriving = 0;
  int weighted = 0;
};

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
    count += degrees[i];
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
  const auto size = static_cast<std::size_t>(call.comm.size());
  std::vector<Heard> telling(size), hearing(size);
  for (Heard& each : telling) each.weighted = weighted ? 1 : 0;
  for (const Edge& edge : edges) {
    ++telling[static_cast<std::size_t>(edge.source)].leaving;
    ++telling[static_cast<std::size_t>(edge.destination)].arriving;
  }
  alltoall(call, reinterpret_cast<const std::byte*>(telling.data()),
           reinterpret_cast<std::byte*>(hearing.data()), sizeof(Heard));

  const auto place = [](const std::vector<Heard>& counts, std::vector<Piece>& pieces) {
    std::int64_t end = 0;
    for (const Heard& each : counts) {
      const std::int64_t bytes = std::int64_t{each.leaving + each.arriving} * sizeof(Edge);
      pieces.push_back({end, bytes});
      end += bytes;
    }
    return static_cast<std::size_t>(end) / sizeof(Edge);
  };
  std::vector<Piece> out_pieces, in_pieces;
  std::vector<Edge> out(place(telling, out_pieces)), in(place(hearing, in_pieces));
  std::vector<std::size_t> next(size);
  for (std::size_t i = 0; i < size; ++i) {
    next[i] = static_cast<std::size_t>(out_pieces[i].offset) / sizeof(Edge);
  }
  for (const Edge& edge : edges) out[next[static_cast<std::size_t>(edge.source)]++] = edge;
  for (const Edge& edge : edges) out[next[static_cast<std::size_t>(edge.destination)]++] = edge;
  alltoall_pieces(call, reinterpret_cast<const std::byte*>(out.data()), out_pieces,
                  reinterpret_cast<std::byte*>(in.data()), in_pieces);

  DistributedGraphTopology mine;
  mine.weighted = weighted;
  const Edge* edge = in.data();
  for (const Heard& each : hearing) {
    if (each.weighted != (weighted ? 1 : 0)) {
      fail(MPI_ERR_ARG, "some ranks gave weights, others MPI_UNWEIGHTED");
    }
    for (int i = 0; i < each.leaving; ++i, ++edge) {
      mine.destinations.push_back(edge->destination);
      if (weighted) mine.destination_weights.push_back(edge->weight);
    }
    for (int i = 0; i < each.arriving; ++i, ++edge) {
      mine.sources.push_back(edge->source);
      if (weighted) mine.source_weights.push_back(edge->weight);
    }
  }
  return mine;
}

}  // namespace netmod
