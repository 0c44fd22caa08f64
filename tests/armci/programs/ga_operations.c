/* Global Arrays' operations, each result checked: prints "ok", or what was wrong. */
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corespec/include/corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

enum { rows = 53, columns = 37 };

static double value_at(int i, int j) { return 1000.0 * i + j; }

static int* box(int* where, int i, int j) {
  where[0] = i;
  where[1] = j;
  return where;
}

static int matrix(int type, int height, int width, char* name) {
  int dims[2];
  return NGA_Create(type, 2, box(dims, height, width), name, NULL);
}

/* Fills an array of doubles with value_at(), every rank its rows (whoever owns them). */
static void put_values(int array, int height, int width) {
  double* row = malloc(sizeof(double) * width);
  for (int i = GA_Nodeid(); i < height; i += GA_Nnodes()) {
    for (int j = 0; j < width; ++j) row[j] = value_at(i, j);
    int lo[2], hi[2];
    NGA_Put(array, box(lo, i, 0), box(hi, i, width - 1), row, &width);
  }
  free(row);
  GA_Sync();
}

/* A whole array, which the caller frees. */
static double* whole(int array, int height, int width) {
  double* data = malloc(sizeof(double) * height * width);
  int lo[2], hi[2];
  NGA_Get(array, box(lo, 0, 0), box(hi, height - 1, width - 1), data, &width);
  return data;
}

/* How many elements differ from scale * value_at() + shift. */
static int differing(int array, int height, int width, double scale, double shift) {
  double* data = whole(array, height, width);
  int wrong = 0;
  for (int i = 0; i < height; ++i) {
    for (int j = 0; j < width; ++j) {
      wrong += data[i * width + j] != scale * value_at(i, j) + shift;
    }
  }
  free(data);
  return wrong;
}

static int check_put_and_get(void) {
  const int array = matrix(C_DBL, rows, columns, "put");
  put_values(array, rows, columns);
  int wrong = differing(array, rows, columns, 1, 0);
  /* Patches of all sizes, into a buffer whose rows are wider than they are. */
  double patch[16][24];
  int wide = 24;
  for (int k = 1; k <= 16; ++k) {
    int lo[2], hi[2];
    box(lo, (7 * k + GA_Nodeid()) % (rows - k), (5 * k) % (columns - k));
    box(hi, lo[0] + k - 1, lo[1] + k - 1);
    memset(patch, -1, sizeof(patch));
    NGA_Get(array, lo, hi, patch, &wide);
    for (int i = 0; i < k; ++i) {
      for (int j = 0; j < k; ++j) wrong += patch[i][j] != value_at(lo[0] + i, lo[1] + j);
      wrong += patch[i][k] == patch[i][k]; /* still what memset left, not a number */
    }
  }
  GA_Destroy(array);
  return wrong;
}

static int check_four_dimensions(void) {
  int dims[4] = {5, 7, 3, 11}, lo[4] = {0}, hi[4] = {4, 6, 2, 10}, ld[3] = {7, 3, 11};
  const int array = NGA_Create(C_INT, 4, dims, "four", NULL);
  int data[5 * 7 * 3 * 11];
  const int count = 5 * 7 * 3 * 11;
  for (int i = 0; i < count; ++i) data[i] = i;
  if (GA_Nodeid() == GA_Nnodes() - 1) NGA_Put(array, lo, hi, data, ld);
  GA_Sync();
  int lo_part[4] = {1, 2, 0, 3}, hi_part[4] = {3, 6, 2, 9}, ld_part[3] = {5, 3, 7};
  int part[3][5][3][7], wrong = 0;
  NGA_Get(array, lo_part, hi_part, part, ld_part);
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 5; ++b) {
      for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 7; ++d) {
          wrong += part[a][b][c][d] != (((a + 1) * 7 + b + 2) * 3 + c) * 11 + d + 3;
        }
      }
    }
  }
  GA_Destroy(array);
  return wrong;
}

