// dft_scf's tables.
#include "apps/dft_statistics.h"

#include <mpi.h>
#include <string.h>

/// The thesis's table 3-1: processor 0 of 256. KB of 1,024 bytes.
typedef struct {
  const char* kind;
  double calls, kilobytes, remote_kilobytes;
} statistic;

enum { kinds = 5 };

static const statistic thesis[kinds] = {{"create", 256, 0, 0},
                                        {"destroy", 256, 0, 0},
                                        {"get", 3425, 7031.25, 5332.03},
                                        {"put", 465, 1796.87, 1191.40},
                                        {"acc", 448, 345.70, 236.32}};

/// The same three numbers of one kind of this program's.
typedef struct {
  double numbers[kinds][3];
} statistics;

static void take(const ga_traffic* from, double* to) {
  to[0] = (double)from->calls;
  to[1] = from->bytes / 1024.0;
  to[2] = (from->bytes - from->own_bytes) / 1024.0;
}

static statistics statistics_of(const ga_counters* counters) {
  statistics result = {{{(double)counters->creates, 0, 0}, {(double)counters->destroys, 0, 0}}};
  take(&counters->get, result.numbers[2]);
  take(&counters->put, result.numbers[3]);
  take(&counters->acc, result.numbers[4]);
  return result;
}

static void print_statistics(const char* program, row_format format, const statistics* own,
                             const statistics* mean) {
  const column columns[] = {
      {"statistic", "statistic", 11, -1},   {"calls_thesis", "calls:thesis", 13, 0},
      {"calls_rank0", "rank 0", 10, 0},     {"calls_mean", "mean", 10, 1},
      {"kb_thesis", "KB:thesis", 11, 2},    {"kb_rank0", "rank 0", 10, 2},
      {"kb_mean", "mean", 10, 2},           {"remote_kb_thesis", "remote:thesis", 14, 2},
      {"remote_kb_rank0", "rank 0", 10, 2}, {"remote_kb_mean", "mean", 10, 2}};
  enum { count = sizeof columns / sizeof columns[0] };
  cell rows[kinds][count];
  for (int i = 0; i < kinds; ++i) {
    const cell cells[count] = {{thesis[i].kind, 0},         {NULL, thesis[i].calls},
                               {NULL, own->numbers[i][0]},  {NULL, mean->numbers[i][0]},
                               {NULL, thesis[i].kilobytes}, {NULL, own->numbers[i][1]},
                               {NULL, mean->numbers[i][1]}, {NULL, thesis[i].remote_kilobytes},
                               {NULL, own->numbers[i][2]},  {NULL, mean->numbers[i][2]}};
    memcpy(rows[i], cells, sizeof cells);
  }
  print_table(program, format, columns, count, rows[0], kinds);
}

static void print_result(const char* program, row_format format, const dft_result* result,
                         double least, double most, double mean) {
  const column columns[] = {{"ranks", "ranks", 8, 0},
                            {"iterations", "iterations", 12, 0},
                            {"min", "min(s)", 12, 6},
                            {"max", "max(s)", 12, 6},
                            {"avg", "avg(s)", 12, 6},
                            {"energy", "energy", 16, 6},
                            {"change", "change", 14, 9},
                            {"residual", "residual", 14, 12},
                            {"memory", "buffers(MB/node)", 17, 2},
                            {"ok", "ok", 4, -1}};
  const cell cells[] = {{NULL, (double)result->ranks},
                        {NULL, (double)result->iterations},
                        {NULL, least},
                        {NULL, most},
                        {NULL, mean},
                        {NULL, result->energy},
                        {NULL, result->change},
                        {NULL, result->residual},
                        {NULL, result->memory},
                        {result->ok ? "yes" : "no", 0}};
  print_table(program, format, columns, (int)(sizeof columns / sizeof columns[0]), cells, 1);
}

void report_dft(const char* program, const dft_format* format, const dft_result* result,
                const ga_counters* counters) {
  const statistics own = statistics_of(counters);
  statistics mean;
  double least = 0;
  double most = 0;
  double sum = 0;
  MPI_Reduce(&result->seconds, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&result->seconds, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&result->seconds, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(own.numbers, mean.numbers, 3 * kinds, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  for (int i = 0; i < kinds; ++i) {
    for (int j = 0; j < 3; ++j) mean.numbers[i][j] /= result->ranks;
  }
  const int both = format->format == format_table;
  if (both || !format->statistics) {
    print_result(program, format->format, result, least, most, sum / result->ranks);
  }
  if (both) printf("\n");
  if (both || format->statistics) print_statistics(program, format->format, &own, &mean);
}
