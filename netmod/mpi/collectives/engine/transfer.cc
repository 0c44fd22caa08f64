// Messages of collectives: over the device, or into a schedule.
#include "netmod/mpi/collectives/engine/transfer.h"

#include <fmt/format.h>

#include <cstring>

#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/datatypes/datatypes.h"

namespace netmod {

void CollectiveCall::fail_late(const MpiError& error) const {
  if (schedule != nullptr) {
    schedule->fail();
  } else if (failure != nullptr) {
    failure->note(error);
  } else {
    throw MpiError(error);
  }
}

void CollectiveCall::copy(std::byte* to, const std::byte* from, std::int64_t bytes) const {
  if (schedule != nullptr) {
    schedule->copy(to, from, bytes);
  } else if (bytes > 0 && to != from) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
}

void CollectiveCall::charge_copy(std::int64_t bytes) const {
  if (schedule != nullptr) {
    schedule->charge_copy(bytes);
  } else {
    rank.charge_copy(bytes);
  }
}

void CollectiveCall::reduce(const Reduction& reduction, const std::byte* in, std::byte* inout,
                            std::int64_t count) const {
  if (schedule != nullptr) {
    schedule->reduce(reduction, in, inout, count);
  } else {
    reduction.apply(in, inout, count);
  }
}

void CollectiveCall::unpack(const TypeView& type, const std::byte* packed, std::int64_t bytes,
                            void* data) const {
  if (schedule == nullptr) {
    netmod::unpack(type, packed, bytes, data);
    return;
  }
  // The program may free its handle meanwhile.
  if (const auto* made = rank.datatypes().made.find(type.handle)) schedule->keep(*made);
  schedule->call([=] { netmod::unpack(type, packed, bytes, data); });
}

Scratch CollectiveCall::memory(std::int64_t bytes) const {
  return schedule != nullptr ? Scratch(schedule->memory(bytes)) : Scratch(make_bytes(bytes));
}

int Transfer::tag_of(const CollectiveCall& call, Collective collective) {
  return call.schedule != nullptr ? call.schedule->tag() : static_cast<int>(collective);
}

Transfer Transfer::remote(const CollectiveCall& call) {
  const int tag = call.schedule != nullptr ? call.schedule->tag() + remote_schedule_tags
                                           : static_cast<int>(Collective::remote);
  return {call, Lineup::range(0, call.comm.remote->size(), call.comm.rank), tag, true};
}

Transfer Transfer::tagged(const CollectiveCall& call, int tag) {
  const Lineup all = Lineup::range(0, call.comm.peers().size(), call.comm.rank);
  return {call, all, tag, call.comm.inter()};
}

Request* Transfer::start_send(const void* data, std::int64_t bytes, int to, DataStays stays) const {
  const Communicator& comm = call_->comm;
  const int job_rank = (remote_ ? *comm.remote : comm.group).job_rank(lineup_.at(to));
  const Envelope envelope{comm.rank, tag_, comm.collective_context()};
  if (call_->failed()) [[unlikely]]
    bytes = 0;
  if (call_->schedule != nullptr) {
    call_->schedule->send(data, bytes, job_rank, envelope);
    return nullptr;
  }
  return call_->rank.device().send(data, static_cast<std::size_t>(bytes), job_rank, envelope,
                                   SendMode::standard, stays);
}

Request* Transfer::start_receive(void* data, std::int64_t bytes, int from) const {
  if (call_->schedule != nullptr) {
    call_->schedule->receive(data, bytes, envelope_from(from));
    return nullptr;
  }
  return call_->rank.device().receive(data, static_cast<std::size_t>(bytes), envelope_from(from));
}

Request* Transfer::start_receive(Sink& sink, std::int64_t bytes, int from) const {
  return call_->rank.device().receive(sink, static_cast<std::size_t>(bytes), envelope_from(from));
}

void Transfer::wait(Request* request) const {
  if (call_->schedule == nullptr) call_->rank.wait(*request);
}

bool Transfer::finish(Request* request, std::int64_t bytes) const {
  if (call_->schedule != nullptr) {
    call_->schedule->fence();
    return true;
  }
  call_->rank.wait(*request);
  const Completion completion = request->completion();
  const bool whole = !completion.truncated && completion.bytes == static_cast<std::uint64_t>(bytes);
  call_->rank.device().release(request);
  return whole;
}

void Transfer::finish_send(Request* request) const {
  if (call_->schedule != nullptr) {
    call_->schedule->fence();
    return;
  }
  call_->rank.wait(*request);
  call_->rank.device().release(request);
}

bool Transfer::finish_exchange(Request* receiving, std::int64_t bytes, Request* sending) const {
  // What has left at once is done with, before the wait.
  const bool sent = sending != nullptr && sending->complete();
  if (sent) finish_send(sending);
  const bool whole = finish(receiving, bytes);
  if (!sent) finish_send(sending);
  return whole;
}

void Transfer::fail_size(std::int64_t bytes, int from) const {
  call_->fail_late({MPI_ERR_TRUNCATE,
                    fmt::format("rank {} of the communicator sent another size than the {} bytes "
                                "expected, or has failed: counts and datatypes must match",
                                lineup_.at(from), bytes),
                    MPI_COMM_NULL});
}

void Transfer::send(const void* data, std::int64_t bytes, int to) const {
  finish_send(start_send(data, bytes, to));
}

void Transfer::receive(void* data, std::int64_t bytes, int from) const {
  if (!finish(start_receive(data, bytes, from), bytes)) fail_size(bytes, from);
}

void Transfer::exchange(const void* out, std::int64_t out_bytes, int to, void* in,
                        std::int64_t in_bytes, int from) const {
  Request* receiving = start_receive(in, in_bytes, from);
  Request* sending = start_send(out, out_bytes, to);
  if (!finish_exchange(receiving, in_bytes, sending)) fail_size(in_bytes, from);
}

}  // namespace netmod