static int check_accumulate(void) {
  const int array = matrix(C_DBL, rows, columns, "accumulate");
  const int n = GA_Nnodes();
  put_values(array, rows, columns);
  double ones[rows * columns], half = 0.5;
  for (int i = 0; i < rows * columns; ++i) ones[i] = 1;
  int lo[2] = {0, 0}, hi[2] = {rows - 1, columns - 1}, ld = columns;
  for (int k = 0; k < 4; ++k) NGA_Acc(array, lo, hi, ones, &ld, &half);
  GA_Sync();
  const int wrong = differing(array, rows, columns, 1, 2.0 * n);
  GA_Destroy(array);
  return wrong;
}

/* The other types, on one patch that lies on many ranks. */
static int check_accumulate_types(void) {
  int wrong = 0, lo[2] = {0, 0}, hi[2] = {9, 9}, ld = 10;
  const int n = GA_Nnodes();
  int integers[100], three = 3;
  long longs[100], three_long = 3;
  float floats[100], three_float = 3;
  DoubleComplex complexes[100], rotate = {0, 1};
  for (int i = 0; i < 100; ++i) {
    integers[i] = i;
    longs[i] = 1L << 40 | i;
    floats[i] = i;
    complexes[i].real = i;
    complexes[i].imag = 1;
  }
  const int types[4] = {C_INT, C_LONG, C_FLOAT, C_DCPL};
  void* data[4] = {integers, longs, floats, complexes};
  void* factors[4] = {&three, &three_long, &three_float, &rotate};
  for (int k = 0; k < 4; ++k) {
    const int array = matrix(types[k], 10, 10, "types");
    GA_Zero(array);
    NGA_Acc(array, lo, hi, data[k], &ld, factors[k]);
    GA_Sync();
    NGA_Get(array, lo, hi, data[k], &ld);
    GA_Destroy(array);
  }
  for (int i = 0; i < 100; ++i) {
    wrong += integers[i] != 3 * n * i;
    wrong += longs[i] != 3 * n * (1L << 40 | i);
    wrong += floats[i] != 3.0f * n * i;
    wrong += complexes[i].real != -n || complexes[i].imag != (double)n * i; /* i(x + i) */
  }
  return wrong;
}

static int check_scatter_and_gather(void) {
  const int array = matrix(C_DBL, rows, columns, "scatter");
  const int me = GA_Nodeid(), n = GA_Nnodes(), count = rows * columns;
  GA_Zero(array);
  double* values = malloc(sizeof(double) * count);
  int* places = malloc(sizeof(int) * 2 * count);
  int mine = 0;
  for (int k = me; k < count; k += n, ++mine) {
    const int at = 101 * k % count; /* 101 has no factor in common with count */
    box(places + 2 * mine, at / columns, at % columns);
    values[mine] = value_at(at / columns, at % columns);
  }
  NGA_Scatter_flat(array, values, places, mine);
  GA_Sync();
  int wrong = differing(array, rows, columns, 1, 0);
  double two = 2;
  GA_Sync();
  NGA_Scatter_acc_flat(array, values, places, mine, &two);
  GA_Sync();
  wrong += differing(array, rows, columns, 3, 0);
  for (int k = 0; k < count; ++k) {
    const int at = (101 * k + me) % count;
    box(places + 2 * k, at / columns, at % columns);
  }
  NGA_Gather_flat(array, values, places, count);
  for (int k = 0; k < count; ++k) {
    wrong += values[k] != 3 * value_at(places[2 * k], places[2 * k + 1]);
  }
  free(places);
  free(values);
  GA_Destroy(array);
  return wrong;
}

static int check_ghosts(void) {
  int dims[2] = {rows, columns}, width[2] = {2, 1}, lo[2], hi[2], shape[2], ld[1], wrong = 0;
  const int array = NGA_Create_ghosts(C_DBL, 2, dims, width, "ghosts", NULL);
  put_values(array, rows, columns);
  GA_Update_ghosts(array);
  NGA_Distribution(array, GA_Nodeid(), lo, hi);
  double* data = NULL;
  NGA_Access_ghosts(array, shape, &data, ld);
  wrong += shape[0] != hi[0] - lo[0] + 1 + 2 * width[0];
  wrong += shape[1] != hi[1] - lo[1] + 1 + 2 * width[1];
  for (int i = 0; i < shape[0]; ++i) {
    for (int j = 0; j < shape[1]; ++j) {
      const int row = (lo[0] + i - width[0] + rows) % rows;
      const int column = (lo[1] + j - width[1] + columns) % columns;
      wrong += data[i * ld[0] + j] != value_at(row, column);
    }
  }
  NGA_Release_ghosts(array);
  GA_Destroy(array);
  return wrong;
}

