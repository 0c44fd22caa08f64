// What the collective functions do on intercommunicators.
#include "netmod/mpi/collectives/inter_bodies.h"

#include <fmt/format.h>

#include <numeric>
#include <vector>

#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/collectives/packed.h"
#include "netmod/mpi/collectives/parts.h"
#include "netmod/mpi/collectives/side.h"
#include "netmod/mpi/datatypes/buffer_arguments.h"
#include "netmod/mpi/datatypes/checked.h"

namespace netmod::body::inter {
namespace {

/// What the caller is in a collective with a root.
enum class Role { idle, root, other };

Role role_of(const CollectiveCall& call, int root) {
  if (root == MPI_PROC_NULL) return Role::idle;
  if (root == MPI_ROOT) return Role::root;
  const int size = call.comm.remote->size();
  if (root >= 0 && root < size) return Role::other;
  fail(MPI_ERR_ROOT,
       fmt::format("root is {} (allowed: 0 to {}, MPI_ROOT, MPI_PROC_NULL)", root, size - 1));
}

std::size_t remote_size(const CollectiveCall& call) {
  return static_cast<std::size_t>(call.comm.remote->size());
}
bool first(const CollectiveCall& call) { return call.comm.rank == 0; }

/// As many parts as the other group has ranks, one after another.
Parts equal_parts(const CollectiveCall& call, const Side& side, const char* name) {
  const auto part_of = [&](std::size_t i) {
    return Parts::Part{displaced(static_cast<std::int64_t>(i) * side.count, side.type), side.count,
                       side.type};
  };
  return {call, side.buffer, remote_size(call), part_of, name};
}

/// Pieces directly to and from every rank of the other group; none where they are empty.
void exchange_remote(const CollectiveCall& call, const std::byte* out,
                     std::span<const Piece> out_pieces, std::byte* in,
                     std::span<const Piece> in_pieces) {
  std::vector<int> all(remote_size(call));
  std::iota(all.begin(), all.end(), 0);
  const std::span<const int> ranks(all);
  exchange_all(Transfer::remote(call), out, out_pieces, ranks.first(out_pieces.size()), in,
               in_pieces, ranks.first(in_pieces.size()), ranks.first(in_pieces.size()));
}

void gather_parts(const CollectiveCall& call, const Parts& parts) {
  exchange_remote(call, nullptr, {}, parts.data(), parts.pieces());
  parts.store();
}
void scatter_parts(const CollectiveCall& call, const Parts& parts) {
  parts.load();
  exchange_remote(call, parts.data(), parts.pieces(), nullptr, {});
}
void give_part(const CollectiveCall& call, const void* sendbuf, int count, MPI_Datatype datatype,
               int root) {
  const Side side = side_of(call.rank, sendbuf, count, datatype, "sendbuf");
  const PackedInput mine(call, side.type, sendbuf, count);
  Transfer::remote(call).send(mine.data(), side.bytes(), root);
}
void take_part(const CollectiveCall& call, void* recvbuf, int count, MPI_Datatype datatype,
               int root) {
  const Side side = side_of(call.rank, recvbuf, count, datatype, "recvbuf");
  const PackedOutput mine(call, side.type, recvbuf, count);
  Transfer::remote(call).receive(mine.data(), side.bytes(), root);
  mine.store();
}
void exchange_parts(const CollectiveCall& call, const Parts& out, const Parts& in) {
  out.load();
  exchange_remote(call, out.data(), out.pieces(), in.data(), in.pieces());
  in.store();
}

/// The reduction over the caller's group; there at its first rank.
Scratch reduce_own_group(const CollectiveCall& call, const Reduction& reduction,
                         const void* sendbuf, std::int64_t count) {
  const PackedInput in(call, reduction.type(), sendbuf, count);
  Scratch result;
  if (first(call)) result = call.memory(reduction.bytes(count));
  netmod::reduce(call, reduction, in.data(), result.get(), count, 0);
  return result;
}

/// Both groups reduce; each rank gets its elements of the other group's result.
void reduce_and_scatter(const CollectiveCall& call, const Reduction& reduction, const void* sendbuf,
                        void* recvbuf, const std::vector<std::int64_t>& begin) {
  const std::int64_t total = begin.back();
  check_buffer(sendbuf, total, reduction.type(), "sendbuf");
  const std::int64_t bytes = reduction.bytes(total);
  const auto me = static_cast<std::size_t>(call.comm.rank);
  const std::int64_t mine = begin[me + 1] - begin[me];
  const Scratch own = reduce_own_group(call, reduction, sendbuf, total);
  Scratch other;
  std::vector<Piece> pieces;
  if (first(call)) {
    other = call.memory(bytes);
    Transfer::remote(call).exchange(own.get(), bytes, 0, other.get(), bytes, 0);
    for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
      pieces.push_back({reduction.bytes(begin[i]), reduction.bytes(begin[i + 1] - begin[i])});
    }
  }
  const PackedOutput out(call, reduction.type(), recvbuf, mine);
  scatter_pieces(call, other.get(), pieces, out.data(), reduction.bytes(mine), 0);
  out.store();
}

}  // namespace

