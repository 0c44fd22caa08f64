// MPI functions: one-sided transfers.
#include <fmt/format.h>

#include <optional>

#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/datatypes/buffer_arguments.h"
#include "netmod/mpi/datatypes/checked.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/datatypes/datatypes.h"
#include "netmod/mpi/point_to_point/request.h"
#include "netmod/mpi/windows/accumulate.h"
#include "netmod/mpi/windows/epochs.h"
#include "netmod/mpi/windows/operation.h"
#include "netmod/mpi/windows/window_call.h"

namespace netmod {
namespace {

/// The caller's elements, as its arguments name them.
struct LocalArguments {
  const void* address;
  int count;
  MPI_Datatype datatype;
};
/// The target's.
struct RemoteArguments {
  int rank;
  MPI_Aint displacement;
  int count;
  MPI_Datatype datatype;
};

LocalData local_data(RankState& rank, const LocalArguments& arguments, const char* name) {
  check_count(arguments.count, "count");
  const TypeView type = rank.datatypes().in_use(arguments.datatype);
  check_buffer(arguments.address, arguments.count, type, name);
  return {static_cast<std::byte*>(const_cast<void*>(arguments.address)), arguments.count, type};
}

/// Of a target that is MPI_PROC_NULL nothing is asked.
void check_bytes(const LocalData& local, int target, std::int64_t remote) {
  if (local.bytes() == remote || target == MPI_PROC_NULL) return;
  fail(MPI_ERR_TYPE,
       fmt::format("the caller's elements have {} bytes, the target's {}", local.bytes(), remote));
}

/// The target's type and, unless it is MPI_PROC_NULL, its elements. `check` sees the type first.
template <class Check, class Use>
void with_remote(RankState& rank, Window& window, const RemoteArguments& arguments,
                 const Check& check, const Use& use) {
  check_count(arguments.count, "target_count");
  const TypeView type = rank.datatypes().in_use(arguments.datatype);
  check_elements(arguments.count, type);
  check(type, type.packed_bytes(arguments.count));
  if (arguments.rank == MPI_PROC_NULL) return;
  Target& target = begin_access(rank, window, arguments.rank);
  use(find_remote(rank, window, target, arguments.displacement, arguments.count, type));
}

/// The request of an operation that `start(operation)` starts; of one on MPI_PROC_NULL nothing is
/// to do.
template <class Run>
void with_request(RankState& rank, const Window& window, const RemoteArguments& remote,
                  MPI_Request* request, const Run& run) {
  check_pointer(request, "request");
  check_passive(window, "a transfer with a request");
  std::shared_ptr<OneSidedOperation> operation;
  run(&operation);
  if (remote.rank == MPI_PROC_NULL) {
    Operation nothing;
    *request = make_complete(rank, nothing);
  } else {
    *request = make_transfer_request(rank, std::move(operation));
  }
}

/// Where a request is wanted, the operation's record; it is left in `*wanted`.
std::shared_ptr<OneSidedOperation> record_for(RankState& rank, const RemoteData& remote,
                                              std::shared_ptr<OneSidedOperation>* wanted) {
  if (wanted == nullptr) return nullptr;
  *wanted = std::make_shared<OneSidedOperation>(rank, *remote.target);
  return *wanted;
}

enum class Direction : std::uint8_t { put, get };

void transfer(RankState& rank, Window& window, Direction direction, const LocalArguments& local,
              const RemoteArguments& remote, std::shared_ptr<OneSidedOperation>* wanted) {
  const LocalData own = local_data(rank, local, "origin_addr");
  with_remote(
      rank, window, remote,
      [&](const TypeView&, std::int64_t bytes) { check_bytes(own, remote.rank, bytes); },
      [&](const RemoteData& data) {
        const auto record = record_for(rank, data, wanted);
        if (direction == Direction::put) {
          put(rank, own, data, record);
        } else {
          get(rank, own, data, record);
        }
      });
}

void combine(RankState& rank, Window& window, MPI_Op op, const LocalArguments& local,
             const LocalArguments* result, const RemoteArguments& remote,
             std::shared_ptr<OneSidedOperation>* wanted) {
  LocalData own;
  if (op != MPI_NO_OP) own = local_data(rank, local, "origin_addr");
  LocalData fetched;
  if (result != nullptr) fetched = local_data(rank, *result, "result_addr");
  std::optional<Accumulation> accumulation;
  with_remote(
      rank, window, remote,
      [&](const TypeView& type, std::int64_t bytes) {
        accumulation.emplace(op, type, result != nullptr);
        if (op != MPI_NO_OP) check_bytes(own, remote.rank, bytes);
        if (result != nullptr) check_bytes(fetched, remote.rank, bytes);
      },
      [&](const RemoteData& data) {
        accumulate(rank, window, *accumulation, own, data, result != nullptr ? &fetched : nullptr,
                   record_for(rank, data, wanted));
      });
}

void check_comparable(const TypeView& type) {
  if (type.layout == nullptr) {
    switch (type.basic->kind) {
      case BasicKind::signed_integer:
      case BasicKind::unsigned_integer:
      case BasicKind::logical:
      case BasicKind::byte:
        return;
      case BasicKind::none:
      case BasicKind::floating:
      case BasicKind::complex:
      case BasicKind::character:
      case BasicKind::pair:
      case BasicKind::marker:
        break;
    }
  }
  fail(MPI_ERR_TYPE, "datatype is not an integer, a logical or a byte");
}

}  // namespace
}  // namespace netmod

using netmod::Direction;
using netmod::RankState;
using netmod::Window;
using netmod::window_call;