/* Many transfers under way at once, all ranks into all. */
static int check_non_blocking(void) {
  enum { width = 96, most = 32 };
  const int me = GA_Nodeid(), n = GA_Nnodes(), height = 4 * n * most / n;
  const int array = matrix(C_DBL, height, width, "non-blocking");
  double lines[most][width], back[most][width], one = 1;
  ga_nbhdl_t handles[most];
  int lo[2], hi[2], ld = width, used = 0, wrong = 0;
  for (int i = me; i < height && used < most; i += n, ++used) {
    for (int j = 0; j < width; ++j) lines[used][j] = value_at(i, j);
    NGA_NbPut(array, box(lo, i, 0), box(hi, i, width - 1), lines[used], &ld, &handles[used]);
  }
  for (int k = 0; k < used; ++k) NGA_NbWait(&handles[k]);
  GA_Sync();
  const int filled = n * used < height ? n * used : height;
  int got = 0;
  for (int i = (me + 1) % n; i < filled && got < most; i += n, ++got) {
    NGA_NbGet(array, box(lo, i, 0), box(hi, i, width - 1), back[got], &ld, &handles[got]);
  }
  for (int k = 0; k < got; ++k) {
    if (k % 2 != 0) NGA_NbWait(&handles[k]);
    while (k % 2 == 0 && !NGA_NbTest(&handles[k])) {
    }
    for (int j = 0; j < width; ++j) wrong += back[k][j] != value_at((me + 1) % n + k * n, j);
  }
  GA_Sync();
  for (int k = 0; k < 8; ++k) {
    NGA_NbAcc(array, box(lo, k, 0), box(hi, k, width - 1), lines[0], &ld, &one, &handles[k]);
  }
  for (int k = 0; k < 8; ++k) NGA_NbWait(&handles[k]);
  GA_Sync();
  NGA_Get(array, box(lo, 0, 0), box(hi, 7, width - 1), back, &ld);
  for (int k = 0; k < 8; ++k) {
    for (int j = 0; j < width; ++j) {
      double sum = value_at(k, j);
      for (int rank = 0; rank < n; ++rank) sum += value_at(rank, j);
      wrong += back[k][j] != sum;
    }
  }
  GA_Destroy(array);
  return wrong;
}

/* Every ticket goes out once. */
static int check_read_inc(void) {
  enum { each = 50 };
  int wrong = 0;
  const int types[2] = {C_LONG, C_INT}, n = GA_Nnodes();
  for (int k = 0; k < 2; ++k) {
    int size = 2 * n, counter = 2 * n - 1;
    const int array = NGA_Create(types[k], 1, &size, "counters", NULL);
    GA_Zero(array);
    int* drawn = calloc(n * each, sizeof(int));
    for (int i = 0; i < each; ++i) {
      const long ticket = NGA_Read_inc(array, &counter, 1);
      if (ticket >= 0 && ticket < n * each) ++drawn[ticket];
    }
    MPI_Allreduce(MPI_IN_PLACE, drawn, n * each, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n * each; ++i) wrong += drawn[i] != 1;
    GA_Sync();
    wrong += NGA_Read_inc(array, &counter, 0) != n * each;
    free(drawn);
    GA_Sync();
    GA_Destroy(array);
  }
  return wrong;
}

static int check_dot(void) {
  const int a = matrix(C_DBL, rows, columns, "a"), b = GA_Duplicate(a, "b");
  double three = 3, sum = 0;
  put_values(a, rows, columns);
  GA_Fill(b, &three);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) sum += 3 * value_at(i, j);
  }
  int wrong = GA_Ddot(a, b) != sum; /* integers: exact in any order */
  int lo[2] = {4, 5}, hi[2] = {20, 30};
  sum = 0;
  for (int i = lo[0]; i <= hi[0]; ++i) {
    for (int j = lo[1]; j <= hi[1]; ++j) sum += value_at(i, j) * value_at(i, j);
  }
  wrong += NGA_Ddot_patch(a, 'N', lo, hi, a, 'N', lo, hi) != sum;
  GA_Destroy(a);
  GA_Destroy(b);
  return wrong;
}