void refuse(const CollectiveCall& call) {
  if (call.comm.inter()) {
    fail(MPI_ERR_COMM, "comm is an intercommunicator, which is not allowed here");
  }
}

void bcast(const CollectiveCall& call, void* buffer, int count, MPI_Datatype datatype, int root) {
  const Role role = role_of(call, root);
  if (role == Role::idle) return;
  const Side side = side_of(call.rank, buffer, count, datatype, "buffer");
  if (side.bytes() == 0) return;
  if (role == Role::root) {
    const PackedInput data(call, side.type, buffer, count);
    Transfer::remote(call).send(data.data(), side.bytes(), 0);
    return;
  }
  const PackedOutput data(call, side.type, buffer, count);
  if (first(call)) Transfer::remote(call).receive(data.data(), side.bytes(), root);
  broadcast(call, data.data(), side.bytes(), 0);
  data.store();
}

void gather(const CollectiveCall& call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
            void* recvbuf, int recvcount, MPI_Datatype recvtype, int root) {
  const Role role = role_of(call, root);
  if (role == Role::other) give_part(call, sendbuf, sendcount, sendtype, root);
  if (role != Role::root) return;
  const Side side = side_of(call.rank, recvbuf, recvcount, recvtype, "recvbuf");
  gather_parts(call, equal_parts(call, side, "recvbuf"));
}

void gatherv(const CollectiveCall& call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
             void* recvbuf, const int* recvcounts, const int* displs, MPI_Datatype recvtype,
             int root) {
  const Role role = role_of(call, root);
  if (role == Role::other) give_part(call, sendbuf, sendcount, sendtype, root);
  if (role != Role::root) return;
  gather_parts(call, Parts(call, recvbuf, recvcounts, displs, recvtype, "recvbuf"));
}

void scatter(const CollectiveCall& call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
             void* recvbuf, int recvcount, MPI_Datatype recvtype, int root) {
  const Role role = role_of(call, root);
  if (role == Role::other) take_part(call, recvbuf, recvcount, recvtype, root);
  if (role != Role::root) return;
  const Side side = side_of(call.rank, sendbuf, sendcount, sendtype, "sendbuf");
  scatter_parts(call, equal_parts(call, side, "sendbuf"));
}

void scatterv(const CollectiveCall& call, const void* sendbuf, const int* sendcounts,
              const int* displs, MPI_Datatype sendtype, void* recvbuf, int recvcount,
              MPI_Datatype recvtype, int root) {
  const Role role = role_of(call, root);
  if (role == Role::other) take_part(call, recvbuf, recvcount, recvtype, root);
  if (role != Role::root) return;
  scatter_parts(call,
                Parts(call, const_cast<void*>(sendbuf), sendcounts, displs, sendtype, "sendbuf"));
}

// To the first rank, from there to the other group's, and to all of that.
void allgather(const CollectiveCall& call, const void* sendbuf, int sendcount,
               MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype) {
  const Side sending = side_of(call.rank, sendbuf, sendcount, sendtype, "sendbuf");
  const Side receiving = side_of(call.rank, recvbuf, recvcount, recvtype, "recvbuf");
  check_elements(sending.count * call.comm.size(), sending.type);
  check_elements(receiving.count * call.comm.remote->size(), receiving.type);
  const std::int64_t out = sending.bytes() * call.comm.size();
  const std::int64_t in = receiving.bytes() * call.comm.remote->size();
  const PackedInput mine(call, sending.type, sendbuf, sending.count);
  Scratch group;
  if (first(call)) group = call.memory(out);
  if (out > 0) netmod::gather(call, mine.data(), group.get(), sending.bytes(), 0);
  const PackedOutput all(call, receiving.type, recvbuf, receiving.count * call.comm.remote->size());
  if (first(call)) Transfer::remote(call).exchange(group.get(), out, 0, all.data(), in, 0);
  if (in == 0) return;
  broadcast(call, all.data(), in, 0);
  all.store();
}

