// A rank's MPI state: start, end, lookup of handles, the lock.
#include "netmod/mpi/calls/rank_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "corespec/events/prefetch_lines.h"
#include "corespec/threads/node.h"
#include "corespec/time/time.h"
#include "netmod/mpi/attributes/attributes.h"
#include "netmod/mpi/environment/situation.h"
#include "netmod/mpi/windows/window.h"

namespace netmod {
namespace {

// Out of line: the text would take room on the stack of every call that could fail.
[[noreturn, gnu::noinline, gnu::cold]] void fail_uncommitted(MPI_Datatype handle) {
  fail(MPI_ERR_TYPE, fmt::format("datatype {} has not been committed", handle_text(handle)));
}

TypeView view_of(const BasicType& type) {
  return {type.handle, type.size, type.size, nullptr, &type};
}

TypeView view_of(MPI_Datatype handle, const Datatype& layout) {
  return {handle, layout.size, layout.extent(), &layout, layout.basic};
}

}  // namespace

RankState::RankState(corespec::Process& process, ThreadLevel requested, GniCalls calls)
    : device_(Device::open(process, requested, calls)),
      process_(&process),
      parameters_(&process.job().parameters()),
      collective_rules_(parse_rules(parameters_->collectives)),
      main_thread_(corespec::this_thread_or_null()),
      level_(device_->granted_level()),
      universe_size_(process.job().size()) {
  world_.handle = MPI_COMM_WORLD;
  world_.rank = process.rank();
  world_.group = Group(0, 1, process.job().size());
  world_.context = 0;
  self_.handle = MPI_COMM_SELF;
  self_.group = Group(process.rank(), 1, 1);
  self_.context = 1;
}

RankState::~RankState() {
  // What the program left asks finalized() when it goes.
  device_.reset();
  extras_.reset();
  requests = HandleTable<RequestRecord>(HandleKind::request);
}

void RankState::prefetch(corespec::LineRequests& lines) const {
  lines.add(&world_);  // the line before it is there
}

void RankState::add_facts(corespec::Situation& to) { netmod::add_facts(*this, to); }

void RankState::finalize() {
  if (delete_attributes(*this, self_) != MPI_SUCCESS) {
    fail(MPI_ERR_OTHER, "the delete function of an attribute of MPI_COMM_SELF failed");
  }
  const AwaitedSends for_people(*this);
  wait_until([this] {
    sweep_abandoned(*this);
    const bool sent =
        extras_ == nullptr ||
        std::all_of(extras_->attached.pending.begin(), extras_->attached.pending.end(),
                    [](const auto& pending) { return pending.message->complete(); });
    return sent && abandoned.empty();
  });
  if (extras_ != nullptr) extras_->attached = AttachedBuffer();
  device_->close();
  if (locked()) give_lock();
  device_.reset();
  // MPI's end is PMI's, as its start is: who has called PMI_Init too may leave it at that.
  for (const auto library : {corespec::Process::Slot::mpi, corespec::Process::Slot::pmi}) {
    process_->end_library(library);
  }
}

void RankState::wait_until(const Condition& awaited) {
  if (awaited.holds()) return;
  const AwaitedCondition for_people(*this, awaited);
  if (!locked()) {
    device_->wait_until(awaited);
    return;
  }
  // Another thread may have the lock while this one waits.
  lock_owner_.store(nullptr, std::memory_order_relaxed);
  device_->wait_until(awaited);
  lock_owner_.store(corespec::this_thread_or_null(), std::memory_order_relaxed);
}

void RankState::run(Schedule& schedule) {
  if (schedule.advance()) return;
  schedules_.push_back(&schedule);
  device_->listen(this);
}

void RankState::passed() {
  for (std::size_t i = 0; i < schedules_.size();) {  // a step may start another
    if (schedules_[i]->advance()) {
      schedules_.erase(schedules_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  if (schedules_.empty()) device_->listen(nullptr);
}

bool RankState::take_lock() {
  const corespec::Thread* caller = corespec::this_thread_or_null();
  if (lock_owner_.load(std::memory_order_relaxed) == caller) return false;
  device_->lock();
  lock_owner_.store(caller, std::memory_order_relaxed);
  return true;
}

void RankState::give_lock() {
  if (device_ == nullptr) return;  // MPI_Finalize has given it
  lock_owner_.store(nullptr, std::memory_order_relaxed);
  device_->unlock();
}

void RankState::charge_copy(std::int64_t bytes) const {
  if (bytes > 0) {
    corespec::charge(
        corespec::Time::for_bytes(static_cast<std::uint64_t>(bytes), parameters_->memory_copy));
  }
}

Communicator* RankState::find_communicator(MPI_Comm handle) {
  if (handle == MPI_COMM_WORLD) return &world_;
  if (handle == MPI_COMM_SELF) return &self_;
  const auto* found = communicators.find(handle);
  return found == nullptr ? nullptr : found->get();
}

Communicator& RankState::communicator(MPI_Comm handle) {
  if (Communicator* found = find_communicator(handle)) return *found;
  fail_handle(MPI_ERR_COMM, handle, MPI_COMM_NULL, "comm", "MPI_COMM_NULL", "a communicator");
}

const Datatype& RankState::layout_of(MPI_Datatype handle) {
  const auto number =
      static_cast<std::uint32_t>(handle) - static_cast<std::uint32_t>(MPI_FLOAT_INT);
  if (number < padded_pair_count) return padded_pair_layout(number);
  if (const auto* found = datatypes.find(handle)) return **found;
  fail_handle(MPI_ERR_TYPE, handle, MPI_DATATYPE_NULL, "datatype", "MPI_DATATYPE_NULL",
              "a datatype");
}

TypeView RankState::known_type(MPI_Datatype handle) {
  if (const BasicType* basic = find_simple(handle)) return view_of(*basic);
  return view_of(handle, layout_of(handle));
}

TypeView RankState::type_in_use(MPI_Datatype handle) {
  if (const BasicType* basic = find_simple(handle)) [[likely]] {
    return view_of(*basic);
  }
  const Datatype& layout = layout_of(handle);
  if (!layout.committed) fail_uncommitted(handle);
  return view_of(handle, layout);
}

const Group& RankState::group(MPI_Group handle) {
  static const Group empty;
  if (handle == MPI_GROUP_EMPTY) return empty;
  if (const Group* found = groups.find(handle)) return *found;
  fail_handle(MPI_ERR_GROUP, handle, MPI_GROUP_NULL, "group", "MPI_GROUP_NULL", "a group");
}

MPI_Group RankState::add_group(Group group) {
  if (group.size() == 0) return MPI_GROUP_EMPTY;
  MPI_Group handle = MPI_GROUP_NULL;
  Group* made = groups.add(handle);
  if (made == nullptr) fail(MPI_ERR_NO_MEM, "too many groups");
  *made = std::move(group);
  return handle;
}

}  // namespace netmod