static double small(int i, int j) { return (3 * i + 5 * j) % 17 - 8; }

/* c = 2 a b + c, and with a transposed. */
static int check_dgemm(void) {
  enum { m = 31, k = 23, n = 29 };
  int wrong = 0, lo[2], hi[2], width;
  for (int turned = 0; turned < 2; ++turned) {
    const int a = turned ? matrix(C_DBL, k, m, "a") : matrix(C_DBL, m, k, "a");
    const int b = matrix(C_DBL, k, n, "b"), c = matrix(C_DBL, m, n, "c");
    double one = 1;
    GA_Fill(c, &one);
    const int arrays[2] = {a, b}, heights[2] = {turned ? k : m, k}, widths[2] = {turned ? m : k, n};
    for (int which = 0; which < 2; ++which) {
      width = widths[which];
      for (int i = GA_Nodeid(); i < heights[which]; i += GA_Nnodes()) {
        double row[64];
        for (int j = 0; j < width; ++j) row[j] = small(i, j);
        NGA_Put(arrays[which], box(lo, i, 0), box(hi, i, width - 1), row, &width);
      }
    }
    GA_Sync();
    GA_Dgemm(turned ? 'T' : 'N', 'N', m, n, k, 2, a, b, 1, c);
    double* product = whole(c, m, n);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        double sum = 1;
        for (int x = 0; x < k; ++x) sum += 2 * (turned ? small(x, i) : small(i, x)) * small(x, j);
        wrong += product[i * n + j] != sum;
      }
    }
    free(product);
    GA_Destroy(a);
    GA_Destroy(b);
    GA_Destroy(c);
  }
  return wrong;
}

static int check_transpose(void) {
  const int a = matrix(C_DBL, rows, columns, "a"), b = matrix(C_DBL, columns, rows, "b");
  put_values(a, rows, columns);
  GA_Transpose(a, b);
  double* turned = whole(b, columns, rows);
  int wrong = 0;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) wrong += turned[j * rows + i] != value_at(i, j);
  }
  free(turned);
  GA_Destroy(a);
  GA_Destroy(b);
  return wrong;
}

/* Whole arrays: duplicate, copy, add, scale, a patch copied across, many made and destroyed. */
static int check_whole_arrays(void) {
  const int a = matrix(C_DBL, rows, columns, "a"), b = GA_Duplicate(a, "b");
  double two = 2, minus = -1, five = 5;
  put_values(a, rows, columns);
  GA_Copy(a, b);
  int wrong = differing(b, rows, columns, 1, 0);
  wrong += !GA_Compare_distr(a, b) == 0;
  GA_Sync();
  GA_Scale(b, &two);
  GA_Add(&minus, a, &two, b, b); /* b = 4a - a */
  GA_Add_constant(b, &five);
  wrong += differing(b, rows, columns, 3, 5);
  int lo[2] = {1, 2}, hi[2] = {20, 30}, to_lo[2] = {32, 6}, to_hi[2] = {51, 34};
  NGA_Copy_patch('N', a, lo, hi, b, to_lo, to_hi);
  double part[20][29];
  int ld = 29;
  NGA_Get(b, to_lo, to_hi, part, &ld);
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 29; ++j) wrong += part[i][j] != value_at(i + 1, j + 2);
  }
  GA_Destroy(b);
  for (int k = 0; k < 40; ++k) {
    const int made = matrix(C_INT, k + 1, 3, "short-lived");
    wrong += made == 0;
    GA_Destroy(made);
  }
  wrong += differing(a, rows, columns, 1, 0);
  GA_Destroy(a);
  return wrong;
}

