// What the reductions do.
#include <fmt/format.h>

#include <vector>

#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/collectives/collective_bodies.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/collectives/inter_bodies.h"
#include "netmod/mpi/collectives/packed.h"
#include "netmod/mpi/datatypes/buffer_arguments.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/datatypes/datatypes.h"
#include "netmod/mpi/groups/communicators.h"
#include "netmod/mpi/groups/rank_arguments.h"
#include "netmod/mpi/operations/op.h"
#include "netmod/mpi/operations/operations.h"

namespace netmod::body {
namespace {

/// The operation bound to the datatype; MPI_ERR_OP if it is not defined on it.
Reduction bind(RankState& rank, MPI_Op op, const TypeView& type) {
  check_op(rank, op);
  if (!is_predefined_op(op)) return {*rank.operations().made.find(op), type};
  const Kernel kernel = type.basic == nullptr ? nullptr : find_kernel(op, *type.basic);
  if (kernel == nullptr) {
    fail(MPI_ERR_OP,
         fmt::format("the predefined operation {} is not defined on {}", handle_text(op),
                     type.basic == nullptr ? "a datatype of mixed elements" : type.basic->name));
  }
  return {kernel, type};
}

/// Arguments of a reduction, checked.
Reduction check_reduction(RankState& rank, const void* sendbuf, const void* recvbuf,
                          std::int64_t count, MPI_Datatype datatype, MPI_Op op, bool in_place,
                          bool receives) {
  check_count(count);
  const TypeView type = rank.datatypes().in_use(datatype);
  if (!in_place) check_in_place(sendbuf, count, "sendbuf");
  if (receives) check_in_place(recvbuf, count, "recvbuf");
  if (sendbuf != MPI_IN_PLACE) check_buffer(sendbuf, count, type, "sendbuf");
  if (receives) check_buffer(recvbuf, count, type, "recvbuf");
  return bind(rank, op, type);
}

/// Where the caller receives: its two buffers are not the same.
void check_apart(const void* sendbuf, const void* recvbuf, const Reduction& reduction,
                 std::int64_t count) {
  check_aliases(sendbuf, reduction.type(), count, recvbuf, reduction.type(), count);
}

/// The caller's part in `to`.
void load_part(RankState& rank, const Reduction& reduction, const void* sendbuf,
               const PackedOutput& to, std::int64_t count) {
  if (sendbuf == MPI_IN_PLACE) return;
  pack(reduction.type(), sendbuf, count, to.data());
  rank.charge_copy(reduction.bytes(count));
}

/// `begin[i]` is the first element of rank i.
void reduce_and_scatter(const CollectiveCall& call, const Reduction& reduction, const void* sendbuf,
                        void* recvbuf, const std::vector<std::int64_t>& begin) {
  const auto me = static_cast<std::size_t>(call.comm.rank);
  const std::int64_t mine = begin[me + 1] - begin[me];
  const bool in_place = sendbuf == MPI_IN_PLACE;
  check_apart(sendbuf, recvbuf, reduction, mine);
  check_buffer(in_place ? recvbuf : sendbuf, begin.back(), reduction.type(),
               in_place ? "recvbuf" : "sendbuf");
  const PackedInput in(call, reduction.type(), in_place ? recvbuf : sendbuf, begin.back());
  if (!in_place) {
    const PackedOutput out(call, reduction.type(), recvbuf, mine);
    netmod::reduce_scatter(call, reduction, in.data(), out.data(), begin);
    out.store();
    return;
  }
  const Scratch out = call.memory(reduction.bytes(mine));  // the input is all of recvbuf
  netmod::reduce_scatter(call, reduction, in.data(), out.get(), begin);
  call.unpack(reduction.type(), out.get(), reduction.bytes(mine), recvbuf);
  call.charge_copy(reduction.bytes(mine));
}

}  // namespace

Reduction check_reduction(const CollectiveCall& call, const void* sendbuf, const void* recvbuf,
                          std::int64_t count, MPI_Datatype datatype, MPI_Op op, bool in_place,
                          bool receives) {
  if (call.schedule != nullptr) {
    if (const auto* made = call.rank.datatypes().made.find(datatype)) call.schedule->keep(*made);
  }
  return check_reduction(call.rank, sendbuf, recvbuf, count, datatype, op, in_place, receives);
}

void check_op(RankState& rank, MPI_Op op) {
  if (is_predefined_op(op) || rank.operations().made.find(op) != nullptr) return;
  fail_handle(MPI_ERR_OP, op, MPI_OP_NULL, "op", "MPI_OP_NULL", "an operation");
}

void reduce(const CollectiveCall& call, const void* sendbuf, void* recvbuf, int count,
            MPI_Datatype datatype, MPI_Op op, int root) {
  if (call.comm.inter()) return inter::reduce(call, sendbuf, recvbuf, count, datatype, op, root);
  check_root(call.comm, root);
  const bool at_root = call.comm.rank == root;
  const Reduction reduction =
      check_reduction(call, sendbuf, recvbuf, count, datatype, op, at_root, at_root);
  if (count == 0) return;
  const bool in_place = sendbuf == MPI_IN_PLACE;
  if (!at_root) {
    const PackedInput in(call, reduction.type(), sendbuf, count);
    netmod::reduce(call, reduction, in.data(), nullptr, count, root);
    return;
  }
  check_apart(sendbuf, recvbuf, reduction, count);
  const PackedOutput out(call, reduction.type(), recvbuf, count, in_place);
  const PackedInput in(call, reduction.type(), in_place ? recvbuf : sendbuf, count);
  netmod::reduce(call, reduction, in.data(), out.data(), count, root);
  out.store();
}

void allreduce(const CollectiveCall& call, const void* sendbuf, void* recvbuf, int count,
               MPI_Datatype datatype, MPI_Op op) {
  if (call.comm.inter()) return inter::allreduce(call, sendbuf, recvbuf, count, datatype, op);
  const Reduction reduction =
      check_reduction(call, sendbuf, recvbuf, count, datatype, op, true, true);
  if (count == 0) return;
  check_apart(sendbuf, recvbuf, reduction, count);
  const PackedOutput data(call, reduction.type(), recvbuf, count, sendbuf == MPI_IN_PLACE);
  load_part(call.rank, reduction, sendbuf, data, count);
  netmod::allreduce(call, reduction, data.data(), count);
  data.store();
}

void reduce_scatter_block(const CollectiveCall& call, const void* sendbuf, void* recvbuf,
                          int recvcount, MPI_Datatype datatype, MPI_Op op) {
  if (call.comm.inter())
    return inter::reduce_scatter_block(call, sendbuf, recvbuf, recvcount, datatype, op);
  const Reduction reduction =
      check_reduction(call, sendbuf, recvbuf, recvcount, datatype, op, true, true);
  std::vector<std::int64_t> begin;
  for (int i = 0; i <= call.comm.size(); ++i) begin.push_back(std::int64_t{recvcount} * i);
  reduce_and_scatter(call, reduction, sendbuf, recvbuf, begin);
}

void reduce_scatter(const CollectiveCall& call, const void* sendbuf, void* recvbuf,
                    const int* recvcounts, MPI_Datatype datatype, MPI_Op op) {
  if (call.comm.inter())
    return inter::reduce_scatter(call, sendbuf, recvbuf, recvcounts, datatype, op);
  check_pointer(recvcounts, "recvcounts");
  std::vector<std::int64_t> begin{0};
  for (int i = 0; i < call.comm.size(); ++i) {
    check_count(recvcounts[i], "an element of recvcounts");
    begin.push_back(begin.back() + recvcounts[i]);
  }
  const Reduction reduction =
      check_reduction(call, sendbuf, recvbuf, recvcounts[call.comm.rank], datatype, op, true, true);
  reduce_and_scatter(call, reduction, sendbuf, recvbuf, begin);
}

void scan(const CollectiveCall& call, const void* sendbuf, void* recvbuf, int count,
          MPI_Datatype datatype, MPI_Op op) {
  inter::refuse(call);
  const Reduction reduction =
      check_reduction(call, sendbuf, recvbuf, count, datatype, op, true, true);
  if (count == 0) return;
  check_apart(sendbuf, recvbuf, reduction, count);
  const PackedOutput data(call, reduction.type(), recvbuf, count, sendbuf == MPI_IN_PLACE);
  load_part(call.rank, reduction, sendbuf, data, count);
  netmod::scan(call, reduction, data.data(), nullptr, count);
  data.store();
}

void exscan(const CollectiveCall& call, const void* sendbuf, void* recvbuf, int count,
            MPI_Datatype datatype, MPI_Op op) {
  inter::refuse(call);
  const Reduction reduction =
      check_reduction(call, sendbuf, recvbuf, count, datatype, op, true, true);
  if (count == 0) return;
  check_apart(sendbuf, recvbuf, reduction, count);
  const std::int64_t bytes = reduction.bytes(count);
  const Scratch data = call.memory(bytes);
  const Scratch before = call.memory(bytes);
  pack(reduction.type(), sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, data.get());
  call.rank.charge_copy(bytes);
  netmod::scan(call, reduction, data.get(), before.get(), count);
  if (call.comm.rank == 0) return;
  call.unpack(reduction.type(), before.get(), bytes, recvbuf);
  call.charge_copy(bytes);
}

void reduce_local(RankState& rank, const void* inbuf, void* inoutbuf, int count,
                  MPI_Datatype datatype, MPI_Op op) {
  const Reduction reduction =
      check_reduction(rank, inbuf, inoutbuf, count, datatype, op, false, true);
  check_apart(inbuf, inoutbuf, reduction, count);
  const CollectiveCall call{rank, rank.communicators().self()};
  const PackedInput in(call, reduction.type(), inbuf, count);
  const PackedOutput inout(call, reduction.type(), inoutbuf, count, true);
  reduction.apply(in.data(), inout.data(), count);
  inout.store();
}

}  // namespace netmod::body
