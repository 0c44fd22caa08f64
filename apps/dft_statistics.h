// What dft_scf prints: its result, and calls and bytes beside those of the thesis.
#pragma once

#include "apps/ga_layer.h"
#include "benchmarks/common/table.h"

/// One rank's result; all but the time are the same everywhere.
typedef struct {
  int ranks;
  long iterations;
  double seconds, energy;
  double change;    ///< of the Fock matrix in the last iteration
  double residual;  ///< how far the densities are from the answer, relative to it
  double memory;    ///< MB of a node's helper buffers: clients' buffers for each rank of the node
  int ok;
} dft_result;

typedef struct {
  row_format format;
  int statistics;  ///< CSV and JSON: the statistics instead of the result
} dft_format;

/// Collective; rank 0 prints.
void report_dft(const char* program, const dft_format* format, const dft_result* result,
                const ga_counters* counters);