/* Read, change and write back under a lock. */
static int check_mutexes(void) {
  const int n = GA_Nnodes(), array = matrix(C_INT, 1, 3, "locked");
  int lo[2] = {0, 0}, hi[2] = {0, 2}, ld = 3, data[3] = {0};
  GA_Zero(array);
  int wrong = !GA_Create_mutexes(3);
  for (int k = 0; k < 12; ++k) {
    const int which = (k + GA_Nodeid()) % 3;
    GA_Lock(which);
    lo[1] = hi[1] = which;
    NGA_Get(array, lo, hi, data, &ld);
    data[0] += 1;
    GA_Init_fence();
    NGA_Put(array, lo, hi, data, &ld);
    GA_Fence();
    GA_Unlock(which);
  }
  GA_Sync();
  lo[1] = 0;
  hi[1] = 2;
  NGA_Get(array, lo, hi, data, &ld);
  for (int k = 0; k < 3; ++k) wrong += data[k] != 4 * n;
  wrong += !GA_Destroy_mutexes();
  GA_Destroy(array);
  return wrong;
}

/* A fenced put is there when a message sent after it arrives. */
static int check_fence(void) {
  enum { size = 5000 };
  const int me = GA_Nodeid(), n = GA_Nnodes();
  int length = n * size, lo, hi, ld = size, wrong = 0, token = 0;
  int map_sizes[1] = {n}, *map = malloc(sizeof(int) * n);
  for (int i = 0; i < n; ++i) map[i] = i * size;
  const int array = NGA_Create_irreg(C_DBL, 1, &length, "fenced", map_sizes, map);
  double* data = malloc(sizeof(double) * size);
  for (int turn = 1; turn <= 10; ++turn) {
    for (int i = 0; i < size; ++i) data[i] = turn * value_at(me, i);
    lo = (me + 1) % n * size;
    hi = lo + size - 1;
    GA_Init_fence();
    NGA_Put(array, &lo, &hi, data, &ld);
    GA_Fence();
    MPI_Sendrecv_replace(&token, 1, MPI_INT, (me + 1) % n, 0, (me + n - 1) % n, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    double* mine = NULL;
    lo = me * size;
    hi = lo + size - 1;
    NGA_Access(array, &lo, &hi, &mine, &ld);
    for (int i = 0; i < size; ++i) wrong += mine[i] != turn * value_at((me + n - 1) % n, i);
    NGA_Release(array, &lo, &hi);
    GA_Sync();
  }
  free(data);
  free(map);
  GA_Destroy(array);
  return wrong;
}

/* The odd ranks with an array of their own. */
static int check_groups(void) {
  const int me = GA_Nodeid(), n = GA_Nnodes(), members = n / 2;
  if (members == 0) return 0;
  int list[64], wrong = 0, dims[2] = {rows, columns};
  for (int i = 0; i < members && i < 64; ++i) list[i] = 2 * i + 1;
  const int group = GA_Pgroup_create(list, members);
  if (me % 2 == 1) {
    wrong += GA_Pgroup_nnodes(group) != members || GA_Pgroup_nodeid(group) != me / 2;
    int sum = me;
    GA_Pgroup_igop(group, &sum, 1, "+");
    wrong += sum != members * members;
    const int array = NGA_Create_config(C_DBL, 2, dims, "odd", NULL, group);
    double data[columns];
    int lo[2], hi[2], ld = columns;
    for (int i = me / 2; i < rows; i += members) {
      for (int j = 0; j < columns; ++j) data[j] = value_at(i, j);
      NGA_Put(array, box(lo, i, 0), box(hi, i, columns - 1), data, &ld);
    }
    GA_Pgroup_sync(group);
    wrong += differing(array, rows, columns, 1, 0);
    GA_Pgroup_sync(group);
    GA_Destroy(array);
  }
  GA_Sync();
  if (me % 2 == 1) GA_Pgroup_destroy(group);
  return wrong;
}

static int check_reductions(void) {
  const int me = GA_Nodeid(), n = GA_Nnodes();
  int integers[3] = {me, -me, 7}, wrong = 0;
  double doubles[2] = {0.5 * me, -me - 1};
  long root_data[100];
  GA_Igop(integers, 3, "+");
  wrong += integers[0] != n * (n - 1) / 2 || integers[1] != -integers[0] || integers[2] != 7 * n;
  GA_Dgop(doubles, 2, "absmax");
  wrong += doubles[0] != 0.5 * (n - 1) || doubles[1] != n;
  for (int i = 0; i < 100; ++i) root_data[i] = me * 1000 + i;
  GA_Brdcst(root_data, sizeof(root_data), n - 1);
  for (int i = 0; i < 100; ++i) wrong += root_data[i] != (n - 1) * 1000 + i;
  const int array = matrix(C_DBL, rows, columns, "elements");
  put_values(array, rows, columns);
  double most = 0;
  int where[2] = {0, 0};
  NGA_Select_elem(array, "max", &most, where);
  wrong += most != value_at(rows - 1, columns - 1) || where[0] != rows - 1;
  wrong += where[1] != columns - 1;
  GA_Destroy(array);
  return wrong;
}

/* Blocks dealt out in turn, and patches that wrap around. */
static int check_distributions(void) {
  int wrong = 0, dims[2] = {rows, columns}, block[2] = {8, 5};
  const int cyclic = GA_Create_handle();
  GA_Set_data(cyclic, 2, dims, C_DBL);
  GA_Set_block_cyclic(cyclic, block);
  wrong += !GA_Allocate(cyclic);
  put_values(cyclic, rows, columns);
  wrong += differing(cyclic, rows, columns, 1, 0);
  GA_Destroy(cyclic);
  const int array = matrix(C_DBL, rows, columns, "periodic");
  put_values(array, rows, columns);
  int lo[2] = {rows - 3, -4}, hi[2] = {rows + 2, 3}, ld = 8;
  double patch[6][8];
  NGA_Periodic_get(array, lo, hi, patch, &ld);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 8; ++j) {
      wrong += patch[i][j] != value_at((rows - 3 + i) % rows, (columns - 4 + j) % columns);
    }
  }
  GA_Destroy(array);
  return wrong;
}

