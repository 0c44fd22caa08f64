// What the collective functions do: broadcast, gather, scatter, allgather, alltoall.
#include "netmod/mpi/collectives/collective_bodies.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/collectives/inter_bodies.h"
#include "netmod/mpi/collectives/packed.h"
#include "netmod/mpi/collectives/parts.h"
#include "netmod/mpi/collectives/side.h"
#include "netmod/mpi/datatypes/buffer_arguments.h"
#include "netmod/mpi/datatypes/checked.h"
#include "netmod/mpi/groups/rank_arguments.h"

namespace netmod::body {
namespace {

/// The caller's own part fits into its place; else the call fails late. True: it fits.
bool own_part_fits(const CollectiveCall& call, std::int64_t sent, std::int64_t place) {
  if (sent <= place) return true;
  call.fail_late({MPI_ERR_TRUNCATE,
                  fmt::format("the caller's own part has {} bytes, its place {}", sent, place),
                  MPI_COMM_NULL});
  return false;
}

/// The same for parts that have one size everywhere.
void fail_own_size(const CollectiveCall& call, std::int64_t sent, std::int64_t received) {
  call.fail_late(
      {MPI_ERR_TRUNCATE,
       fmt::format("the caller sends {} bytes to each rank but receives {}", sent, received),
       MPI_COMM_NULL});
}

/// What all ranks would be sent, before it is overwritten (MPI_IN_PLACE).
Scratch copy_of(const CollectiveCall& call, const std::byte* data, std::int64_t bytes) {
  Scratch copy = call.memory(bytes);
  if (bytes != 0) std::memcpy(copy.get(), data, static_cast<std::size_t>(bytes));
  return copy;
}

/// Elements of all ranks, as many of each.
std::int64_t of_all(const CollectiveCall& call, const Side& each) {
  const std::int64_t elements = each.count * call.comm.size();
  check_elements(elements, each.type);
  return elements;
}

void exchange_parts(const CollectiveCall& call, const Parts* out, const Parts& in) {
  if (out != nullptr) {
    out->load();
    alltoall_pieces(call, out->data(), out->pieces(), in.data(), in.pieces());
    in.store();
    return;
  }
  // In place: what is sent is what the receive buffer holds.
  std::vector<Piece> pieces;
  std::int64_t total = 0;
  in.load();
  for (const Piece& piece : in.pieces()) {
    pieces.push_back({total, piece.bytes});
    total += piece.bytes;
  }
  const Scratch copy = call.memory(total);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].bytes == 0) continue;
    std::memcpy(copy.get() + pieces[i].offset, in.data() + in.pieces()[i].offset,
                static_cast<std::size_t>(pieces[i].bytes));
  }
  call.rank.charge_copy(total);
  alltoall_pieces(call, copy.get(), pieces, in.data(), in.pieces());
  in.store();
}

}  // namespace

void barrier(const CollectiveCall& call) {
  if (call.comm.inter()) return barrier_of_both(call);
  netmod::barrier(call);
}

void bcast(const CollectiveCall& call, void* buffer, int count, MPI_Datatype datatype, int root) {
  if (call.comm.inter()) return inter::bcast(call, buffer, count, datatype, root);
  const Side side = side_of(call.rank, buffer, count, datatype, "buffer", false);
  check_root(call.comm, root);
  if (side.bytes() == 0) return;
  const bool at_root = call.comm.rank == root;
  const PackedOutput data(call, side.type, buffer, count, at_root);
  broadcast(call, data.data(), side.bytes(), root);
  if (!at_root) data.store();
}

void gather(const CollectiveCall& call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
            void* recvbuf, int recvcount, MPI_Datatype recvtype, int root) {
  if (call.comm.inter())
    return inter::gather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
  check_root(call.comm, root);
  const bool at_root = call.comm.rank == root;
  Side receiving;
  if (at_root) receiving = side_of(call.rank, recvbuf, recvcount, recvtype, "recvbuf", false);
  const Side sending = side_of(call.rank, sendbuf, sendcount, sendtype, "sendbuf", at_root);
  if (!at_root) {
    const PackedInput mine(call, sending.type, sending.buffer, sending.count);
    netmod::gather(call, mine.data(), nullptr, sending.bytes(), root);
    return;
  }
  const std::int64_t each = receiving.bytes();
  const std::int64_t elements = of_all(call, receiving);
  const void* own_place = part_at(receiving, call.comm.rank);
  check_aliases(sending, sendbuf, receiving, own_place);
  const PackedOutput all(call, receiving.type, receiving.buffer, elements);
  // (What does not fit is not read.)
  const bool own_stays = sending.in_place || !own_part_fits(call, sending.bytes(), each);
  const PackedInput mine(call, own_stays ? receiving.type : sending.type,
                         own_stays ? own_place : sending.buffer,
                         own_stays ? receiving.count : sending.count);
  if (root == 0 || !receiving.type.contiguous() || !own_stays) {
    netmod::gather(call, mine.data(), all.data(), each, root);
  } else {
    const Scratch copy = copy_of(call, mine.data(), each);  // the result overwrites its own part
    netmod::gather(call, copy.get(), all.data(), each, root);
  }
  all.store();
}