// The first rank does not know how much the others of its group give: directly.
void allgatherv(const CollectiveCall& call, const void* sendbuf, int sendcount,
                MPI_Datatype sendtype, void* recvbuf, const int* recvcounts, const int* displs,
                MPI_Datatype recvtype) {
  const Side sending = side_of(call.rank, sendbuf, sendcount, sendtype, "sendbuf");
  const Parts in(call, recvbuf, recvcounts, displs, recvtype, "recvbuf");
  const PackedInput mine(call, sending.type, sendbuf, sending.count);
  const std::vector<Piece> pieces(remote_size(call), {0, sending.bytes()});
  exchange_remote(call, mine.data(), pieces, in.data(), in.pieces());
  in.store();
}

void alltoall(const CollectiveCall& call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
              void* recvbuf, int recvcount, MPI_Datatype recvtype) {
  const Side sending = side_of(call.rank, sendbuf, sendcount, sendtype, "sendbuf");
  const Side receiving = side_of(call.rank, recvbuf, recvcount, recvtype, "recvbuf");
  exchange_parts(call, equal_parts(call, sending, "sendbuf"),
                 equal_parts(call, receiving, "recvbuf"));
}

void alltoallv(const CollectiveCall& call, const void* sendbuf, const int* sendcounts,
               const int* sdispls, MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
               const int* rdispls, MPI_Datatype recvtype) {
  const Parts in(call, recvbuf, recvcounts, rdispls, recvtype, "recvbuf");
  const Parts out(call, const_cast<void*>(sendbuf), sendcounts, sdispls, sendtype, "sendbuf");
  exchange_parts(call, out, in);
}

void alltoallw(const CollectiveCall& call, const void* sendbuf, const int* sendcounts,
               const int* sdispls, const MPI_Datatype* sendtypes, void* recvbuf,
               const int* recvcounts, const int* rdispls, const MPI_Datatype* recvtypes) {
  const Parts in(call, recvbuf, recvcounts, rdispls, recvtypes, "recvbuf");
  const Parts out(call, const_cast<void*>(sendbuf), sendcounts, sdispls, sendtypes, "sendbuf");
  exchange_parts(call, out, in);
}

void reduce(const CollectiveCall& call, const void* sendbuf, void* recvbuf, int count,
            MPI_Datatype datatype, MPI_Op op, int root) {
  const Role role = role_of(call, root);
  if (role == Role::idle) return;
  const bool receives = role == Role::root;
  const Reduction reduction = check_reduction(call, receives ? recvbuf : sendbuf, recvbuf, count,
                                              datatype, op, false, receives);
  if (count == 0) return;
  const std::int64_t bytes = reduction.bytes(count);
  if (receives) {
    const PackedOutput out(call, reduction.type(), recvbuf, count);
    Transfer::remote(call).receive(out.data(), bytes, 0);
    out.store();
    return;
  }
  const Scratch result = reduce_own_group(call, reduction, sendbuf, count);
  if (first(call)) Transfer::remote(call).send(result.get(), bytes, root);
}

void allreduce(const CollectiveCall& call, const void* sendbuf, void* recvbuf, int count,
               MPI_Datatype datatype, MPI_Op op) {
  const Reduction reduction =
      check_reduction(call, sendbuf, recvbuf, count, datatype, op, false, true);
  if (count == 0) return;
  const std::int64_t bytes = reduction.bytes(count);
  const Scratch own = reduce_own_group(call, reduction, sendbuf, count);
  const PackedOutput out(call, reduction.type(), recvbuf, count);
  if (first(call)) Transfer::remote(call).exchange(own.get(), bytes, 0, out.data(), bytes, 0);
  broadcast(call, out.data(), bytes, 0);
  out.store();
}

void reduce_scatter_block(const CollectiveCall& call, const void* sendbuf, void* recvbuf,
                          int recvcount, MPI_Datatype datatype, MPI_Op op) {
  const Reduction reduction =
      check_reduction(call, sendbuf, recvbuf, recvcount, datatype, op, false, true);
  std::vector<std::int64_t> begin;
  for (int i = 0; i <= call.comm.size(); ++i) begin.push_back(std::int64_t{recvcount} * i);
  reduce_and_scatter(call, reduction, sendbuf, recvbuf, begin);
}

void reduce_scatter(const CollectiveCall& call, const void* sendbuf, void* recvbuf,
                    const int* recvcounts, MPI_Datatype datatype, MPI_Op op) {
  check_pointer(recvcounts, "recvcounts");
  std::vector<std::int64_t> begin{0};
  for (int i = 0; i < call.comm.size(); ++i) {
    check_count(recvcounts[i], "an element of recvcounts");
    begin.push_back(begin.back() + recvcounts[i]);
  }
  const Reduction reduction = check_reduction(call, sendbuf, recvbuf, recvcounts[call.comm.rank],
                                              datatype, op, false, true);
  reduce_and_scatter(call, reduction, sendbuf, recvbuf, begin);
}

}  // namespace netmod::body::inter