/* A system of equations by ScaLAPACK: every row has sum columns + 1. */
static int check_equations(void) {
  enum { n = 40 };
  const int a = matrix(C_DBL, n, n, "a"), b = matrix(C_DBL, 1, n, "b");
  double one = 1, right = n + 1;
  const int diagonal = NGA_Create(C_DBL, 1, (int[1]){n}, "diagonal", NULL);
  GA_Fill(a, &one);
  GA_Fill(diagonal, &one);
  GA_Add_diagonal(a, diagonal);
  GA_Fill(b, &right);
  GA_Lu_solve('N', a, b);
  double* solution = whole(b, 1, n);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += !(solution[i] > 1 - 1e-9 && solution[i] < 1 + 1e-9);
  free(solution);
  GA_Destroy(a);
  GA_Destroy(b);
  GA_Destroy(diagonal);
  return wrong;
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    int (*run)(void);
  } checks[] = {{"put and get", check_put_and_get},
                {"four dimensions", check_four_dimensions},
                {"accumulate", check_accumulate},
                {"accumulate of other types", check_accumulate_types},
                {"scatter and gather", check_scatter_and_gather},
                {"ghosts", check_ghosts},
                {"non-blocking", check_non_blocking},
                {"read_inc", check_read_inc},
                {"dot", check_dot},
                {"dgemm", check_dgemm},
                {"transpose", check_transpose},
                {"whole arrays", check_whole_arrays},
                {"mutexes", check_mutexes},
                {"fence", check_fence},
                {"groups", check_groups},
                {"reductions", check_reductions},
                {"distributions", check_distributions},
                {"equations", check_equations}};
  MPI_Init(&argc, &argv);
  GA_Initialize();
  if (!MA_init(C_DBL, 1 << 20, 1 << 20)) GA_Error("MA_init", 0);
  long total = 0;
  for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); ++i) {
    if (argc > 1 && strcmp(argv[1], checks[i].name) != 0) continue;
    long wrong = checks[i].run();
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (wrong != 0 && GA_Nodeid() == 0) printf("wrong: %s: %ld values\n", checks[i].name, wrong);
    total += wrong;
  }
  if (total == 0 && GA_Nodeid() == 0) printf("ok\n");
  GA_Terminate();
  MPI_Finalize();
  return total == 0 ? 0 : 1;
}
