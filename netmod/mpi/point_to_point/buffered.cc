// Buffered sends.
#include "netmod/mpi/point_to_point/buffered.h"

#include <fmt/format.h>

#include <algorithm>

#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/datatypes/datatypes.h"
#include "netmod/mpi/point_to_point/awaited_messages.h"
#include "netmod/mpi/point_to_point/requests.h"

namespace netmod {
namespace {

/// Forgets the buffered messages that are out.
void sweep(AttachedBuffer& buffer) {
  std::erase_if(buffer.pending,
                [](const AttachedBuffer::Pending& pending) { return pending.message->complete(); });
}

/// Offset of `bytes` free bytes in the attached buffer, or -1; and their place in the list.
std::int64_t find_room(const AttachedBuffer& buffer, std::int64_t bytes, std::size_t& place) {
  std::int64_t end = 0;
  for (place = 0; place < buffer.pending.size(); ++place) {
    if (buffer.pending[place].offset - end >= bytes) return end;
    end = buffer.pending[place].offset + buffer.pending[place].bytes;
  }
  return buffer.size - end >= bytes ? end : -1;
}

[[noreturn]] void fail_room(std::int64_t room, const AttachedBuffer& attached) {
  fail(MPI_ERR_BUFFER, fmt::format("the message needs {} bytes of the attached buffer of {} bytes, "
                                   "which has no such room",
                                   room, attached.size));
}

}  // namespace

std::shared_ptr<Request> send_buffered(RankState& rank, Operation operation) {
  if (operation.peer == MPI_PROC_NULL) return nullptr;
  AttachedBuffer& attached = rank.requests().attached();
  const std::int64_t bytes = operation.type.packed_bytes(operation.count);
  if (bytes > attached.size) fail_room(bytes, attached);
  const std::int64_t room = bytes + MPI_BSEND_OVERHEAD;
  std::size_t place = 0;
  sweep(attached);
  std::int64_t offset = find_room(attached, room, place);
  if (offset < 0) {
    rank.device().progress();
    sweep(attached);
    offset = find_room(attached, room, place);
  }
  if (offset < 0) fail_room(room, attached);
  std::byte* copy = static_cast<std::byte*>(attached.memory) + offset;
  pack(operation.type, operation.buffer, operation.count, copy);
  rank.charge_copy(bytes);
  operation.buffer = copy;
  operation.count = bytes;
  operation.type = rank.datatypes().known(MPI_BYTE);
  std::shared_ptr<Request> message = start_buffered(rank, operation);
  const auto at = attached.pending.begin() + static_cast<std::ptrdiff_t>(place);
  attached.pending.insert(at, {message, offset, room, operation.context});
  return message;
}

void detach_buffer(RankState& rank) {
  AttachedBuffer& attached = rank.requests().attached();
  const AwaitedSends for_people(rank);
  rank.wait_until([&attached] {
    sweep(attached);
    return attached.pending.empty();
  });
  attached = AttachedBuffer();
}

}  // namespace netmod
