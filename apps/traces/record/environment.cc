// Start and end, communicators, groups, and what is recorded when.
#include "apps/traces/record/timed.h"

using namespace dumpi_record;

namespace {

Handles& handles() { return Recorder::own().handles; }

std::vector<std::string> strings(const int* argc, char*** argv) {
  if (argc == nullptr || argv == nullptr || *argv == nullptr) return {};
  return {*argv, *argv + *argc};
}

/// Null where the caller is no member.
int new_comm(MPI_Comm made) {
  return made == MPI_COMM_NULL ? comm(made) : handles().comms.add(made);
}

int new_group(MPI_Group made) {
  const bool constant = made == MPI_GROUP_NULL || made == MPI_GROUP_EMPTY;
  return constant ? group(made) : handles().groups.add(made);
}

}  // namespace

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  Timed call(Label::Init);
  const int code = call.returned(PMPI_Init(argc, argv));
  if (code != MPI_SUCCESS) return code;
  Recorder::own().begin(call.entry());
  return call.record(code, {strings(argc, argv)});
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  Timed call(Label::Init_thread);
  const int code = call.returned(PMPI_Init_thread(argc, argv, required, provided));
  if (code != MPI_SUCCESS) return code;
  Recorder::own().begin(call.entry());
  return call.record(code, {strings(argc, argv), thread_level(required), thread_level(*provided)});
}

int MPI_Finalize(void) {
  if (!Recorder::own().has_begun()) return PMPI_Finalize();
  // Its begin is the end of the program's last interval, which the recorder's own work must not
  // move, and which is in the trace also if MPI_Pcontrol has turned recording off.
  Timed call(Label::Finalize);
  Recorder::own().say_others();
  const int code = call.returned(PMPI_Finalize());
  Recorder::own().turn(true);
  call.record(code, {});
  Recorder::own().end();
  return code;
}

int MPI_Pcontrol(const int level, ...) {
  Recorder::own().turn(level != 0);
  return MPI_SUCCESS;
}

double MPI_Wtime(void) {
  Timed call(Label::Wtime);
  const double time = call.returned(PMPI_Wtime());
  call.record({});
  return time;
}

double MPI_Wtick(void) {
  Timed call(Label::Wtick);
  const double tick = call.returned(PMPI_Wtick());
  call.record({});
  return tick;
}

int MPI_Comm_size(MPI_Comm handle, int* size) {
  Timed call(Label::Comm_size);
  const int code = call.returned(PMPI_Comm_size(handle, size));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {comm(handle), *size});
}

int MPI_Comm_rank(MPI_Comm handle, int* rank) {
  Timed call(Label::Comm_rank);
  const int code = call.returned(PMPI_Comm_rank(handle, rank));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {comm(handle), *rank});
}

int MPI_Comm_dup(MPI_Comm handle, MPI_Comm* newcomm) {
  Timed call(Label::Comm_dup);
  const int code = call.returned(PMPI_Comm_dup(handle, newcomm));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {comm(handle), new_comm(*newcomm)});
}

int MPI_Comm_create(MPI_Comm handle, MPI_Group members, MPI_Comm* newcomm) {
  Timed call(Label::Comm_create);
  const int code = call.returned(PMPI_Comm_create(handle, members, newcomm));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {comm(handle), group(members), new_comm(*newcomm)});
}

int MPI_Comm_split(MPI_Comm handle, int color, int key, MPI_Comm* newcomm) {
  Timed call(Label::Comm_split);
  const int code = call.returned(PMPI_Comm_split(handle, color, key, newcomm));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {comm(handle), color, key, new_comm(*newcomm)});
}

int MPI_Comm_free(MPI_Comm* handle) {
  Timed call(Label::Comm_free);
  const MPI_Comm gone = *handle;
  const int code = call.returned(PMPI_Comm_free(handle));
  if (code != MPI_SUCCESS) return call.record(code, {});
  const int number = comm(gone);
  handles().comms.remove(gone, number);
  return call.record(code, {number});
}

int MPI_Cart_create(MPI_Comm handle, int ndims, const int dims[], const int periods[], int reorder,
                    MPI_Comm* newcomm) {
  Timed call(Label::Cart_create);
  const int code = call.returned(PMPI_Cart_create(handle, ndims, dims, periods, reorder, newcomm));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {comm(handle), ndims, numbers(dims, ndims), numbers(periods, ndims),
                            reorder, new_comm(*newcomm)});
}

int MPI_Cart_sub(MPI_Comm handle, const int remain_dims[], MPI_Comm* newcomm) {
  Timed call(Label::Cart_sub);
  const int code = call.returned(PMPI_Cart_sub(handle, remain_dims, newcomm));
  if (code != MPI_SUCCESS) return call.record(code, {});
  int ndims = 0;
  PMPI_Cartdim_get(handle, &ndims);
  return call.record(code, {ndims, comm(handle), numbers(remain_dims, ndims), new_comm(*newcomm)});
}

