// The Global Arrays layer: where blocks lie, and patches cut into strided ARMCI transfers.
#include "apps/ga_layer.h"

#include <armci.h>
#include <stdlib.h>
#include <string.h>

typedef enum { kind_get, kind_put, kind_acc } transfer_kind;

/// One call's arguments, for each of its parts.
typedef struct {
  const ga_array* array;
  transfer_kind kind;
  ga_patch patch;
  char* buffer;
  long stride;   ///< of the buffer's rows, in elements
  double scale;  ///< of an accumulate; lives until the call ends
} transfer;

/// Range [first, first + count) of blocks or elements.
typedef struct {
  long first, count;
} range;

static long smaller(long a, long b) { return a < b ? a : b; }
static long larger(long a, long b) { return a > b ? a : b; }

/// Block `i` of `blocks` over `length` elements, as even as can be.
static range block_range(long length, int blocks, int i) {
  const long first = length * i / blocks;
  const range result = {first, length * (i + 1) / blocks - first};
  return result;
}

/// The block that holds element `at`.
static int block_of(long length, int blocks, long at) {
  return (int)(((at + 1) * blocks - 1) / length);
}

static int most_square_grid(int ranks) {
  int rows = 1;
  for (int i = 1; i * i <= ranks; ++i) {
    if (ranks % i == 0) rows = i;
  }
  return rows;
}

void ga_start(ga_world* world) {
  memset(world, 0, sizeof *world);
  MPI_Comm_rank(MPI_COMM_WORLD, &world->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world->ranks);
}

long ga_element_bytes(const ga_array* array) {
  return array->type == ga_int ? (long)sizeof(int) : (long)sizeof(double);
}

void ga_create(ga_world* world, ga_array* array, ga_type type, long rows, long columns,
               int grid_rows) {
  memset(array, 0, sizeof *array);
  array->world = world;
  array->type = type;
  array->rows = rows;
  array->columns = columns;
  array->grid_rows = grid_rows > 0 ? grid_rows : most_square_grid(world->ranks);
  if (rows < 1 || columns < 1 || world->ranks % array->grid_rows != 0) {
    ARMCI_Error("ga_create: no such array", 1);
  }
  array->grid_columns = world->ranks / array->grid_rows;
  array->blocks = calloc((size_t)world->ranks, sizeof *array->blocks);
  if (array->blocks == NULL) {
    ARMCI_Error("ga_create: no memory", 1);
    return;
  }
  const ga_patch own = ga_distribution(array, world->rank);
  const long bytes = own.rows * own.columns * ga_element_bytes(array);
  if (ARMCI_Malloc(array->blocks, bytes) != 0) ARMCI_Error("ga_create: no memory", 1);
  if (bytes > 0) memset(array->blocks[world->rank], 0, (size_t)bytes);
  ++world->counters.creates;
  ga_sync(world);
}

void ga_destroy(ga_array* array) {
  ga_sync(array->world);
  if (ARMCI_Free(array->blocks[array->world->rank]) != 0) ARMCI_Error("ga_destroy", 1);
  free(array->blocks);
  array->blocks = NULL;
  ++array->world->counters.destroys;
}

ga_patch ga_distribution(const ga_array* array, int rank) {
  const range rows = block_range(array->rows, array->grid_rows, rank / array->grid_columns);
  const range columns =
      block_range(array->columns, array->grid_columns, rank % array->grid_columns);
  const ga_patch result = {rows.first, columns.first, rows.count, columns.count};
  return result;
}

int ga_locate(const ga_array* array, long row, long column) {
  return block_of(array->rows, array->grid_rows, row) * array->grid_columns +
         block_of(array->columns, array->grid_columns, column);
}

void* ga_access(const ga_array* array) { return array->blocks[array->world->rank]; }

/// What of a patch lies in `owner`'s block; empty if nothing.
static ga_patch part_of(const transfer* whole, int owner) {
  const ga_patch block = ga_distribution(whole->array, owner);
  const ga_patch patch = whole->patch;
  ga_patch part = {larger(block.row, patch.row), larger(block.column, patch.column), 0, 0};
  part.rows = smaller(block.row + block.rows, patch.row + patch.rows) - part.row;
  part.columns = smaller(block.column + block.columns, patch.column + patch.columns) - part.column;
  return part;
}

static ga_traffic* counter_of(const transfer* whole) {
  ga_counters* counters = &whole->array->world->counters;
  switch (whole->kind) {
    case kind_get:
      return &counters->get;
    case kind_put:
      return &counters->put;
    case kind_acc:
      break;
  }
  return &counters->acc;
}

