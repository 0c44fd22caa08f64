// Windows.
#include "apps/traces/record/timed.h"

using namespace dumpi_record;

namespace {

/// The format's bits of an assertion.
int assertion(int modes) {
  struct Mode {
    int given;
    int number;
  };
  constexpr Mode all[] = {{MPI_MODE_NOCHECK, 1},
                          {MPI_MODE_NOSTORE, 2},
                          {MPI_MODE_NOPUT, 4},
                          {MPI_MODE_NOPRECEDE, 8},
                          {MPI_MODE_NOSUCCEED, 16}};
  int number = 0;
  for (const Mode& each : all) number |= (modes & each.given) != 0 ? each.number : 0;
  return number;
}

/// 1 shared, 2 exclusive.
int lock_type(int type) { return type == MPI_LOCK_SHARED ? 1 : 2; }

}  // namespace

extern "C" {

int MPI_Win_create(void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm handle,
                   MPI_Win* made) {
  Timed call(Label::Win_create);
  const int code = call.returned(PMPI_Win_create(base, size, disp_unit, info, handle, made));
  if (code != MPI_SUCCESS) return call.record(code, {});
  Handles& handles = Recorder::own().handles;
  return call.record(code, {narrow(size), disp_unit, handles.infos.find_or_add(info), comm(handle),
                            handles.wins.add(*made)});
}

int MPI_Win_free(MPI_Win* window) {
  Timed call(Label::Win_free);
  const MPI_Win gone = *window;
  const int code = call.returned(PMPI_Win_free(window));
  if (code != MPI_SUCCESS) return call.record(code, {});
  const int number = win(gone);
  Recorder::own().handles.wins.remove(gone, number);
  return call.record(code, {number});
}

int MPI_Win_post(MPI_Group members, int assert, MPI_Win window) {
  Timed call(Label::Win_post);
  const int code = call.returned(PMPI_Win_post(members, assert, window));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {group(members), assertion(assert), win(window)});
}

int MPI_Win_start(MPI_Group members, int assert, MPI_Win window) {
  Timed call(Label::Win_start);
  const int code = call.returned(PMPI_Win_start(members, assert, window));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {group(members), assertion(assert), win(window)});
}

int MPI_Win_complete(MPI_Win window) {
  Timed call(Label::Win_complete);
  const int code = call.returned(PMPI_Win_complete(window));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {win(window)});
}

int MPI_Win_wait(MPI_Win window) {
  Timed call(Label::Win_wait);
  const int code = call.returned(PMPI_Win_wait(window));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {win(window)});
}

int MPI_Win_test(MPI_Win window, int* flag) {
  Timed call(Label::Win_test);
  const int code = call.returned(PMPI_Win_test(window, flag));
  if (code != MPI_SUCCESS) return call.record(code, {});
  if (*flag != 0) return call.record(code, {win(window), *flag});
  call.ignore();
  return code;
}

int MPI_Win_fence(int assert, MPI_Win window) {
  Timed call(Label::Win_fence);
  const int code = call.returned(PMPI_Win_fence(assert, window));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {assertion(assert), win(window)});
}

int MPI_Win_lock(int lock, int rank, int assert, MPI_Win window) {
  Timed call(Label::Win_lock);
  const int code = call.returned(PMPI_Win_lock(lock, rank, assert, window));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {lock_type(lock), rank_number(rank), assertion(assert), win(window)});
}

int MPI_Win_unlock(int rank, MPI_Win window) {
  Timed call(Label::Win_unlock);
  const int code = call.returned(PMPI_Win_unlock(rank, window));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {rank_number(rank), win(window)});
}

#define TRANSFER(name, constness)                                                                 \
  int MPI_##name(constness void* origin, int origin_count, MPI_Datatype origin_type, int target,  \
                 MPI_Aint displacement, int target_count, MPI_Datatype target_type,               \
                 MPI_Win window) {                                                                \
    Timed call(Label::name);                                                                      \
    const int code = call.returned(PMPI_##name(origin, origin_count, origin_type, target,         \
                                               displacement, target_count, target_type, window)); \
    if (code != MPI_SUCCESS) return call.record(code, {});                                        \
    return call.record(                                                                           \
        code, {origin_count, type(origin_type), rank_number(target), narrow(displacement),        \
               target_count, type(target_type), win(window)});                                    \
  }
TRANSFER(Get, )
TRANSFER(Put, const)

int MPI_Accumulate(const void* origin, int origin_count, MPI_Datatype origin_type, int target,
                   MPI_Aint displacement, int target_count, MPI_Datatype target_type,
                   MPI_Op operation, MPI_Win window) {
  Timed call(Label::Accumulate);
  const int code =
      call.returned(PMPI_Accumulate(origin, origin_count, origin_type, target, displacement,
                                    target_count, target_type, operation, window));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code,
                     {origin_count, type(origin_type), rank_number(target), narrow(displacement),
                      target_count, type(target_type), op(operation), win(window)});
}

}  // extern "C"