extern "C" {

int PMPI_Put(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
             int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
             MPI_Win win) {
  return window_call("MPI_Put", win, [&](RankState& rank, Window& window) {
    netmod::transfer(rank, window, Direction::put, {origin_addr, origin_count, origin_datatype},
                     {target_rank, target_disp, target_count, target_datatype}, nullptr);
  });
}
NETMOD_PUBLISH(Put);

int PMPI_Get(void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
             MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win) {
  return window_call("MPI_Get", win, [&](RankState& rank, Window& window) {
    netmod::transfer(rank, window, Direction::get, {origin_addr, origin_count, origin_datatype},
                     {target_rank, target_disp, target_count, target_datatype}, nullptr);
  });
}
NETMOD_PUBLISH(Get);

int PMPI_Rput(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
              int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
              MPI_Win win, MPI_Request* request) {
  return window_call("MPI_Rput", win, [&](RankState& rank, Window& window) {
    const netmod::RemoteArguments remote{target_rank, target_disp, target_count, target_datatype};
    netmod::with_request(rank, window, remote, request, [&](auto* operation) {
      netmod::transfer(rank, window, Direction::put, {origin_addr, origin_count, origin_datatype},
                       remote, operation);
    });
  });
}
NETMOD_PUBLISH(Rput);

int PMPI_Rget(void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
              MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
              MPI_Request* request) {
  return window_call("MPI_Rget", win, [&](RankState& rank, Window& window) {
    const netmod::RemoteArguments remote{target_rank, target_disp, target_count, target_datatype};
    netmod::with_request(rank, window, remote, request, [&](auto* operation) {
      netmod::transfer(rank, window, Direction::get, {origin_addr, origin_count, origin_datatype},
                       remote, operation);
    });
  });
}
NETMOD_PUBLISH(Rget);

int PMPI_Accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                    int target_rank, MPI_Aint target_disp, int target_count,
                    MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  return window_call("MPI_Accumulate", win, [&](RankState& rank, Window& window) {
    netmod::combine(rank, window, op, {origin_addr, origin_count, origin_datatype}, nullptr,
                    {target_rank, target_disp, target_count, target_datatype}, nullptr);
  });
}
NETMOD_PUBLISH(Accumulate);

int PMPI_Raccumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                     int target_rank, MPI_Aint target_disp, int target_count,
                     MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request) {
  return window_call("MPI_Raccumulate", win, [&](RankState& rank, Window& window) {
    const netmod::RemoteArguments remote{target_rank, target_disp, target_count, target_datatype};
    netmod::with_request(rank, window, remote, request, [&](auto* operation) {
      netmod::combine(rank, window, op, {origin_addr, origin_count, origin_datatype}, nullptr,
                      remote, operation);
    });
  });
}
NETMOD_PUBLISH(Raccumulate);

int PMPI_Get_accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                        void* result_addr, int result_count, MPI_Datatype result_datatype,
                        int target_rank, MPI_Aint target_disp, int target_count,
                        MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  return window_call("MPI_Get_accumulate", win, [&](RankState& rank, Window& window) {
    const netmod::LocalArguments result{result_addr, result_count, result_datatype};
    netmod::combine(rank, window, op, {origin_addr, origin_count, origin_datatype}, &result,
                    {target_rank, target_disp, target_count, target_datatype}, nullptr);
  });
}
NETMOD_PUBLISH(Get_accumulate);

int PMPI_Rget_accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                         void* result_addr, int result_count, MPI_Datatype result_datatype,
                         int target_rank, MPI_Aint target_disp, int target_count,
                         MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                         MPI_Request* request) {
  return window_call("MPI_Rget_accumulate", win, [&](RankState& rank, Window& window) {
    const netmod::LocalArguments result{result_addr, result_count, result_datatype};
    const netmod::RemoteArguments remote{target_rank, target_disp, target_count, target_datatype};
    netmod::with_request(rank, window, remote, request, [&](auto* operation) {
      netmod::combine(rank, window, op, {origin_addr, origin_count, origin_datatype}, &result,
                      remote, operation);
    });
  });
}
NETMOD_PUBLISH(Rget_accumulate);

int PMPI_Fetch_and_op(const void* origin_addr, void* result_addr, MPI_Datatype datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win) {
  return window_call("MPI_Fetch_and_op", win, [&](RankState& rank, Window& window) {
    const netmod::LocalArguments result{result_addr, 1, datatype};
    netmod::combine(rank, window, op, {origin_addr, 1, datatype}, &result,
                    {target_rank, target_disp, 1, datatype}, nullptr);
  });
}
NETMOD_PUBLISH(Fetch_and_op);

int PMPI_Compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr,
                          MPI_Datatype datatype, int target_rank, MPI_Aint target_disp,
                          MPI_Win win) {
  return window_call("MPI_Compare_and_swap", win, [&](RankState& rank, Window& window) {
    netmod::local_data(rank, {origin_addr, 1, datatype}, "origin_addr");
    netmod::local_data(rank, {compare_addr, 1, datatype}, "compare_addr");
    netmod::local_data(rank, {result_addr, 1, datatype}, "result_addr");
    netmod::with_remote(
        rank, window, {target_rank, target_disp, 1, datatype},
        [](const netmod::TypeView& type, std::int64_t) { netmod::check_comparable(type); },
        [&](const netmod::RemoteData& data) {
          netmod::compare_and_swap(rank, window, origin_addr, compare_addr, result_addr, data);
        });
  });
}
NETMOD_PUBLISH(Compare_and_swap);

}  // extern "C"
