// Messages of collectives, over the device.
#include "netmod/mpi/transfer.h"

#include <fmt/format.h>

namespace netmod {

Request* Transfer::start_send(const void* data, std::int64_t bytes, int to) const {
  return state_->device().send(
      data, static_cast<std::size_t>(bytes), comm_->group.job_rank(lineup_.at(to)),
      {comm_->rank, tag_, comm_->collective_context()}, SendMode::standard);
}

Request* Transfer::start_receive(void* data, std::int64_t bytes, int from) const {
  return state_->device().receive(data, static_cast<std::size_t>(bytes),
                                  {lineup_.at(from), tag_, comm_->collective_context()});
}

bool Transfer::finish(Request* request, std::int64_t bytes) const {
  state_->wait(*request);
  const Completion completion = request->completion();
  const bool whole = !completion.truncated && completion.bytes == static_cast<std::uint64_t>(bytes);
  state_->device().release(request);
  return whole;
}

void Transfer::fail_size(std::int64_t bytes, int from) const {
  fail(MPI_ERR_TRUNCATE,
       fmt::format("rank {} of the communicator sent another size than the {} bytes expected: "
                   "counts and datatypes must match",
                   lineup_.at(from), bytes));
}

void Transfer::send(const void* data, std::int64_t bytes, int to) const {
  Request* request = start_send(data, bytes, to);
  state_->wait(*request);
  state_->device().release(request);
}

void Transfer::receive(void* data, std::int64_t bytes, int from) const {
  if (!finish(start_receive(data, bytes, from), bytes)) fail_size(bytes, from);
}

void Transfer::exchange(const void* out, std::int64_t out_bytes, int to, void* in,
                        std::int64_t in_bytes, int from) const {
  Request* receiving = start_receive(in, in_bytes, from);
  Request* sending = start_send(out, out_bytes, to);
  const bool whole = finish(receiving, in_bytes);
  state_->wait(*sending);
  state_->device().release(sending);
  if (!whole) fail_size(in_bytes, from);
}

}  // namespace netmod
