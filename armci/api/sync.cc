// ARMCI functions: completion, atomics, mutexes, notification.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "armci/api/armci_call.h"
#include "corespec/threads/rank_memory.h"
#include "corespec/threads/situation.h"

using armci::Call;
using armci::Handle;
using armci::State;

namespace {

constexpr int note_tag = 1;  ///< of the library's own communicator; messages have others

enum class Rmw : int { unknown, fetch_and_add, fetch_and_add_long, swap, swap_long };

/// Of either dialect's constants.
Rmw rmw_of(int op) {
  switch (op) {
    case 0:
    case 12:
      return Rmw::fetch_and_add;
    case 1:
    case 13:
      return Rmw::fetch_and_add_long;
    case 2:
    case 10:
      return Rmw::swap;
    case 3:
    case 11:
      return Rmw::swap_long;
    default:
      return Rmw::unknown;
  }
}

void check_mutex(const Call& call, const char* function, int mutex, int proc) {
  if (call->mutex_counts.empty()) armci::fail(function, "there are no mutexes");
  if (!call.is_rank(proc)) armci::fail(function, "no such proc");
  const int count = call->mutex_counts[static_cast<std::size_t>(proc)];
  if (mutex >= 0 && mutex < count) return;
  const std::string what =
      fmt::format("mutex {} of proc {}: allowed is 0 to {}", mutex, proc, count - 1);
  armci::fail(function, what);
}

/// For a user's question what the rank does.
class AwaitedMutex final : public corespec::Awaited {
 public:
  AwaitedMutex(const State& state, int mutex, int proc)
      : Awaited(corespec::this_thread()), state_(state), mutex_(mutex), proc_(proc) {}
  bool describe(corespec::Situation& to) const override {
    to.details = fmt::format(" of mutex {} of {}", mutex_, corespec::Situation::rank(proc_));
    to.wants = state_.mutex_name(mutex_, proc_);
    return true;
  }

 private:
  const State& state_;
  int mutex_;
  int proc_;
};

void fence_all(State& state) {
  for (auto it = state.aggregates.begin(); it != state.aggregates.end();) {
    armci::flush(state, (it++)->first);
  }
  state.client().fence_all();
}

}  // namespace

extern "C" {

void ARMCI_INIT_HANDLE(armci_hdl_t* handle) { Handle(handle).clear(); }
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle) { Handle(handle).set_aggregates(true); }
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle) { Handle(handle).set_aggregates(false); }

int PARMCI_Wait(armci_hdl_t* hdl) {
  const Call call("ARMCI_Wait");
  Handle handle(hdl);
  if (!handle.given()) return armci::bad_base;
  if (handle.ticket() == 0) return armci::ok;
  const bool sent = armci::flush(call.state(), handle.ticket());
  const bool done = call->client().wait(handle.ticket());
  handle.done();
  return sent && done ? armci::ok : armci::refused;
}

int PARMCI_Test(armci_hdl_t* hdl) {
  const Call call("ARMCI_Test");
  Handle handle(hdl);
  if (!handle.given() || handle.ticket() == 0) return 0;
  armci::flush(call.state(), handle.ticket());
  bool failed = false;
  if (!call->client().test(handle.ticket(), failed)) return 1;
  handle.done();
  return 0;
}

int PARMCI_WaitProc(int proc) {
  const Call call("ARMCI_WaitProc");
  if (!call.is_rank(proc)) return armci::bad_proc;
  return call->client().wait(armci::implicit_ticket, proc) ? armci::ok : armci::refused;
}

int PARMCI_WaitAll(void) {
  const Call call("ARMCI_WaitAll");
  return call->client().wait(armci::implicit_ticket) ? armci::ok : armci::refused;
}

void PARMCI_Fence(int proc) {
  const Call call("ARMCI_Fence");
  if (!call.is_rank(proc)) armci::fail("ARMCI_Fence", "no such proc");
  call->client().fence(proc);
}

void PARMCI_AllFence(void) {
  const Call call("ARMCI_AllFence");
  fence_all(call.state());
}

void PARMCI_Barrier(void) {
  const Call call("ARMCI_Barrier");
  fence_all(call.state());
  PMPI_Barrier(call->world());
}

void ARMCI_GroupFence(ARMCI_Group*) {
  const Call call("ARMCI_GroupFence");
  fence_all(call.state());
}