void gatherv(const CollectiveCall& call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
             void* recvbuf, const int* recvcounts, const int* displs, MPI_Datatype recvtype,
             int root) {
  if (call.comm.inter())
    return inter::gatherv(call, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                          root);
  check_root(call.comm, root);
  const bool at_root = call.comm.rank == root;
  const Side sending = side_of(call.rank, sendbuf, sendcount, sendtype, "sendbuf", at_root);
  const PackedInput mine(call, sending.type, sending.in_place ? nullptr : sendbuf, sending.count);
  if (!at_root) {
    gather_pieces(call, mine.data(), sending.bytes(), nullptr, {}, root);
    return;
  }
  const Parts parts(call, recvbuf, recvcounts, displs, recvtype, "recvbuf");
  const auto own = static_cast<std::size_t>(root);
  parts.check_aliases(own, sending);
  if (sending.in_place) {
    parts.load(own);
  } else {
    parts.set(own, mine.data(), sending.bytes());
  }
  gather_pieces(call, nullptr, 0, parts.data(), parts.pieces(), root);
  parts.store();
}

void scatter(const CollectiveCall& call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
             void* recvbuf, int recvcount, MPI_Datatype recvtype, int root) {
  if (call.comm.inter())
    return inter::scatter(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
  check_root(call.comm, root);
  const bool at_root = call.comm.rank == root;
  Side sending;
  if (at_root) sending = side_of(call.rank, sendbuf, sendcount, sendtype, "sendbuf", false);
  const Side receiving = side_of(call.rank, recvbuf, recvcount, recvtype, "recvbuf", at_root);
  if (!at_root) {
    const PackedOutput mine(call, receiving.type, receiving.buffer, receiving.count);
    netmod::scatter(call, nullptr, mine.data(), receiving.bytes(), root);
    mine.store();
    return;
  }
  const std::int64_t each = sending.bytes();
  const std::int64_t elements = of_all(call, sending);
  check_aliases(sending, part_at(sending, root), receiving, recvbuf);
  const PackedInput all(call, sending.type, sending.buffer, elements);
  const Scratch own = call.memory(each);
  netmod::scatter(call, all.data(), own.get(), each, root);
  if (receiving.in_place || !own_part_fits(call, each, receiving.bytes())) return;
  call.unpack(receiving.type, own.get(), each, receiving.buffer);
}

void scatterv(const CollectiveCall& call, const void* sendbuf, const int* sendcounts,
              const int* displs, MPI_Datatype sendtype, void* recvbuf, int recvcount,
              MPI_Datatype recvtype, int root) {
  if (call.comm.inter())
    return inter::scatterv(call, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount,
                           recvtype, root);
  check_root(call.comm, root);
  const bool at_root = call.comm.rank == root;
  const Side receiving = side_of(call.rank, recvbuf, recvcount, recvtype, "recvbuf", at_root);
  if (!at_root) {
    const PackedOutput mine(call, receiving.type, recvbuf, recvcount);
    scatter_pieces(call, nullptr, {}, mine.data(), receiving.bytes(), root);
    mine.store();
    return;
  }
  const Parts parts(call, const_cast<void*>(sendbuf), sendcounts, displs, sendtype, "sendbuf");
  parts.check_aliases(static_cast<std::size_t>(root), receiving);
  parts.load();
  scatter_pieces(call, parts.data(), parts.pieces(), nullptr, 0, root);
  if (receiving.in_place) return;
  const Piece own = parts.pieces()[static_cast<std::size_t>(root)];
  if (!own_part_fits(call, own.bytes, receiving.bytes())) return;
  call.unpack(receiving.type, parts.data() + own.offset, own.bytes, recvbuf);
  call.charge_copy(own.bytes);
}

void allgather(const CollectiveCall& call, const void* sendbuf, int sendcount,
               MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype) {
  if (call.comm.inter())
    return inter::allgather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
  const Side sending = side_of(call.rank, sendbuf, sendcount, sendtype, "sendbuf", true);
  const Side receiving = side_of(call.rank, recvbuf, recvcount, recvtype, "recvbuf", false);
  const std::int64_t each = receiving.bytes();
  const std::int64_t elements = of_all(call, receiving);
  check_aliases(sending, sendbuf, receiving, part_at(receiving, call.comm.rank));
  // A rank that sends nothing keeps what is in its place, as under MPICH.
  const bool stays = sending.in_place || sending.bytes() == 0;
  const PackedOutput all(call, receiving.type, recvbuf, elements, stays);
  const bool fits = stays || sending.bytes() == each;
  if (!fits) fail_own_size(call, sending.bytes(), each);
  if (!sending.in_place && fits) {
    pack(sending.type, sendbuf, sending.count, all.data() + each * call.comm.rank);
    call.rank.charge_copy(sending.bytes());
  }
  netmod::allgather(call, all.data(), each);
  all.store();
}

void allgatherv(const CollectiveCall& call, const void* sendbuf, int sendcount,
                MPI_Datatype sendtype, void* recvbuf, const int* recvcounts, const int* displs,
                MPI_Datatype recvtype) {
  if (call.comm.inter())
    return inter::allgatherv(call, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                             recvtype);
  const Side sending = side_of(call.rank, sendbuf, sendcount, sendtype, "sendbuf", true);
  const Parts parts(call, recvbuf, recvcounts, displs, recvtype, "recvbuf");
  const auto own = static_cast<std::size_t>(call.comm.rank);
  parts.check_aliases(own, sending);
  if (sending.in_place) {
    parts.load(own);
  } else {
    const PackedInput mine(call, sending.type, sendbuf, sending.count);
    parts.set(own, mine.data(), sending.bytes());
  }
  allgather_pieces(call, parts.data(), parts.pieces());
  parts.store();
}

void alltoall(const CollectiveCall& call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
              void* recvbuf, int recvcount, MPI_Datatype recvtype) {
  if (call.comm.inter())
    return inter::alltoall(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
  const Side sending = side_of(call.rank, sendbuf, sendcount, sendtype, "sendbuf", true);
  const Side receiving = side_of(call.rank, recvbuf, recvcount, recvtype, "recvbuf", false);
  const std::int64_t each = receiving.bytes();
  const std::int64_t elements = of_all(call, receiving);
  const std::int64_t total = receiving.type.packed_bytes(elements);
  check_aliases(sending, sendbuf, receiving, recvbuf);
  const bool fits = sending.in_place || sending.bytes() == each;
  if (!fits) fail_own_size(call, sending.bytes(), each);
  const PackedOutput in(call, receiving.type, recvbuf, elements);
  Scratch copy;
  if (sending.in_place) {
    copy = call.memory(total);
    pack(receiving.type, recvbuf, elements, copy.get());
    call.rank.charge_copy(total);
  }
  const PackedInput out(call, sending.type, sending.in_place ? copy.get() : sendbuf,
                        of_all(call, sending));
  // (What has another size is not read.)
  netmod::alltoall(call, fits ? out.data() : in.data(), in.data(), each);
  in.store();
}

void alltoallv(const CollectiveCall& call, const void* sendbuf, const int* sendcounts,
               const int* sdispls, MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
               const int* rdispls, MPI_Datatype recvtype) {
  if (call.comm.inter())
    return inter::alltoallv(call, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                            rdispls, recvtype);
  const Parts in(call, recvbuf, recvcounts, rdispls, recvtype, "recvbuf");
  if (sendbuf == MPI_IN_PLACE) return exchange_parts(call, nullptr, in);
  const Parts out(call, const_cast<void*>(sendbuf), sendcounts, sdispls, sendtype, "sendbuf");
  if (sendbuf == recvbuf && sendtype == recvtype && sendcounts == recvcounts &&
      sdispls == rdispls && !out.empty()) {
    fail_aliases();
  }
  exchange_parts(call, &out, in);
}

void alltoallw(const CollectiveCall& call, const void* sendbuf, const int* sendcounts,
               const int* sdispls, const MPI_Datatype* sendtypes, void* recvbuf,
               const int* recvcounts, const int* rdispls, const MPI_Datatype* recvtypes) {
  if (call.comm.inter())
    return inter::alltoallw(call, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                            rdispls, recvtypes);
  const Parts in(call, recvbuf, recvcounts, rdispls, recvtypes, "recvbuf");
  if (sendbuf == MPI_IN_PLACE) return exchange_parts(call, nullptr, in);
  const Parts out(call, const_cast<void*>(sendbuf), sendcounts, sdispls, sendtypes, "sendbuf");
  if (sendbuf == recvbuf && sendtypes == recvtypes && sendcounts == recvcounts &&
      sdispls == rdispls && !out.empty()) {
    fail_aliases();
  }
  exchange_parts(call, &out, in);
}

}  // namespace netmod::body
