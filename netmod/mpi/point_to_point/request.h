// Requests of the MPI interface: what lies behind an MPI_Request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "netmod/device/interface/device.h"
#include "netmod/include/mpi.h"
#include "netmod/mpi/collectives/engine/schedule.h"
#include "netmod/mpi/datatypes/datatype.h"

namespace netmod {

class RankState;

/// A message operation, checked, as the caller gave it.
struct Operation {
  void* buffer = nullptr;  ///< of a send: only read
  std::int64_t count = 0;
  TypeView type;
  int peer = MPI_PROC_NULL;  ///< rank in the communicator, MPI_ANY_SOURCE or MPI_PROC_NULL
  int tag = 0;
  MPI_Comm comm = MPI_COMM_NULL;  ///< whose error handler hears of it; may have been freed
  bool receive = false;
  bool synchronous = false;
  int own_rank = 0;           ///< the sender's, in the communicator
  int job_rank = 0;           ///< the destination's in the job
  std::uint32_t context = 0;  ///< of the communicator's messages
  bool buffered = false;
  TakenMessage* taken = nullptr;  ///< the message to receive
};

/// What the program does itself (MPI_Grequest_start): complete when it says so.
class Generalized final : public Request {
 public:
  Generalized(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
              MPI_Grequest_cancel_function* cancel_fn, void* extra_state)
      : query_(query), free_(free), cancel_(cancel_fn), extra_state_(extra_state) {}

  void finish() { set_complete(); }
  // The program's functions, and the codes that they return. The status may be ignored.
  int fill(MPI_Status* status) const;
  int end() const { return free_ == nullptr ? MPI_SUCCESS : free_(extra_state_); }
  int cancel() const {
    return cancel_ == nullptr ? MPI_SUCCESS : cancel_(extra_state_, complete() ? 1 : 0);
  }

 private:
  MPI_Grequest_query_function* query_;
  MPI_Grequest_free_function* free_;
  MPI_Grequest_cancel_function* cancel_;
  void* extra_state_;
};

/// What a persistent request repeats, where a datatype with gaps has its bytes meanwhile, or the
/// steps of a collective.
struct RequestExtras {
  Operation operation;
  std::shared_ptr<const Datatype> kept_type;  ///< the program may free its handle
  std::unique_ptr<std::byte[]> packed;
  std::unique_ptr<Schedule> schedule;
  std::unique_ptr<Generalized> generalized;
  std::shared_ptr<Request> transfer;  ///< a one-sided one
  std::shared_ptr<Request> buffered;  ///< a buffered send's message, whose bytes are elsewhere
};

struct RequestRecord {
  Request* device = nullptr;  ///< the device's, or one of `extras`; null: inactive, or complete
  SentMessage sent;           ///< if complete, and an eager send
  std::unique_ptr<RequestExtras> extras;
  MPI_Comm comm = MPI_COMM_NULL;  ///< whose error handler hears of it
  bool persistent = false;
  bool active = false;
  bool to_nobody = false;  ///< the peer is MPI_PROC_NULL
  bool abandoned = false;  ///< MPI_Request_free while under way

  bool collective() const { return extras != nullptr && extras->schedule != nullptr; }
  bool one_sided() const { return extras != nullptr && extras->transfer != nullptr; }
  /// `device` is not the record's alone.
  bool shares_message() const {
    return device != nullptr && extras != nullptr && device == extras->buffered.get();
  }
  Generalized* generalized() const {
    return extras == nullptr ? nullptr : extras->generalized.get();
  }
  bool done() const { return device == nullptr || device->complete(); }
};

/// Starts the operation and makes its request.
MPI_Request start_request(RankState& rank, const Operation& operation);
/// Starts a collective that has been written down and makes its request.
MPI_Request start_schedule(RankState& rank, MPI_Comm comm, std::unique_ptr<Schedule> schedule);
/// Makes the request of a one-sided transfer that has been started.
MPI_Request make_transfer_request(RankState& rank, std::shared_ptr<Request> transfer);
/// Makes the request of an operation that is complete.
MPI_Request make_complete(RankState& rank, const Operation& operation);
/// Starts a buffered send's message, whose bytes are at operation.buffer until it is complete.
std::shared_ptr<Request> start_buffered(RankState& rank, const Operation& operation);
/// Makes the request of a buffered send: complete. `message` is null if there is no rank to send
/// to.
MPI_Request make_buffered_request(RankState& rank, const Operation& operation,
                                  std::shared_ptr<Request> message);
/// Makes a request that the program completes, and completes it.
MPI_Request start_generalized(RankState& rank, std::unique_ptr<Generalized> generalized);
void complete_generalized(RankState& rank, MPI_Request request);
/// Makes an inactive persistent request, and starts one.
MPI_Request make_persistent(RankState& rank, const Operation& operation);
void start_persistent(RankState& rank, RequestRecord& record);

/// The record of a handle that is not MPI_REQUEST_NULL; MPI_ERR_REQUEST if there is none.
RequestRecord& find_request(RankState& rank, MPI_Request request);

/// Ends a done request: moves a received message to its place, fills `status` (unless ignored),
/// frees the record or makes it inactive, sets the handle. Returns MPI_SUCCESS or the class.
int finish_request(RankState& rank, MPI_Request& request, MPI_Status* status);
/// finish_request() that throws what went wrong.
void finish_or_fail(RankState& rank, MPI_Request& request, MPI_Status* status);
/// Fills the status of a done request, which stays.
void look_at_request(RankState& rank, const RequestRecord& record, MPI_Status* status);
/// MPI_Cancel of a send or receive: from now on the request is done when it is known whether that
/// succeeded.
void cancel_message(RankState& rank, RequestRecord& record);
/// The handle is given up; the operation goes on.
void abandon_request(RankState& rank, MPI_Request& request);
/// Ends abandoned requests that are done.
void sweep_abandoned(RankState& rank);

/// Blocking: the operation from start to end; a receive fills `status`.
void run_send(RankState& rank, const Operation& operation);
void run_receive(RankState& rank, const Operation& operation, MPI_Status* status);

/// Statuses; all accept MPI_STATUS_IGNORE.
void set_status(MPI_Status* status, int source, int tag, std::uint64_t bytes, bool cancelled);
void set_empty_status(MPI_Status* status);
void set_status(MPI_Status* status, const Completion& completion);
std::uint64_t status_bytes(const MPI_Status& status);

}  // namespace netmod