int MPI_Graph_create(MPI_Comm handle, int nnodes, const int index[], const int edges[], int reorder,
                     MPI_Comm* newcomm) {
  Timed call(Label::Graph_create);
  const int code = call.returned(PMPI_Graph_create(handle, nnodes, index, edges, reorder, newcomm));
  if (code != MPI_SUCCESS) return call.record(code, {});
  const int nedges = nnodes > 0 ? index[nnodes - 1] : 0;
  return call.record(code, {nedges, comm(handle), nnodes, numbers(index, nnodes),
                            numbers(edges, nedges), reorder, new_comm(*newcomm)});
}

/// The communicator between the leaders is theirs alone: elsewhere null.
int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                         int remote_leader, int tag, MPI_Comm* newcomm) {
  Timed call(Label::Intercomm_create);
  const int code = call.returned(
      PMPI_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, newcomm));
  if (code != MPI_SUCCESS) return call.record(code, {});
  int rank = 0;
  PMPI_Comm_rank(local_comm, &rank);
  const bool leads = rank == local_leader;
  return call.record(code, {comm(local_comm), local_leader, comm(leads ? peer_comm : MPI_COMM_NULL),
                            leads ? remote_leader : 0, tag, new_comm(*newcomm)});
}

int MPI_Intercomm_merge(MPI_Comm handle, int high, MPI_Comm* newcomm) {
  Timed call(Label::Intercomm_merge);
  const int code = call.returned(PMPI_Intercomm_merge(handle, high, newcomm));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {comm(handle), high, new_comm(*newcomm)});
}

int MPI_Comm_disconnect(MPI_Comm* handle) {
  Timed call(Label::Comm_disconnect);
  const MPI_Comm gone = *handle;
  const int code = call.returned(PMPI_Comm_disconnect(handle));
  if (code != MPI_SUCCESS) return call.record(code, {});
  const int number = comm(gone);
  handles().comms.remove(gone, number);
  return call.record(code, {number});
}

int MPI_Comm_remote_group(MPI_Comm handle, MPI_Group* members) {
  Timed call(Label::Comm_remote_group);
  const int code = call.returned(PMPI_Comm_remote_group(handle, members));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {comm(handle), new_group(*members)});
}

int MPI_Comm_group(MPI_Comm handle, MPI_Group* members) {
  Timed call(Label::Comm_group);
  const int code = call.returned(PMPI_Comm_group(handle, members));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {comm(handle), new_group(*members)});
}

#define CHOSEN_RANKS(name)                                                                  \
  int MPI_##name(MPI_Group members, int n, const int ranks[], MPI_Group* newgroup) {        \
    Timed call(Label::name);                                                                \
    const int code = call.returned(PMPI_##name(members, n, ranks, newgroup));               \
    if (code != MPI_SUCCESS) return call.record(code, {});                                  \
    return call.record(code, {group(members), n, numbers(ranks, n), new_group(*newgroup)}); \
  }
CHOSEN_RANKS(Group_incl)
CHOSEN_RANKS(Group_excl)

#define COMBINED(name)                                                              \
  int MPI_##name(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {         \
    Timed call(Label::name);                                                        \
    const int code = call.returned(PMPI_##name(group1, group2, newgroup));          \
    if (code != MPI_SUCCESS) return call.record(code, {});                          \
    return call.record(code, {group(group1), group(group2), new_group(*newgroup)}); \
  }
COMBINED(Group_union)
COMBINED(Group_intersection)
COMBINED(Group_difference)

#define CHOSEN_RANGES(name)                                                                   \
  int MPI_##name(MPI_Group members, int n, int ranges[][3], MPI_Group* newgroup) {            \
    Timed call(Label::name);                                                                  \
    const int code = call.returned(PMPI_##name(members, n, ranges, newgroup));                \
    if (code != MPI_SUCCESS) return call.record(code, {});                                    \
    return call.record(code, {group(members), n, numbers(n > 0 ? ranges[0] : nullptr, 3 * n), \
                              new_group(*newgroup)});                                         \
  }
CHOSEN_RANGES(Group_range_incl)
CHOSEN_RANGES(Group_range_excl)

int MPI_Group_free(MPI_Group* members) {
  Timed call(Label::Group_free);
  const MPI_Group gone = *members;
  const int code = call.returned(PMPI_Group_free(members));
  if (code != MPI_SUCCESS) return call.record(code, {});
  const int number = group(gone);
  if (gone != MPI_GROUP_EMPTY) handles().groups.remove(gone, number);
  return call.record(code, {number});
}

// What is not recorded, and frees what has a number.

int MPI_Op_create(MPI_User_function* function, int commute, MPI_Op* made) {
  const int code = PMPI_Op_create(function, commute, made);
  if (code == MPI_SUCCESS) handles().ops.add(*made);
  return code;
}

int MPI_Op_free(MPI_Op* operation) {
  const MPI_Op gone = *operation;
  const int code = PMPI_Op_free(operation);
  if (code == MPI_SUCCESS) handles().ops.remove(gone);
  return code;
}

int MPI_Info_free(MPI_Info* info) {
  const MPI_Info gone = *info;
  const int code = PMPI_Info_free(info);
  if (code == MPI_SUCCESS) handles().infos.remove(gone);
  return code;
}

}  // extern "C"
