// Put, get and accumulate between a rank and its partner, contiguous and strided, data checked.
//
// Strided ones have the origin's rows side by side in memory that is twice as wide, on both sides.
// Accumulates are of doubles.
#pragma once

#include <armci.h>
#include <stdlib.h>

#include "benchmarks/common/armci_settings.h"
#include "benchmarks/common/program.h"

enum { kind_put = 0, kind_get, kind_acc, kind_put_strided, kind_get_strided, kind_acc_strided };
enum { operation_kinds = 6, base_kinds = 3 };

/// Which operations a program is to measure.
typedef struct {
  int kind;    ///< one of the first three, or base_kinds: all
  int layout;  ///< contiguous, strided, or both
  long row;    ///< bytes of a strided row
} operation_choice;

/// A rank's memory for operations on its partner's.
typedef struct {
  const char* program;
  int is_origin, partner;
  long row;
  armci_settings settings;
  int same_node;
  void** blocks;         ///< every rank's block
  unsigned char* own;    ///< this rank's
  unsigned char* local;  ///< the other end of transfers
  double one;            ///< scale of accumulates
} operation_memory;

// Entries of an option table; `use` is an operation_choice.
#define OPERATION_OPTIONS(use)                                                     \
  {'\0',                                                                           \
   "operation",                                                                    \
   option_word,                                                                    \
   &(use).kind,                                                                    \
   0,                                                                              \
   "put|get|acc|all",                                                              \
   "operation(s) to measure (all)"},                                               \
      {'\0',                                                                       \
       "layout",                                                                   \
       option_word,                                                                \
       &(use).layout,                                                              \
       0,                                                                          \
       "contiguous|strided|both",                                                  \
       "of the data (both)"},                                                      \
  {                                                                                \
    '\0', "row", option_bytes, &(use).row, 8, "BYTES", "row of strided data (256)" \
  }

static inline operation_choice default_operation_choice(void) {
  const operation_choice result = {base_kinds, 2, 256};
  return result;
}

static inline int is_strided(int kind) { return kind >= base_kinds; }

static inline int is_chosen(const operation_choice* use, int kind) {
  const int layout = is_strided(kind) ? 1 : 0;
  return (use->kind == base_kinds || use->kind == kind % base_kinds) &&
         (use->layout == 2 || use->layout == layout);
}

static inline const char* blocking_name(int kind) {
  const char* const names[] = {"Put", "Get", "Acc", "PutS", "GetS", "AccS"};
  return names[kind];
}

static inline const char* nonblocking_name(int kind) {
  const char* const names[] = {"NbPut", "NbGet", "NbAcc", "NbPutS", "NbGetS", "NbAccS"};
  return names[kind];
}

static inline const char* find_operation_mistake(const operation_choice* use,
                                                 const size_list* sizes) {
  if (use->row % 8 != 0) return "--row: a multiple of 8";
  for (int i = 0; i < sizes->count; ++i) {
    const long bytes = sizes->bytes[i];
    if (bytes < 8 || bytes % 8 != 0) return "sizes are multiples of 8, at least 8";
    if (bytes > 1L << 29) return "sizes are at most 512M bytes";
    if (use->layout > 0 && bytes > use->row && bytes % use->row != 0) {
      return "sizes above --row are multiples of it";
    }
  }
  return NULL;
}

/// The way that the environment asks for.
static inline const char* path_of(const operation_memory* memory, int kind, long bytes) {
  const armci_settings* settings = &memory->settings;
  const int strided = is_strided(kind) && bytes > memory->row;
  const int base = kind % base_kinds;
  if (memory->same_node) return "node";
  if (settings->direct && base != kind_acc && !strided) return "direct";
  if (base == kind_get) {
    return settings->eager_get && !strided && bytes <= settings->eager_limit ? "eager_get"
                                                                             : "helper";
  }
  return bytes <= settings->eager_limit ? "eager" : "rendezvous";
}

/// A strided patch of `bytes`: rows, and where they lie.
typedef struct {
  int stride, count[2], levels;
} patch_shape;

static inline patch_shape shape_of(const operation_memory* memory, int kind, long bytes) {
  patch_shape shape = {(int)(2 * memory->row), {(int)bytes, 1}, 0};
  if (is_strided(kind) && bytes > memory->row) {
    shape.count[0] = (int)memory->row;
    shape.count[1] = (int)(bytes / memory->row);
    shape.levels = 1;
  }
  return shape;
}

/// Starts an operation on the partner's block.
static inline void start_operation(const operation_memory* memory, int kind, long bytes,
                                   armci_hdl_t* handle) {
  const int proc = memory->partner;
  void* local = memory->local;
  void* remote = memory->blocks[proc];
  void* one = (void*)(size_t)&memory->one;
  patch_shape shape = shape_of(memory, kind, bytes);
  int code = 0;
  switch (kind) {
    case kind_put:
      code = ARMCI_NbPut(local, remote, (int)bytes, proc, handle);
      break;
    case kind_get:
      code = ARMCI_NbGet(remote, local, (int)bytes, proc, handle);
      break;
    case kind_acc:
      code = ARMCI_NbAcc(ARMCI_ACC_DBL, one, local, remote, (int)bytes, proc, handle);
      break;
    case kind_put_strided:
      code = ARMCI_NbPutS(local, &shape.stride, remote, &shape.stride, shape.count, shape.levels,
                          proc, handle);
      break;
    case kind_get_strided:
      code = ARMCI_NbGetS(remote, &shape.stride, local, &shape.stride, shape.count, shape.levels,
                          proc, handle);
      break;
    default:
      code = ARMCI_NbAccS(ARMCI_ACC_DBL, one, local, &shape.stride, remote, &shape.stride,
                          shape.count, shape.levels, proc, handle);
      break;
  }
  if (code != 0) ARMCI_Error("an operation was refused", code);
}

