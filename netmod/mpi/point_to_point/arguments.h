// Checks of the arguments that many MPI calls share.
#pragma once

#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/datatypes/checked.h"

namespace netmod {

[[noreturn]] void fail_rank(const Communicator& comm, int rank, const char* name, bool wildcard);
[[noreturn]] void fail_tag(int tag, bool wildcard);
[[noreturn]] void fail_buffer(const char* name, std::int64_t count);
[[noreturn]] void fail_aliases();
[[noreturn]] void fail_in_place(const char* name);
[[noreturn]] void fail_root(const Communicator& comm, int root);

/// Where the handle of a new communicator goes: MPI_COMM_NULL until there is one.
inline void check_new(MPI_Comm* made, const char* name) {
  check_pointer(made, name);
  *made = MPI_COMM_NULL;
}

/// A rank that messages can go to: of the communicator, or MPI_PROC_NULL.
inline void check_destination(const Communicator& comm, int rank) {
  if (rank >= 0 && rank < comm.peers().size()) [[likely]]
    return;
  if (rank != MPI_PROC_NULL) fail_rank(comm, rank, "dest", false);
}
/// The same, or MPI_ANY_SOURCE.
inline void check_source(const Communicator& comm, int rank) {
  if (rank >= MPI_ANY_SOURCE && rank < comm.peers().size()) [[likely]]
    return;
  fail_rank(comm, rank, "source", true);
}
inline void check_send_tag(int tag) {
  if (tag < 0) fail_tag(tag, false);
}
inline void check_receive_tag(int tag) {
  if (tag < MPI_ANY_TAG) fail_tag(tag, true);
}
inline void check_root(const Communicator& comm, int root) {
  if (root < 0 || root >= comm.size()) fail_root(comm, root);
}
/// A null buffer is fine if nothing is in it, or if the datatype's displacements are addresses. The
/// elements' size and places fit into 64 bits.
inline void check_buffer(const void* buffer, std::int64_t count, const TypeView& type,
                         const char* name = "buf") {
  if (buffer == nullptr && count > 0 && type.size > 0 && type.layout == nullptr) {
    fail_buffer(name, count);
  }
  check_elements(count, type);
}

/// A buffer that has elements is not MPI_IN_PLACE.
inline void check_in_place(const void* buffer, std::int64_t count, const char* name) {
  if (buffer == MPI_IN_PLACE && count > 0) fail_in_place(name);
}
/// What is sent and what comes in its place are different memory. MPICH's rule: elements of the
/// same datatype that begin at the same address. (Null: MPI_BOTTOM.)
inline void check_aliases(const void* sent, const TypeView& sent_type, std::int64_t sent_count,
                          const void* received, const TypeView& received_type,
                          std::int64_t received_count) {
  if (sent != received || sent == nullptr) [[likely]]
    return;
  if (sent_count * sent_type.size == 0 || received_count * received_type.size == 0) return;
  if (sent_type.handle == received_type.handle) fail_aliases();
}

/// The send or receive that a call's arguments describe, checked.
inline Operation send_operation(RankState& rank, const void* buffer, int count,
                                MPI_Datatype datatype, int destination, int tag, MPI_Comm comm,
                                bool synchronous) {
  const Communicator& on = rank.communicator(comm);
  check_count(count);
  const TypeView type = rank.type_in_use(datatype, count);
  check_destination(on, destination);
  check_send_tag(tag);
  check_buffer(buffer, count, type);
  const int job_rank = destination == MPI_PROC_NULL ? 0 : on.peers().job_rank(destination);
  return {.buffer = const_cast<void*>(buffer),
          .count = count,
          .type = type,
          .peer = destination,
          .tag = tag,
          .comm = comm,
          .synchronous = synchronous,
          .own_rank = on.rank,
          .job_rank = job_rank,
          .context = on.message_context()};
}
inline Operation receive_operation(RankState& rank, void* buffer, int count, MPI_Datatype datatype,
                                   int source, int tag, MPI_Comm comm) {
  const Communicator& on = rank.communicator(comm);
  check_count(count);
  const TypeView type = rank.type_in_use(datatype, count);
  check_source(on, source);
  check_receive_tag(tag);
  check_buffer(buffer, count, type);
  return {.buffer = buffer,
          .count = count,
          .type = type,
          .peer = source,
          .tag = tag,
          .comm = comm,
          .receive = true,
          .context = on.message_context()};
}

}  // namespace netmod