/// Begins the transfer of `owner`'s part, or does all of it.
static void move_part(transfer* whole, int owner, int wait) {
  const ga_array* array = whole->array;
  const ga_patch part = part_of(whole, owner);
  if (part.rows <= 0 || part.columns <= 0) return;
  const ga_patch block = ga_distribution(array, owner);
  const long size = ga_element_bytes(array);
  char* remote = (char*)array->blocks[owner] +
                 ((part.row - block.row) * block.columns + part.column - block.column) * size;
  char* local =
      whole->buffer +
      ((part.row - whole->patch.row) * whole->stride + part.column - whole->patch.column) * size;
  int remote_stride = (int)(block.columns * size);
  int local_stride = (int)(whole->stride * size);
  int count[2] = {(int)(part.columns * size), (int)part.rows};
  int code = 0;
  switch (whole->kind) {
    case kind_get:
      code =
          wait ? ARMCI_GetS(remote, &remote_stride, local, &local_stride, count, 1, owner)
               : ARMCI_NbGetS(remote, &remote_stride, local, &local_stride, count, 1, owner, NULL);
      break;
    case kind_put:
      code =
          wait ? ARMCI_PutS(local, &local_stride, remote, &remote_stride, count, 1, owner)
               : ARMCI_NbPutS(local, &local_stride, remote, &remote_stride, count, 1, owner, NULL);
      break;
    case kind_acc:
      code = wait ? ARMCI_AccS(ARMCI_ACC_DBL, &whole->scale, local, &local_stride, remote,
                               &remote_stride, count, 1, owner)
                  : ARMCI_NbAccS(ARMCI_ACC_DBL, &whole->scale, local, &local_stride, remote,
                                 &remote_stride, count, 1, owner, NULL);
      break;
  }
  if (code != 0) ARMCI_Error("a patch was not transferred", code);
  if (owner == array->world->rank) {
    counter_of(whole)->own_bytes += (double)(part.rows * part.columns * size);
  }
}

/// The rectangle of the grid of ranks that a patch spans.
typedef struct {
  int first_row, first_column, rows, columns;
} span;

static int owner_at(const span* owners, const ga_array* array, int i) {
  return (owners->first_row + i / owners->columns) * array->grid_columns + owners->first_column +
         i % owners->columns;
}

/// The first owner behind the caller, counting up and around.
static int first_owner(const span* owners, const ga_array* array) {
  const ga_world* world = array->world;
  if (world->order == ga_order_owners) return 0;
  const int count = owners->rows * owners->columns;
  for (int i = 0; i < count; ++i) {
    if (owner_at(owners, array, i) > world->rank) return i;
  }
  return 0;
}

static void move(transfer* whole) {
  const ga_array* array = whole->array;
  const ga_patch patch = whole->patch;
  if (patch.row < 0 || patch.column < 0 || patch.rows < 0 || patch.columns < 0 ||
      patch.row + patch.rows > array->rows || patch.column + patch.columns > array->columns) {
    ARMCI_Error("a patch outside its array", 1);
  }
  ga_traffic* counter = counter_of(whole);
  ++counter->calls;
  if (patch.rows == 0 || patch.columns == 0) return;
  counter->bytes += (double)(patch.rows * patch.columns * ga_element_bytes(array));
  span owners = {block_of(array->rows, array->grid_rows, patch.row),
                 block_of(array->columns, array->grid_columns, patch.column), 0, 0};
  owners.rows =
      block_of(array->rows, array->grid_rows, patch.row + patch.rows - 1) - owners.first_row + 1;
  owners.columns = block_of(array->columns, array->grid_columns, patch.column + patch.columns - 1) -
                   owners.first_column + 1;
  const int count = owners.rows * owners.columns;
  // As in the toolkit: the parts of a put one after the other.
  const int wait = array->world->blocking || count == 1 || whole->kind == kind_put;
  const int first = first_owner(&owners, array);
  for (int near = 0; near < 2; ++near) {
    for (int i = 0; i < count; ++i) {
      const int owner = owner_at(&owners, array, (first + i) % count);
      if ((ARMCI_Same_node(owner) != 0) == near) move_part(whole, owner, wait);
    }
  }
  if (!wait) ARMCI_WaitAll();
}

void ga_get(const ga_array* array, ga_patch patch, void* buffer, long stride) {
  transfer whole = {array, kind_get, patch, buffer, stride, 0};
  move(&whole);
}

void ga_put(const ga_array* array, ga_patch patch, const void* buffer, long stride) {
  transfer whole = {array, kind_put, patch, (char*)(size_t)buffer, stride, 0};
  move(&whole);
}

void ga_acc(const ga_array* array, ga_patch patch, const double* buffer, long stride,
            double scale) {
  if (array->type != ga_double) ARMCI_Error("ga_acc: an array of doubles only", 1);
  transfer whole = {array, kind_acc, patch, (char*)(size_t)buffer, stride, scale};
  move(&whole);
}

int ga_read_inc(const ga_array* array, long row, long column, int increment) {
  if (array->type != ga_int) ARMCI_Error("ga_read_inc: an array of ints only", 1);
  const int owner = ga_locate(array, row, column);
  const ga_patch block = ga_distribution(array, owner);
  int* at = (int*)array->blocks[owner] + (row - block.row) * block.columns + column - block.column;
  int old = 0;
  if (ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, at, increment, owner) != 0) {
    ARMCI_Error("ga_read_inc", 1);
  }
  ++array->world->counters.increments;
  return old;
}

void ga_sync(const ga_world* world) {
  (void)world;
  ARMCI_Barrier();
}
