// All that the MPI library keeps for one rank.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/events/prefetch_lines.h"
#include "corespec/job/job.h"
#include "corespec/threads/process.h"
#include "corespec/threads/thread.h"
#include "netmod/device/interface/device.h"
#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/handles.h"
#include "netmod/mpi/calls/language.h"
#include "netmod/mpi/collectives/rules/choice.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/groups/communicator.h"
#include "netmod/mpi/groups/context.h"
#include "netmod/mpi/operations/op.h"
#include "netmod/mpi/point_to_point/request.h"

namespace netmod {

/// An error handler made by the program; lives as long as a handle or a communicator uses it.
struct ErrorHandler {
  MPI_Comm_errhandler_function* function = nullptr;
  int uses = 0;
};

/// What an attribute key is for.
enum class AttributeOwner : std::uint8_t { communicator, datatype, window };

/// An attribute key; lives as long as its handle or an attribute uses it. (Handles are integers:
/// the functions have the same type for all owners.)
struct KeyValue {
  MPI_Comm_copy_attr_function* copy = nullptr;
  MPI_Comm_delete_attr_function* erase = nullptr;
  void* extra_state = nullptr;
  int uses = 0;
  bool freed = false;  ///< its handle has been given up, though attributes may have it
  AttributeOwner owner = AttributeOwner::communicator;
  const KeyProxies* proxies = nullptr;  ///< null: the functions are C's
};

/// An error class or code that the program added; the first one is MPI_ERR_LASTCODE + 1.
struct AddedError {
  int error_class = 0;
  std::string text;
};

struct InfoObject {
  std::vector<std::pair<std::string, std::string>> pairs;  ///< in order of setting
};

/// A message that MPI_Mprobe found.
struct MatchedMessage {
  TakenMessage* message = nullptr;
  MPI_Comm comm = MPI_COMM_NULL;
};

/// MPI_Buffer_attach's memory: what MPI_Bsend may use, and uses.
struct AttachedBuffer {
  void* memory = nullptr;
  std::int64_t size = 0;
  struct Pending {
    std::shared_ptr<Request> message;
    std::int64_t offset;
    std::int64_t bytes;
    std::uint32_t context;  ///< of the message
  };
  std::vector<Pending> pending;  ///< by offset
};

struct Window;

/// What few ranks need: made when it is first asked for.
struct RankExtras {
  HandleTable<KeyValue> key_values{HandleKind::key_value, 1};
  HandleTable<std::shared_ptr<Window>> windows{HandleKind::window};
  HandleTable<InfoObject> infos{HandleKind::info, 2};
  HandleTable<MatchedMessage> messages{HandleKind::request};
  AttachedBuffer attached;
  /// Names and attributes that the program gave predefined datatypes.
  std::map<MPI_Datatype, ObjectExtras> predefined_types;
  int last_used_code = MPI_ERR_LASTCODE;  ///< MPI_LASTUSEDCODE
  std::vector<AddedError> added_errors;
  std::vector<MPI_Datatype> fortran_kinds;  ///< made by MPI_Type_create_f90_*
  /// Numbers of communicators, beside RankState::contexts: of agreements that begin only when
  /// everybody is known to have entered (non-blocking ones and those that have no parent), so that
  /// they never wait for each other.
  ContextNumbers late_contexts{1U << 30, false, {}};
};

/// One rank's MPI: hangs off its Process from MPI_Init to the end. Tables take memory with their
/// first object only. What every call touches is in the first two lines of memory.
class alignas(corespec::line_bytes) RankState final : public corespec::ProcessState,
                                                      private PassListener {
  std::unique_ptr<Device> device_;
  corespec::Process* process_;
  const corespec::Parameters* parameters_;
  std::vector<Rule> collective_rules_;
  Communicator world_;

 public:
  /// Opens the device. The caller is the main thread.
  RankState(corespec::Process& process, ThreadLevel requested, GniCalls calls = GniCalls::doors);
  ~RankState() override;
  void prefetch(corespec::LineRequests& lines) const override;
  void add_facts(corespec::Situation& to) override;

  corespec::Process& process() const { return *process_; }
  corespec::Job& job() const { return process_->job(); }
  const corespec::Parameters& parameters() const { return *parameters_; }
  Device& device() const { return *device_; }
  ThreadLevel level() const { return level_; }
  bool locked() const { return device_ != nullptr && device_->locked(); }
  const corespec::Thread* main_thread() const { return main_thread_; }
  bool finalized() const { return device_ == nullptr; }
  /// Collective over the job: completes everything and closes the device.
  void finalize();

  /// Objects by handle; each throws the class of its kind if there is none. A datatype must be
  /// committed for type_in_use(), not for known_type().
  Communicator& communicator(MPI_Comm handle);
  Communicator* find_communicator(MPI_Comm handle);
  TypeView type_in_use(MPI_Datatype handle);
  /// The same for `count` elements: of none the datatype is not looked at, as MPICH has it.
  TypeView type_in_use(MPI_Datatype handle, std::int64_t count) {
    if (count == 0) [[unlikely]]
      return {};
    return type_in_use(handle);
  }
  TypeView known_type(MPI_Datatype handle);
  const Group& group(MPI_Group handle);
  /// A new handle for a group.
  MPI_Group add_group(Group group);

  Communicator& world() { return world_; }
  Communicator& self() { return self_; }

  /// Makes progress until `request` is complete / the condition holds.
  void wait(Request& request) {
    if (!request.complete()) wait_until(Condition(request));
  }
  void wait_until(const Condition& awaited);

  /// Takes the first steps of a collective, and the others as they become possible.
  void run(Schedule& schedule);

  /// The library's lock, which one thread may take again (from a user's callback).
  bool take_lock();  ///< true if it was taken, false if the caller has it already
  void give_lock();

  /// The modelled cost of copying `bytes` between buffers.
  void charge_copy(std::int64_t bytes) const;

  const int* universe_size() const { return &universe_size_; }
  /// The user's rules of which algorithm a collective takes; they go before ours.
  std::span<const Rule> collective_rules() const { return collective_rules_; }

  HandleTable<std::unique_ptr<Communicator>> communicators{HandleKind::communicator, 2};
  HandleTable<Group> groups{HandleKind::group, 1};
  HandleTable<std::shared_ptr<Datatype>> datatypes{HandleKind::datatype, padded_pair_count};
  HandleTable<RequestRecord> requests{HandleKind::request};
  HandleTable<UserOp> operations{HandleKind::operation, 16};
  HandleTable<ErrorHandler> error_handlers{HandleKind::error_handler, 4};
  std::vector<MPI_Request> abandoned;  ///< freed by the program, still under way
  bool has_extras() const { return extras_ != nullptr; }
  RankExtras& extras() {
    if (extras_ == nullptr) extras_ = std::make_unique<RankExtras>();
    return *extras_;
  }

  /// Numbers of communicators that all members of a parent agree on while they wait, and the
  /// caller's alone.
  ContextNumbers contexts{2, false, {}};
  std::uint32_t next_own_context = 1U << 29;

 private:
  void passed() override;

  /// Of a type that is not a simple one; throws as known_type() does.
  const Datatype& layout_of(MPI_Datatype handle);

  std::unique_ptr<RankExtras> extras_;  ///< ~RankState() ends it after the device
  const corespec::Thread* main_thread_;
  std::atomic<const corespec::Thread*> lock_owner_{nullptr};
  ThreadLevel level_ = ThreadLevel::single;
  int universe_size_;
  std::vector<Schedule*> schedules_;  ///< under way, in order of their calls
  Communicator self_;
};

/// The calling rank's state, or null (no rank, or MPI_Init not called).
inline RankState* this_rank_or_null() {
  corespec::Process* process = corespec::this_process_or_null();
  if (process == nullptr) return nullptr;
  return static_cast<RankState*>(process->state(corespec::Process::Slot::mpi));
}

}  // namespace netmod