/// The same, blocking.
static inline void perform_operation(const operation_memory* memory, int kind, long bytes) {
  const int proc = memory->partner;
  void* local = memory->local;
  void* remote = memory->blocks[proc];
  void* one = (void*)(size_t)&memory->one;
  patch_shape shape = shape_of(memory, kind, bytes);
  int code = 0;
  switch (kind) {
    case kind_put:
      code = ARMCI_Put(local, remote, (int)bytes, proc);
      break;
    case kind_get:
      code = ARMCI_Get(remote, local, (int)bytes, proc);
      break;
    case kind_acc:
      code = ARMCI_Acc(ARMCI_ACC_DBL, one, local, remote, (int)bytes, proc);
      break;
    case kind_put_strided:
      code =
          ARMCI_PutS(local, &shape.stride, remote, &shape.stride, shape.count, shape.levels, proc);
      break;
    case kind_get_strided:
      code =
          ARMCI_GetS(remote, &shape.stride, local, &shape.stride, shape.count, shape.levels, proc);
      break;
    default:
      code = ARMCI_AccS(ARMCI_ACC_DBL, one, local, &shape.stride, remote, &shape.stride,
                        shape.count, shape.levels, proc);
      break;
  }
  if (code != 0) ARMCI_Error("an operation was refused", code);
}

/// Collective: a block for transfers of up to `bytes` to or from every rank.
static inline void open_operations(operation_memory* memory, const char* program, int is_origin,
                                   int partner, long bytes, long row) {
  int size = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const long room = 2 * bytes + 64;
  memset(memory, 0, sizeof *memory);
  memory->program = program;
  memory->is_origin = is_origin;
  memory->partner = partner;
  memory->row = row;
  memory->settings = read_armci_settings();
  memory->same_node = ARMCI_Same_node(partner);
  memory->one = 1.0;
  memory->blocks = (void**)calloc((size_t)size, sizeof *memory->blocks);
  if (memory->blocks == NULL || ARMCI_Malloc(memory->blocks, room) != 0) {
    ARMCI_Error("no memory for the blocks", exit_failed);
    return;
  }
  memory->own = (unsigned char*)memory->blocks[rank];
  memory->local = (unsigned char*)ARMCI_Malloc_local(room);
  if (memory->local == NULL) ARMCI_Error("no memory for the buffers", exit_failed);
  memset(memory->own, 0, (size_t)room);
  memset(memory->local, 0, (size_t)room);
  ARMCI_Barrier();
}

static inline void close_operations(operation_memory* memory) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ARMCI_Barrier();
  ARMCI_Free_local(memory->local);
  ARMCI_Free(memory->blocks[rank]);
  free(memory->blocks);
}

/// Element `i` of the doubles that `key` stands for.
static inline double check_value(int key, long i) { return (double)(key * 1000003L + i % 65521); }

/// Whether `i` is within the patch, in memory that its rows are spread over.
static inline int in_patch(const patch_shape* shape, long i) {
  return shape->levels == 0 || i * 8 % shape->stride < shape->count[0];
}

static inline long patch_extent(const patch_shape* shape) {
  return shape->levels == 0 ? shape->count[0]
                            : (long)shape->stride * (shape->count[1] - 1) + shape->count[0];
}

/// Moves one patch each way that was chosen and looks at every double of it and between its rows.
/// Collective. Ends the job if one is wrong.
static inline void check_operations(operation_memory* memory, const operation_choice* use,
                                    long bytes) {
  for (int kind = 0; kind < operation_kinds; ++kind) {
    if (!is_chosen(use, kind)) continue;
    const patch_shape shape = shape_of(memory, kind, bytes);
    const long count = patch_extent(&shape) / 8;
    const int base = kind % base_kinds;
    double* local = (double*)(void*)memory->local;
    double* own = (double*)(void*)memory->own;
    for (long i = 0; i < count; ++i) {
      local[i] = check_value(1, i);
      own[i] = check_value(2, i);
    }
    ARMCI_Barrier();
    if (memory->is_origin) perform_operation(memory, kind, bytes);
    ARMCI_Barrier();
    const double* changed = base == kind_get ? local : own;
    if (memory->is_origin != (base == kind_get)) continue;
    for (long i = 0; i < count; ++i) {
      const double before = check_value(base == kind_get ? 1 : 2, i);
      const double moved = check_value(base == kind_get ? 2 : 1, i);
      const double after = !in_patch(&shape, i) ? before
                           : base == kind_acc   ? before + moved
                                                : moved;
      if (changed[i] == after) continue;
      fprintf(stderr, "%s: %s: wrong data at double %ld of %ld bytes\n", memory->program,
              blocking_name(kind), i, bytes);
      ARMCI_Error("wrong data", exit_failed);
    }
  }
  ARMCI_Barrier();
}
