// The parts of all ranks in a caller's buffer.
#include "netmod/mpi/collectives/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/datatypes/buffer_arguments.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/datatypes/datatypes.h"

namespace netmod {

Parts::Parts(const CollectiveCall& call, void* buffer, const int* counts, const int* displacements,
             MPI_Datatype datatype, const char* name)
    : call_(&call), buffer_(static_cast<std::byte*>(buffer)) {
  check_pointer(counts, "counts");
  const TypeView type = call.rank.datatypes().in_use(datatype);
  for (int i = 0; i < call.comm.peers().size(); ++i) {
    add(Part::of(counts, displacements, type, static_cast<std::size_t>(i)), name);
  }
  place();
}

Parts::Parts(const CollectiveCall& call, void* buffer, const int* counts, const int* displacements,
             const MPI_Datatype* datatypes, const char* name)
    : call_(&call), buffer_(static_cast<std::byte*>(buffer)) {
  check_pointer(counts, "counts");
  for (int i = 0; i < call.comm.peers().size(); ++i) {
    add(Part::of(call.rank, counts, displacements, datatypes, static_cast<std::size_t>(i)), name);
  }
  place();
}

Parts::Part Parts::Part::of(const int* counts, const int* displacements, const TypeView& type,
                            std::size_t i) {
  if (counts[i] == 0) return {0, 0, type};
  check_pointer(displacements, "displs");
  return {displaced(displacements[i], type), counts[i], type};
}

void Parts::add(const Part& part, const char* name) {
  check_count(part.count, "an element of counts");
  check_in_place(buffer_, part.count, name);
  check_buffer(buffer_ + (part.addressed ? part.offset : 0), part.count, part.type, name);
  gaps_ = gaps_ || !part.type.contiguous();
  parts_.push_back(part);
}

void Parts::place() {
  std::int64_t packed = 0;
  for (const Part& part : parts_) {
    const std::int64_t bytes = part.type.packed_bytes(part.count);
    pieces_.push_back({gaps_ ? packed : part.offset, bytes});
    if (__builtin_add_overflow(packed, bytes, &packed)) {
      fail(MPI_ERR_COUNT, "the parts of all ranks have more bytes than fit into 64 bits");
    }
  }
  if (gaps_) copy_ = call_->memory(packed);
}

void Parts::check_aliases(std::size_t i, const Side& own) const {
  const Part& part = parts_[i];
  if (own.in_place) return;
  netmod::check_aliases(own.buffer, own.type, own.count, buffer_ + part.offset, part.type,
                        part.count);
}

bool Parts::empty() const {
  return std::all_of(pieces_.begin(), pieces_.end(),
                     [](const Piece& piece) { return piece.bytes == 0; });
}

void Parts::load() const {
  for (std::size_t i = 0; i < parts_.size(); ++i) load(i);
}

void Parts::load(std::size_t i) const {
  if (!gaps_) return;
  const Part& part = parts_[i];
  pack(part.type, buffer_ + part.offset, part.count, data() + pieces_[i].offset);
  call_->rank.charge_copy(pieces_[i].bytes);
}

void Parts::store() const {
  if (!gaps_) return;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    call_->unpack(parts_[i].type, data() + pieces_[i].offset, pieces_[i].bytes,
                  buffer_ + parts_[i].offset);
    call_->charge_copy(pieces_[i].bytes);
  }
}

void Parts::set(std::size_t i, const std::byte* from, std::int64_t bytes) const {
  if (bytes > pieces_[i].bytes) {
    return call_->fail_late(
        {MPI_ERR_TRUNCATE,
         fmt::format("the caller's own part has {} bytes, its place {}", bytes, pieces_[i].bytes),
         MPI_COMM_NULL});
  }
  if (bytes != 0) {
    std::memcpy(data() + pieces_[i].offset, from, static_cast<std::size_t>(bytes));
  }
  call_->rank.charge_copy(bytes);
}

}  // namespace netmod
