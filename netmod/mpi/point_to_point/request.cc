// Requests: starting operations, completing them, giving them up.
#include "netmod/mpi/point_to_point/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "corespec/threads/rank_memory.h"

#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/collectives/engine/collective_state.h"
#include "netmod/mpi/datatypes/datatypes.h"
#include "netmod/mpi/groups/communicators.h"
#include "netmod/mpi/point_to_point/buffered.h"
#include "netmod/mpi/point_to_point/requests.h"

namespace netmod {
namespace {

/// Hands an operation to the device; `data` are its packed bytes.
Request* hand_over(RankState& rank, const Operation& operation, void* data,
                   DataStays stays = DataStays::until_complete) {
  const auto bytes = static_cast<std::size_t>(operation.type.packed_bytes(operation.count));
  if (operation.taken != nullptr) {
    return rank.device().receive_taken(data, bytes, operation.taken);
  }
  if (operation.receive) {
    return rank.device().receive(data, bytes, {operation.peer, operation.tag, operation.context});
  }
  return rank.device().send(
      data, bytes, operation.job_rank, {operation.own_rank, operation.tag, operation.context},
      operation.synchronous ? SendMode::synchronous : SendMode::standard, stays);
}

/// Where the device finds or puts the bytes: the caller's buffer, or `packed` if it has gaps.
void* device_data(RankState& rank, const Operation& operation,
                  std::unique_ptr<std::byte[]>& packed) {
  if (operation.type.contiguous()) return operation.buffer;
  const std::int64_t bytes = operation.type.packed_bytes(operation.count);
  if (packed == nullptr) {
    packed = corespec::rank_bytes(bytes);
  }
  if (!operation.receive) {
    pack(operation.type, operation.buffer, operation.count, packed.get());
    rank.charge_copy(bytes);
  }
  return packed.get();
}

/// MPI_ERR_TYPE if the message ends within a basic element (one that was cut off may).
int unpack_received(RankState& rank, const Operation& operation, const std::byte* packed,
                    const Completion& completion) {
  if (completion.cancelled) return MPI_SUCCESS;
  const auto bytes = static_cast<std::int64_t>(completion.bytes);
  unpack(operation.type, packed, bytes, operation.buffer);
  rank.charge_copy(bytes);
  return count_elements(operation.type, bytes) < 0 ? MPI_ERR_TYPE : MPI_SUCCESS;
}

std::unique_ptr<RequestExtras> make_extras(RankState& rank, const Operation& operation) {
  auto extras = std::make_unique<RequestExtras>();
  extras->operation = operation;
  if (const auto* made = rank.datatypes().made.find(operation.type.handle))
    extras->kept_type = *made;
  return extras;
}

RequestRecord& add_record(RankState& rank, const Operation& operation, MPI_Request& handle) {
  RequestRecord* record = rank.requests().made.add(handle);
  if (record == nullptr) fail(MPI_ERR_NO_MEM, "too many requests (allowed: 1048575 at a time)");
  record->comm = operation.comm;
  record->to_nobody = operation.peer == MPI_PROC_NULL;
  return *record;
}

/// Of a request that is no message: its extras say what it is.
RequestRecord& add_own_record(RankState& rank, MPI_Comm comm, MPI_Request& handle) {
  Operation operation;
  operation.comm = comm;
  RequestRecord& record = add_record(rank, operation, handle);
  record.active = true;
  record.to_nobody = false;
  record.extras = std::make_unique<RequestExtras>();
  return record;
}

[[noreturn, gnu::noinline, gnu::cold]] void fail_truncated(std::uint64_t capacity_hint,
                                                           const Completion& completion,
                                                           MPI_Comm comm) {
  fail(MPI_ERR_TRUNCATE,
       fmt::format("the message from rank {} with tag {} is longer than the receive buffer of {} "
                   "bytes",
                   completion.source, completion.tag, capacity_hint),
       comm);
}

[[noreturn, gnu::noinline, gnu::cold]] void fail_element(MPI_Comm comm) {
  fail(MPI_ERR_TYPE,
       "the message ends within an element: what was sent does not match the receive's datatype",
       comm);
}

[[noreturn]] void fail_request(MPI_Request request) {
  fail_handle(MPI_ERR_REQUEST, request, MPI_REQUEST_NULL, "request", "MPI_REQUEST_NULL",
              "a request");
}

/// Ends a generalized request; the first code that its functions gave.
int end_generalized(RequestRecord& record, MPI_Status* status) {
  const Generalized& generalized = *record.generalized();
  const int filled = generalized.fill(status);
  const int ended = generalized.end();
  record.device = nullptr;
  record.extras->generalized.reset();
  return filled != MPI_SUCCESS ? filled : ended;
}

/// Ends a collective; its error.
int end_schedule(RequestRecord& record) {
  const std::unique_ptr<Schedule> ended = std::move(record.extras->schedule);
  ended->undo_if_failed();
  return ended->error();
}

/// Ends the device's part of a done request.
int end_device_part(RankState& rank, RequestRecord& record, MPI_Status* status) {
  const Completion completion = record.device->completion();
  const bool gaps = record.extras != nullptr && record.extras->packed != nullptr;
  int result = MPI_SUCCESS;
  if (gaps && record.extras->operation.receive) {
    result =
        unpack_received(rank, record.extras->operation, record.extras->packed.get(), completion);
  }
  set_status(status, completion);
  if (completion.truncated) result = MPI_ERR_TRUNCATE;
  if (record.collective()) {
    result = end_schedule(record);
  } else if (record.one_sided()) {
    record.extras->transfer.reset();
  } else if (!record.shares_message()) {
    rank.device().release(record.device);
  }
  record.device = nullptr;
  return result;
}

}  // namespace

MPI_Request start_request(RankState& rank, const Operation& operation) {
  MPI_Request handle = MPI_REQUEST_NULL;
  RequestRecord& record = add_record(rank, operation, handle);
  record.active = true;
  if (record.to_nobody) return handle;
  if (operation.type.contiguous()) {
    record.device = hand_over(rank, operation, operation.buffer, DataStays::until_released);
    if (!operation.receive && record.device->complete() && !record.device->lends()) {
      // It has left: nothing more will be asked of it, and the next send finds it warm.
      record.sent = record.device->sent();
      rank.device().release(record.device);
      record.device = nullptr;
    }
  } else {
    record.extras = make_extras(rank, operation);
    record.device = hand_over(rank, operation, device_data(rank, operation, record.extras->packed),
                              DataStays::until_released);
  }
  return handle;
}

MPI_Request start_schedule(RankState& rank, MPI_Comm comm, std::unique_ptr<Schedule> schedule) {
  MPI_Request handle = MPI_REQUEST_NULL;
  RequestRecord& record = add_own_record(rank, comm, handle);
  record.extras->schedule = std::move(schedule);
  record.device = record.extras->schedule.get();
  // Counted here: a call that was refused has taken no tag, whatever the other ranks called.
  Communicator& on = *rank.communicators().find(comm);
  ++on.need_extras().schedules;
  on.enter();
  if (on.last_entered != nullptr) record.extras->schedule->set_call(on.last_entered, on.entered);
  rank.collectives().run(*record.extras->schedule);
  return handle;
}

MPI_Request make_transfer_request(RankState& rank, std::shared_ptr<Request> transfer) {
  MPI_Request handle = MPI_REQUEST_NULL;
  RequestRecord& record = add_own_record(rank, MPI_COMM_WORLD, handle);
  record.device = transfer.get();
  record.extras->transfer = std::move(transfer);
  return handle;
}

MPI_Request make_persistent(RankState& rank, const Operation& operation) {
  MPI_Request handle = MPI_REQUEST_NULL;
  RequestRecord& record = add_record(rank, operation, handle);
  record.persistent = true;
  record.extras = make_extras(rank, operation);
  return handle;
}

int Generalized::fill(MPI_Status* status) const {
  MPI_Status filled{};
  set_empty_status(&filled);
  const corespec::RankMemory own;
  const int code = query_ == nullptr ? MPI_SUCCESS : query_(extra_state_, &filled);
  if (status != MPI_STATUS_IGNORE) {
    filled.MPI_ERROR = status->MPI_ERROR;
    *status = filled;
  }
  return code;
}

MPI_Request make_complete(RankState& rank, const Operation& operation) {
  MPI_Request handle = MPI_REQUEST_NULL;
  add_record(rank, operation, handle).active = true;
  return handle;
}

std::shared_ptr<Request> start_buffered(RankState& rank, const Operation& operation) {
  return {hand_over(rank, operation, operation.buffer), [&rank](Request* message) {
            if (!rank.finalized()) rank.device().release(message);
          }};
}

MPI_Request make_buffered_request(RankState& rank, const Operation& operation,
                                  std::shared_ptr<Request> message) {
  const MPI_Request handle = make_complete(rank, operation);
  if (message == nullptr) return handle;
  RequestRecord& record = *rank.requests().made.find(handle);
  record.extras = std::make_unique<RequestExtras>();
  record.extras->buffered = std::move(message);
  return handle;
}

MPI_Request start_generalized(RankState& rank, std::unique_ptr<Generalized> generalized) {
  MPI_Request handle = MPI_REQUEST_NULL;
  RequestRecord& record = add_own_record(rank, MPI_COMM_WORLD, handle);
  record.extras->generalized = std::move(generalized);
  record.device = record.extras->generalized.get();
  return handle;
}

void complete_generalized(RankState& rank, MPI_Request request) {
  RequestRecord* record = rank.requests().made.find(request);
  if (record == nullptr) fail_request(request);
  Generalized* generalized = record->generalized();
  if (generalized == nullptr || generalized->complete()) {
    fail(MPI_ERR_REQUEST, "the request is not one that the program has to complete");
  }
  generalized->finish();
  if (record->abandoned) {
    const int code = generalized->end();
    rank.requests().made.remove(request);
    if (code != MPI_SUCCESS) fail(code, "the free function of a generalized request failed");
  } else {
    rank.device().wake();
  }
}

void start_persistent(RankState& rank, RequestRecord& record) {
  if (!record.persistent) fail(MPI_ERR_REQUEST, "the request is not a persistent one", record.comm);
  if (record.active) fail(MPI_ERR_REQUEST, "the request has been started already", record.comm);
  const Operation& operation = record.extras->operation;
  if (operation.buffered) {
    record.extras->buffered = send_buffered(rank, operation);
  } else if (!record.to_nobody) {
    record.device = hand_over(rank, operation, device_data(rank, operation, record.extras->packed),
                              DataStays::until_released);
  }
  record.active = true;
}

RequestRecord& find_request(RankState& rank, MPI_Request request) {
  RequestRecord* record = rank.requests().made.find(request);
  if (record == nullptr || record->abandoned) fail_request(request);
  return *record;
}

void look_at_request(RankState& rank, const RequestRecord& record, MPI_Status* status) {
  if (const Generalized* generalized = record.generalized()) {
    const int code = generalized->fill(status);
    if (code != MPI_SUCCESS) fail(code, "the query function of a generalized request failed");
  } else if (record.device != nullptr) {
    if (record.device->lends()) rank.device().end_loan(*record.device);
    set_status(status, record.device->completion());
  } else if (record.active && record.to_nobody) {
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
  } else {
    set_empty_status(status);
  }
}

int finish_request(RankState& rank, MPI_Request& request, MPI_Status* status) {
  RequestRecord& record = *rank.requests().made.find(request);
  int result = MPI_SUCCESS;
  if (record.generalized() != nullptr) {
    result = end_generalized(record, status);
  } else if (record.device != nullptr) {
    result = end_device_part(rank, record, status);
  } else {
    look_at_request(rank, record, status);
  }
  record.active = false;
  if (!record.persistent) {
    rank.requests().made.remove(request);
    request = MPI_REQUEST_NULL;
  }
  if (!rank.requests().abandoned.empty()) sweep_abandoned(rank);
  return result;
}

void finish_or_fail(RankState& rank, MPI_Request& request, MPI_Status* status) {
  RequestRecord& record = *rank.requests().made.find(request);
  const MPI_Comm comm = record.comm;
  const bool generalized = record.generalized() != nullptr;
  if (record.device == nullptr || !record.device->completion().truncated) {
    const int result = finish_request(rank, request, status);
    if (result == MPI_SUCCESS) return;
    if (!generalized) fail_element(comm);
    fail(result, "a function of a generalized request failed", comm);
  }
  const Completion completion = record.device->completion();
  const bool collective = record.collective();
  const int result = finish_request(rank, request, status);
  if (collective) {
    fail(result,
         result == MPI_ERR_TRUNCATE
             ? "ranks gave a non-blocking collective different counts or datatypes"
             : "a rank has too many communicators, so that none was made",
         comm);
  }
  fail_truncated(completion.bytes, completion, comm);
}

void cancel_message(RankState& rank, RequestRecord& record) {
  if (record.device == nullptr && record.extras != nullptr) {
    record.device = record.extras->buffered.get();
  }
  if (record.device != nullptr && !record.device->complete()) {
    rank.device().cancel(*record.device);
    return;
  }
  const SentMessage message = record.device != nullptr ? record.device->sent() : record.sent;
  if (message.number == 0) return;
  if (record.device != nullptr && !record.shares_message()) rank.device().release(record.device);
  record.device = rank.device().recall(message);
}

void abandon_request(RankState& rank, MPI_Request& request) {
  RequestRecord& record = find_request(rank, request);
  if (record.collective()) {
    fail(MPI_ERR_REQUEST, "the request of a collective cannot be freed", record.comm);
  }
  int code = MPI_SUCCESS;
  const bool packed = record.extras != nullptr && record.extras->packed != nullptr;
  if (record.generalized() != nullptr && !record.done()) {
    record.abandoned = true;  // MPI_Grequest_complete ends it
  } else if (record.generalized() != nullptr) {
    code = record.generalized()->end();
    rank.requests().made.remove(request);
  } else if (record.device != nullptr && packed) {
    record.abandoned = true;  // its packed bytes are still needed
    rank.requests().abandoned.push_back(request);
  } else {
    if (record.device != nullptr && !record.one_sided() && !record.shares_message()) {
      rank.device().release(record.device);
    }
    rank.requests().made.remove(request);
  }
  request = MPI_REQUEST_NULL;
  if (code != MPI_SUCCESS) fail(code, "the free function of a generalized request failed");
}

void sweep_abandoned(RankState& rank) {
  std::erase_if(rank.requests().abandoned, [&](MPI_Request request) {
    RequestRecord& record = *rank.requests().made.find(request);
    if (!record.done()) return false;
    end_device_part(rank, record, MPI_STATUS_IGNORE);
    rank.requests().made.remove(request);
    return true;
  });
}

void run_send(RankState& rank, const Operation& operation) {
  if (operation.peer == MPI_PROC_NULL) return;
  const corespec::WaitAhead ahead(corespec::this_thread());
  std::unique_ptr<std::byte[]> packed;
  Request* request = hand_over(rank, operation, device_data(rank, operation, packed));
  rank.wait(*request);
  rank.device().release(request);
}

void run_receive(RankState& rank, const Operation& operation, MPI_Status* status) {
  if (operation.peer == MPI_PROC_NULL) {
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
    return;
  }
  std::unique_ptr<std::byte[]> packed;
  Request* request = hand_over(rank, operation, device_data(rank, operation, packed));
  rank.wait(*request);
  const Completion completion = request->completion();
  int result = MPI_SUCCESS;
  if (packed != nullptr) result = unpack_received(rank, operation, packed.get(), completion);
  set_status(status, completion);
  rank.device().release(request);
  if (!rank.requests().abandoned.empty()) sweep_abandoned(rank);
  if (completion.truncated) [[unlikely]] {
    fail_truncated(completion.bytes, completion, operation.comm);
  }
  if (result != MPI_SUCCESS) [[unlikely]]
    fail_element(operation.comm);
}

}  // namespace netmod