int PARMCI_Rmw(int op, void* ploc, void* prem, int extra, int proc) {
  const Call call("ARMCI_Rmw");
  if (ploc == nullptr || prem == nullptr) return armci::bad_base;
  if (!call.is_rank(proc)) return armci::bad_proc;
  const Rmw rmw = rmw_of(op);
  if (rmw == Rmw::unknown) return armci::bad_array;
  const bool wide = rmw == Rmw::fetch_and_add_long || rmw == Rmw::swap_long;
  const bool swap = rmw == Rmw::swap || rmw == Rmw::swap_long;
  const std::size_t bytes = wide ? sizeof(std::int64_t) : sizeof(std::int32_t);
  const auto remote = reinterpret_cast<std::uint64_t>(prem);
  if (remote % bytes != 0) return armci::bad_bytes;
  std::int64_t operand = extra;
  if (swap) {
    operand = 0;
    std::memcpy(&operand, ploc, bytes);
  }
  std::int64_t old = 0;
  const armci::Update update = swap ? armci::Update::swap : armci::Update::add;
  if (!call->client().read_modify_write(update, wide, remote, proc, operand, old)) {
    return armci::refused;
  }
  std::memcpy(ploc, &old, bytes);
  return armci::ok;
}

int PARMCI_Create_mutexes(int num) {
  const Call call("ARMCI_Create_mutexes");
  if (!call->mutex_counts.empty()) return armci::bad_base;  // at all ranks
  std::vector<int> counts = corespec::rank_vector<int>(call->size());
  PMPI_Allgather(&num, 1, MPI_INT, counts.data(), 1, MPI_INT, call->world());
  if (num < 0) return armci::bad_bytes;
  if (*std::min_element(counts.begin(), counts.end()) < 0) return armci::refused;
  ++call->mutex_set;
  call->mutex_counts.assign(counts.begin(), counts.end());
  return armci::ok;
}

int PARMCI_Destroy_mutexes(void) {
  const Call call("ARMCI_Destroy_mutexes");
  if (call->mutex_counts.empty()) return armci::bad_base;
  PMPI_Barrier(call->world());
  call->mutex_counts.clear();
  call->mutexes_held.clear();
  return armci::ok;
}

void PARMCI_Lock(int mutex, int proc) {
  const Call call("ARMCI_Lock");
  check_mutex(call, "ARMCI_Lock", mutex, proc);
  const AwaitedMutex for_people(call.state(), mutex, proc);
  call->client().lock(armci::mutex_number(call->mutex_set, mutex), proc);
  call->mutexes_held.emplace(mutex, proc);
}

void PARMCI_Unlock(int mutex, int proc) {
  const Call call("ARMCI_Unlock");
  check_mutex(call, "ARMCI_Unlock", mutex, proc);
  const bool held = call->client().unlock(armci::mutex_number(call->mutex_set, mutex), proc);
  call->mutexes_held.erase({mutex, proc});
  if (held) return;
  const std::string what = fmt::format("mutex {} of proc {} is not this rank's", mutex, proc);
  armci::fail("ARMCI_Unlock", what);
}

int armci_notify(int proc) {
  const Call call("armci_notify");
  if (!call.is_rank(proc)) armci::fail("armci_notify", "no such proc");
  call->client().fence(proc);
  PMPI_Send(nullptr, 0, MPI_BYTE, proc, note_tag, call->world());
  return ++call->notes[proc].sent;
}

int armci_notify_wait(int proc, int* waited) {
  const Call call("armci_notify_wait");
  if (!call.is_rank(proc)) armci::fail("armci_notify_wait", "no such proc");
  State::Notes& notes = call->notes[proc];
  const auto take = [&] {
    PMPI_Recv(nullptr, 0, MPI_BYTE, proc, note_tag, call->world(), MPI_STATUS_IGNORE);
    ++notes.arrived;
  };
  if (notes.arrived == notes.waited) take();
  ++notes.waited;
  for (int more = 1; more != 0;) {
    PMPI_Iprobe(proc, note_tag, call->world(), &more, MPI_STATUS_IGNORE);
    if (more != 0) take();
  }
  if (waited != nullptr) *waited = notes.waited;
  return notes.arrived;
}

}  // extern "C"

ARMCI_PUBLIC(Wait);
ARMCI_PUBLIC(Test);
ARMCI_PUBLIC(WaitProc);
ARMCI_PUBLIC(WaitAll);
ARMCI_PUBLIC(Fence);
ARMCI_PUBLIC(AllFence);
ARMCI_PUBLIC(Barrier);
ARMCI_PUBLIC(Rmw);
ARMCI_PUBLIC(Create_mutexes);
ARMCI_PUBLIC(Destroy_mutexes);
ARMCI_PUBLIC(Lock);
ARMCI_PUBLIC(Unlock);
