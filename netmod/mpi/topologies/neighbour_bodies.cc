// What the neighbourhood collectives do: all messages at once.
#include "netmod/mpi/topologies/neighbour_bodies.h"

#include <vector>

#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/collectives/packed.h"
#include "netmod/mpi/collectives/parts.h"
#include "netmod/mpi/collectives/side.h"
#include "netmod/mpi/datatypes/datatypes.h"
#include "netmod/mpi/topologies/process_topology.h"

namespace netmod::body {
namespace {

/// A buffer's parts, one for each of `ranks`; `part_of(i)` as the caller gave it. Where there is
/// no rank the part is empty.
template <class PartOf>
Parts parts_for(const CollectiveCall& call, const std::vector<int>& ranks, const void* buffer,
                const PartOf& part_of, const char* name) {
  if (buffer == MPI_IN_PLACE) fail_in_place(name);  // though there may be no neighbour
  const auto filled = [&](std::size_t i) {
    return ranks[i] == MPI_PROC_NULL ? Parts::Part{} : part_of(i);
  };
  return {call, const_cast<void*>(buffer), ranks.size(), filled, name};
}

/// The parts of equal size, one after another.
auto equal(const CollectiveCall& call, int count, MPI_Datatype datatype) {
  check_count(count);
  return [type = call.rank.datatypes().in_use(datatype, count), count](std::size_t i) {
    return Parts::Part{displaced(static_cast<std::int64_t>(i) * count, type), count, type};
  };
}

/// The counts are not negative, those of parts that no rank takes either.
void check_counts(const std::vector<int>& ranks, const int* counts) {
  if (ranks.empty()) return;
  check_pointer(counts, "counts");
  for (std::size_t i = 0; i < ranks.size(); ++i) check_count(counts[i], "an element of counts");
}

auto placed(const CollectiveCall& call, const std::vector<int>& ranks, const int* counts,
            const int* displacements, MPI_Datatype datatype) {
  check_counts(ranks, counts);
  return [type = call.rank.datatypes().in_use(datatype), counts, displacements](std::size_t i) {
    return Parts::Part::of(counts, displacements, type, i);
  };
}

auto typed(const CollectiveCall& call, const std::vector<int>& ranks, const int* counts,
           const MPI_Aint* displacements, const MPI_Datatype* datatypes) {
  check_counts(ranks, counts);
  return [&call, counts, displacements, datatypes](std::size_t i) {
    return Parts::Part::of(call.rank, counts, displacements, datatypes, i);
  };
}

void exchange(const CollectiveCall& call, const Neighbours& with, const std::byte* out,
              std::span<const Piece> out_pieces, const Parts& in) {
  exchange_all(Transfer(call, Collective::neighbourhood), out, out_pieces, with.destinations,
               in.data(), in.pieces(), with.sources, with.taking_order);
  in.store();
}

/// To every neighbour the same.
void spread(const CollectiveCall& call, const Neighbours& with, const void* sendbuf, int count,
            MPI_Datatype datatype, const Parts& in) {
  const Side side = side_of(call.rank, sendbuf, count, datatype, "sendbuf");
  const PackedInput mine(call, side.type, sendbuf, count);
  const std::vector<Piece> pieces(with.destinations.size(), {0, side.bytes()});
  exchange(call, with, mine.data(), pieces, in);
}

void exchange_parts(const CollectiveCall& call, const Neighbours& with, const Parts& out,
                    const Parts& in) {
  out.load();
  exchange(call, with, out.data(), out.pieces(), in);
}

}  // namespace

void neighbor_allgather(const CollectiveCall& call, const void* sendbuf, int sendcount,
                        MPI_Datatype sendtype, void* recvbuf, int recvcount,
                        MPI_Datatype recvtype) {
  const Neighbours with = neighbours_of(call.comm);
  const Parts in =
      parts_for(call, with.sources, recvbuf, equal(call, recvcount, recvtype), "recvbuf");
  spread(call, with, sendbuf, sendcount, sendtype, in);
}

void neighbor_allgatherv(const CollectiveCall& call, const void* sendbuf, int sendcount,
                         MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
                         const int* displs, MPI_Datatype recvtype) {
  const Neighbours with = neighbours_of(call.comm);
  const Parts in = parts_for(call, with.sources, recvbuf,
                             placed(call, with.sources, recvcounts, displs, recvtype), "recvbuf");
  spread(call, with, sendbuf, sendcount, sendtype, in);
}

void neighbor_alltoall(const CollectiveCall& call, const void* sendbuf, int sendcount,
                       MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype) {
  const Neighbours with = neighbours_of(call.comm);
  exchange_parts(
      call, with,
      parts_for(call, with.destinations, sendbuf, equal(call, sendcount, sendtype), "sendbuf"),
      parts_for(call, with.sources, recvbuf, equal(call, recvcount, recvtype), "recvbuf"));
}

void neighbor_alltoallv(const CollectiveCall& call, const void* sendbuf, const int* sendcounts,
                        const int* sdispls, MPI_Datatype sendtype, void* recvbuf,
                        const int* recvcounts, const int* rdispls, MPI_Datatype recvtype) {
  const Neighbours with = neighbours_of(call.comm);
  exchange_parts(
      call, with,
      parts_for(call, with.destinations, sendbuf,
                placed(call, with.destinations, sendcounts, sdispls, sendtype), "sendbuf"),
      parts_for(call, with.sources, recvbuf,
                placed(call, with.sources, recvcounts, rdispls, recvtype), "recvbuf"));
}

void neighbor_alltoallw(const CollectiveCall& call, const void* sendbuf, const int* sendcounts,
                        const MPI_Aint* sdispls, const MPI_Datatype* sendtypes, void* recvbuf,
                        const int* recvcounts, const MPI_Aint* rdispls,
                        const MPI_Datatype* recvtypes) {
  const Neighbours with = neighbours_of(call.comm);
  exchange_parts(
      call, with,
      parts_for(call, with.destinations, sendbuf,
                typed(call, with.destinations, sendcounts, sdispls, sendtypes), "sendbuf"),
      parts_for(call, with.sources, recvbuf,
                typed(call, with.sources, recvcounts, rdispls, recvtypes), "recvbuf"));
}

}  // namespace netmod::body
