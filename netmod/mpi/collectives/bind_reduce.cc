// MPI functions: reductions, and operations made by the program.
#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/collectives/collective_bodies.h"
#include "netmod/mpi/collectives/collective_call.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/operations/op.h"
#include "netmod/mpi/operations/operations.h"

using netmod::call;
using netmod::check_pointer;
using netmod::collective;
using netmod::CollectiveCall;
using netmod::RankState;

extern "C" {

int PMPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                int root, MPI_Comm comm) {
  return collective("MPI_Reduce", comm, [&](const CollectiveCall& call) {
    netmod::body::reduce(call, sendbuf, recvbuf, count, datatype, op, root);
  });
}
NETMOD_PUBLISH(Reduce);

int PMPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm) {
  return collective("MPI_Allreduce", comm, [&](const CollectiveCall& call) {
    netmod::body::allreduce(call, sendbuf, recvbuf, count, datatype, op);
  });
}
NETMOD_PUBLISH(Allreduce);

int PMPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return collective("MPI_Reduce_scatter_block", comm, [&](const CollectiveCall& call) {
    netmod::body::reduce_scatter_block(call, sendbuf, recvbuf, recvcount, datatype, op);
  });
}
NETMOD_PUBLISH(Reduce_scatter_block);

int PMPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return collective("MPI_Reduce_scatter", comm, [&](const CollectiveCall& call) {
    netmod::body::reduce_scatter(call, sendbuf, recvbuf, recvcounts, datatype, op);
  });
}
NETMOD_PUBLISH(Reduce_scatter);

int PMPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm) {
  return collective("MPI_Scan", comm, [&](const CollectiveCall& call) {
    netmod::body::scan(call, sendbuf, recvbuf, count, datatype, op);
  });
}
NETMOD_PUBLISH(Scan);

int PMPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                MPI_Comm comm) {
  return collective("MPI_Exscan", comm, [&](const CollectiveCall& call) {
    netmod::body::exscan(call, sendbuf, recvbuf, count, datatype, op);
  });
}
NETMOD_PUBLISH(Exscan);

int PMPI_Reduce_local(const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype,
                      MPI_Op op) {
  return call("MPI_Reduce_local", [&](RankState& rank) {
    netmod::body::reduce_local(rank, inbuf, inoutbuf, count, datatype, op);
  });
}
NETMOD_PUBLISH(Reduce_local);

int PMPI_Op_create(MPI_User_function* function, int commute, MPI_Op* op) {
  return call("MPI_Op_create", [&](RankState& rank) {
    if (function == nullptr) netmod::fail_pointer("function");
    check_pointer(op, "op");
    netmod::UserOp* made = rank.operations().made.add(*op);
    if (made == nullptr) netmod::fail(MPI_ERR_NO_MEM, "too many operations");
    *made = {function, commute != 0};
  });
}
NETMOD_PUBLISH(Op_create);

int PMPI_Op_free(MPI_Op* op) {
  return call("MPI_Op_free", [&](RankState& rank) {
    check_pointer(op, "op");
    netmod::body::check_op(rank, *op);
    if (netmod::is_predefined_op(*op)) {
      netmod::fail(MPI_ERR_OP, "a predefined operation cannot be freed");
    }
    rank.operations().made.remove(*op);
    *op = MPI_OP_NULL;
  });
}
NETMOD_PUBLISH(Op_free);

int PMPI_Op_commutative(MPI_Op op, int* commute) {
  return call("MPI_Op_commutative", [&](RankState& rank) {
    check_pointer(commute, "commute");
    netmod::body::check_op(rank, op);
    const netmod::UserOp* user = rank.operations().made.find(op);
    *commute = user == nullptr ? (op != MPI_REPLACE && op != MPI_NO_OP) : user->commutative;
  });
}
NETMOD_PUBLISH(Op_commutative);

}  // extern "C"
