// A small layer in the manner of Global Arrays over ARMCI: dense 2-D arrays in blocks over all
// ranks, with one-sided get, put, accumulate and read-and-increment.
//
// A patch may span several owners. As in the toolkit, the parts of a put are waited for one after
// the other, those of a get or accumulate are asked for without waiting in between. Parts of other
// nodes come first (the toolkit asks in an order drawn for each rank). No state outside the
// caller's variables.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { ga_int, ga_double } ga_type;

/// Calls of one kind, and what they moved; `own_bytes` to or from the caller's own block.
typedef struct {
  long calls;
  double bytes, own_bytes;
} ga_traffic;

/// What one rank has done, as the toolkit's own statistics count it.
typedef struct {
  long creates, destroys, increments;
  ga_traffic get, put, acc;
} ga_counters;

/// In which order the parts of a patch are asked for.
typedef enum {
  ga_order_owners,  ///< by owner: every rank's first request goes to the same
  ga_order_rotated  ///< from the caller's neighbour on
} ga_order;

/// All ranks of the job; one per rank, set up by ga_start.
typedef struct {
  int rank, ranks;
  int blocking;  ///< each part of anything is waited for before the next is asked for
  ga_order order;
  ga_counters counters;
} ga_world;

/// A rectangle of an array.
typedef struct {
  long row, column, rows, columns;
} ga_patch;

/// One array: blocks of a grid of ranks, row by row; rank r holds block r.
typedef struct {
  ga_world* world;
  ga_type type;
  long rows, columns;
  int grid_rows, grid_columns;
  void** blocks;  ///< each rank's block, as an address for ARMCI
} ga_array;

/// After ARMCI_Init.
void ga_start(ga_world* world);

/// Collective: an array of zeros, in `grid_rows` rows of blocks (a divisor of the number of ranks;
/// 0: as square a grid as there is). Ends the job if there is no memory.
void ga_create(ga_world* world, ga_array* array, ga_type type, long rows, long columns,
               int grid_rows);
/// Collective.
void ga_destroy(ga_array* array);

long ga_element_bytes(const ga_array* array);
/// What `rank` holds; may be empty.
ga_patch ga_distribution(const ga_array* array, int rank);
/// The rank that holds an element.
int ga_locate(const ga_array* array, long row, long column);
/// The caller's own block in place: rows of ga_distribution's columns.
void* ga_access(const ga_array* array);

/// Copies a patch to, or from, a local buffer whose rows are `stride` elements apart. A put is
/// visible after ga_sync, or a fence.
void ga_get(const ga_array* array, ga_patch patch, void* buffer, long stride);
void ga_put(const ga_array* array, ga_patch patch, const void* buffer, long stride);
/// Adds scale * buffer to the patch of an array of doubles, each element atomically.
void ga_acc(const ga_array* array, ga_patch patch, const double* buffer, long stride, double scale);
/// The int at (row, column), to which it adds `increment`; atomic among all ranks.
int ga_read_inc(const ga_array* array, long row, long column, int increment);
/// Collective: everything done so far is visible to all ranks.
void ga_sync(const ga_world* world);

#ifdef __cplusplus
} /* extern "C" */
#endif
