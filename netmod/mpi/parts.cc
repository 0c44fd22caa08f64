// The parts of all ranks in a caller's buffer.
#include "netmod/mpi/parts.h"

#include <fmt/format.h>

#include <cstring>

namespace netmod {

Parts::Parts(const CollectiveCall& call, void* buffer, const int* counts, const int* displacements,
             MPI_Datatype datatype, const char* name)
    : call_(&call), buffer_(static_cast<std::byte*>(buffer)) {
  check_pointer(counts, "counts");
  check_pointer(displacements, "displs");
  const TypeView type = call.rank.type_in_use(datatype);
  for (int i = 0; i < call.comm.peers().size(); ++i) {
    add({displacements[i] * type.extent, counts[i], type}, name);
  }
  place();
}

Parts::Parts(const CollectiveCall& call, void* buffer, const int* counts, const int* displacements,
             const MPI_Datatype* datatypes, const char* name)
    : call_(&call), buffer_(static_cast<std::byte*>(buffer)) {
  check_pointer(counts, "counts");
  check_pointer(displacements, "displs");
  check_pointer(datatypes, "datatypes");
  for (int i = 0; i < call.comm.peers().size(); ++i) {
    add({displacements[i], counts[i], call.rank.type_in_use(datatypes[i]), true}, name);
  }
  place();
}

void Parts::add(const Part& part, const char* name) {
  check_count(part.count, "an element of counts");
  check_buffer(buffer_ + (part.addressed ? part.offset : 0), part.count, part.type, name);
  gaps_ = gaps_ || !part.type.contiguous();
  parts_.push_back(part);
}

void Parts::place() {
  std::int64_t packed = 0;
  for (const Part& part : parts_) {
    const std::int64_t bytes = part.type.packed_bytes(part.count);
    pieces_.push_back({gaps_ ? packed : part.offset, bytes});
    packed += bytes;
  }
  if (gaps_) copy_ = call_->memory(packed);
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
    fail(MPI_ERR_TRUNCATE,
         fmt::format("the caller's own part has {} bytes, its place {}", bytes, pieces_[i].bytes));
  }
  if (bytes != 0) {
    std::memcpy(data() + pieces_[i].offset, from, static_cast<std::size_t>(bytes));
  }
  call_->rank.charge_copy(bytes);
}

}  // namespace netmod
