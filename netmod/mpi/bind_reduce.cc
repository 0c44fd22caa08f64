// MPI functions: reductions, and operations made by the program.
#include <fmt/format.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "netmod/mpi/arguments.h"
#include "netmod/mpi/call_scope.h"
#include "netmod/mpi/collectives.h"
#include "netmod/mpi/packed.h"

namespace netmod {
namespace {

const UserOp* find_user_op(RankState& rank, MPI_Op op) { return rank.operations.find(op); }

void check_op(RankState& rank, MPI_Op op) {
  if (is_predefined_op(op) || find_user_op(rank, op) != nullptr) return;
  fail(MPI_ERR_OP, op == MPI_OP_NULL
                       ? std::string("op is MPI_OP_NULL")
                       : fmt::format("op is {:#010x}, which is not an operation", op));
}

/// The operation bound to the datatype; MPI_ERR_OP if it is not defined on it.
Reduction bind(RankState& rank, MPI_Op op, const TypeView& type) {
  check_op(rank, op);
  if (const UserOp* user = find_user_op(rank, op)) return {nullptr, user, type};
  const Kernel kernel = type.basic == nullptr ? nullptr : find_kernel(op, *type.basic);
  if (kernel == nullptr) {
    fail(MPI_ERR_OP,
         fmt::format("the predefined operation {:#010x} is not defined on {}", op,
                     type.basic == nullptr ? "a datatype of mixed elements" : type.basic->name));
  }
  return {kernel, nullptr, type};
}

/// Arguments of a reduction, checked.
Reduction check_reduction(RankState& rank, const void* sendbuf, const void* recvbuf,
                          std::int64_t count, MPI_Datatype datatype, MPI_Op op, bool in_place,
                          bool receives) {
  check_count(count);
  const TypeView type = rank.type_in_use(datatype);
  if (sendbuf == MPI_IN_PLACE && !in_place) {
    fail(MPI_ERR_BUFFER, "sendbuf is MPI_IN_PLACE, which is allowed at the root only");
  }
  if (receives && recvbuf == MPI_IN_PLACE) fail(MPI_ERR_BUFFER, "recvbuf is MPI_IN_PLACE");
  if (sendbuf != MPI_IN_PLACE) check_buffer(sendbuf, count, type, "sendbuf");
  if (receives) check_buffer(recvbuf, count, type, "recvbuf");
  return bind(rank, op, type);
}

/// The caller's part in `to`.
void load_part(RankState& rank, const Reduction& reduction, const void* sendbuf,
               const PackedOutput& to, std::int64_t count) {
  if (sendbuf == MPI_IN_PLACE) return;
  pack(reduction.type(), sendbuf, count, to.data());
  rank.charge_copy(reduction.bytes(count));
}

/// Reduces to rank 0 and scatters the parts; `begin[i]` is the first element of rank i.
void reduce_and_scatter(RankState& rank, const Communicator& comm, const Reduction& reduction,
                        const void* sendbuf, void* recvbuf,
                        const std::vector<std::int64_t>& begin) {
  const std::int64_t total = begin.back();
  const auto me = static_cast<std::size_t>(comm.rank);
  const std::int64_t mine = begin[me + 1] - begin[me];
  const PackedInput in(rank, reduction.type(), sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, total);
  Bytes result;
  if (comm.rank == 0) result = make_bytes(reduction.bytes(total));
  reduce(rank, comm, reduction, in.data(), result.get(), total, 0);
  std::vector<Piece> pieces;
  for (std::size_t i = 0; comm.rank == 0 && i + 1 < begin.size(); ++i) {
    pieces.push_back({reduction.bytes(begin[i]), reduction.bytes(begin[i + 1] - begin[i])});
  }
  const PackedOutput out(rank, reduction.type(), recvbuf, mine);
  scatter_pieces(rank, comm, result.get(), pieces, out.data(), reduction.bytes(mine), 0);
  out.store();
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::check_pointer;
using netmod::RankState;
using netmod::Reduction;

extern "C" {

int PMPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                int root, MPI_Comm comm) {
  return call("MPI_Reduce", comm, [&](RankState& rank) {
    const netmod::Communicator& on = rank.communicator(comm);
    netmod::check_root(on, root);
    const bool at_root = on.rank == root;
    const Reduction reduction =
        netmod::check_reduction(rank, sendbuf, recvbuf, count, datatype, op, at_root, at_root);
    if (count == 0) return;
    const bool in_place = sendbuf == MPI_IN_PLACE;
    if (!at_root) {
      const netmod::PackedInput in(rank, reduction.type(), sendbuf, count);
      netmod::reduce(rank, on, reduction, in.data(), nullptr, count, root);
      return;
    }
    const netmod::PackedOutput out(rank, reduction.type(), recvbuf, count, in_place);
    const netmod::PackedInput in(rank, reduction.type(), in_place ? recvbuf : sendbuf, count);
    netmod::reduce(rank, on, reduction, in.data(), out.data(), count, root);
    out.store();
  });
}
NETMOD_PUBLISH(Reduce);

int PMPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm) {
  return call("MPI_Allreduce", comm, [&](RankState& rank) {
    const netmod::Communicator& on = rank.communicator(comm);
    const Reduction reduction =
        netmod::check_reduction(rank, sendbuf, recvbuf, count, datatype, op, true, true);
    if (count == 0) return;
    const netmod::PackedOutput data(rank, reduction.type(), recvbuf, count,
                                    sendbuf == MPI_IN_PLACE);
    netmod::load_part(rank, reduction, sendbuf, data, count);
    netmod::allreduce(rank, on, reduction, data.data(), count);
    data.store();
  });
}
NETMOD_PUBLISH(Allreduce);

int PMPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return call("MPI_Reduce_scatter_block", comm, [&](RankState& rank) {
    const netmod::Communicator& on = rank.communicator(comm);
    const Reduction reduction =
        netmod::check_reduction(rank, sendbuf, recvbuf, recvcount, datatype, op, true, true);
    std::vector<std::int64_t> begin;
    for (int i = 0; i <= on.size(); ++i) begin.push_back(std::int64_t{recvcount} * i);
    netmod::reduce_and_scatter(rank, on, reduction, sendbuf, recvbuf, begin);
  });
}
NETMOD_PUBLISH(Reduce_scatter_block);

int PMPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return call("MPI_Reduce_scatter", comm, [&](RankState& rank) {
    const netmod::Communicator& on = rank.communicator(comm);
    check_pointer(recvcounts, "recvcounts");
    std::vector<std::int64_t> begin{0};
    for (int i = 0; i < on.size(); ++i) {
      netmod::check_count(recvcounts[i], "an element of recvcounts");
      begin.push_back(begin.back() + recvcounts[i]);
    }
    const Reduction reduction = netmod::check_reduction(rank, sendbuf, recvbuf, recvcounts[on.rank],
                                                        datatype, op, true, true);
    netmod::reduce_and_scatter(rank, on, reduction, sendbuf, recvbuf, begin);
  });
}
NETMOD_PUBLISH(Reduce_scatter);

int PMPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm) {
  return call("MPI_Scan", comm, [&](RankState& rank) {
    const netmod::Communicator& on = rank.communicator(comm);
    const Reduction reduction =
        netmod::check_reduction(rank, sendbuf, recvbuf, count, datatype, op, true, true);
    if (count == 0) return;
    const netmod::PackedOutput data(rank, reduction.type(), recvbuf, count,
                                    sendbuf == MPI_IN_PLACE);
    netmod::load_part(rank, reduction, sendbuf, data, count);
    netmod::scan(rank, on, reduction, data.data(), nullptr, count);
    data.store();
  });
}
NETMOD_PUBLISH(Scan);

int PMPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                MPI_Comm comm) {
  return call("MPI_Exscan", comm, [&](RankState& rank) {
    const netmod::Communicator& on = rank.communicator(comm);
    const Reduction reduction =
        netmod::check_reduction(rank, sendbuf, recvbuf, count, datatype, op, true, true);
    if (count == 0) return;
    const netmod::Bytes data = netmod::make_bytes(reduction.bytes(count));
    const netmod::Bytes before = netmod::make_bytes(reduction.bytes(count));
    netmod::pack(reduction.type(), sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, data.get());
    rank.charge_copy(reduction.bytes(count));
    netmod::scan(rank, on, reduction, data.get(), before.get(), count);
    if (on.rank == 0) return;
    netmod::unpack(reduction.type(), before.get(), reduction.bytes(count), recvbuf);
    rank.charge_copy(reduction.bytes(count));
  });
}
NETMOD_PUBLISH(Exscan);

int PMPI_Reduce_local(const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype,
                      MPI_Op op) {
  return call("MPI_Reduce_local", [&](RankState& rank) {
    const Reduction reduction =
        netmod::check_reduction(rank, inbuf, inoutbuf, count, datatype, op, false, true);
    const netmod::PackedInput in(rank, reduction.type(), inbuf, count);
    const netmod::PackedOutput inout(rank, reduction.type(), inoutbuf, count, true);
    reduction.apply(in.data(), inout.data(), count);
    inout.store();
  });
}
NETMOD_PUBLISH(Reduce_local);

int PMPI_Op_create(MPI_User_function* function, int commute, MPI_Op* op) {
  return call("MPI_Op_create", [&](RankState& rank) {
    if (function == nullptr) netmod::fail_pointer("function");
    check_pointer(op, "op");
    netmod::UserOp* made = rank.operations.add(*op);
    if (made == nullptr) netmod::fail(MPI_ERR_NO_MEM, "too many operations");
    *made = {function, commute != 0};
  });
}
NETMOD_PUBLISH(Op_create);

int PMPI_Op_free(MPI_Op* op) {
  return call("MPI_Op_free", [&](RankState& rank) {
    check_pointer(op, "op");
    netmod::check_op(rank, *op);
    if (netmod::is_predefined_op(*op)) {
      netmod::fail(MPI_ERR_OP, "a predefined operation cannot be freed");
    }
    rank.operations.remove(*op);
    *op = MPI_OP_NULL;
  });
}
NETMOD_PUBLISH(Op_free);

int PMPI_Op_commutative(MPI_Op op, int* commute) {
  return call("MPI_Op_commutative", [&](RankState& rank) {
    check_pointer(commute, "commute");
    netmod::check_op(rank, op);
    const netmod::UserOp* user = netmod::find_user_op(rank, op);
    *commute = user == nullptr ? (op != MPI_REPLACE && op != MPI_NO_OP) : user->commutative;
  });
}
NETMOD_PUBLISH(Op_commutative);

}  // extern "C"
