// Which Gemini a rank's node is on, and which rank leads on each Gemini.
#pragma once

#include <mpi.h>
#include <stdbool.h>

#include "apps/gemini_monitor/gm_failure.h"

typedef struct {
  int at[3];   // coordinates of the Gemini
  int number;  // the same as one number
  bool only;   // the system has no other Gemini
} gm_place;

int gm_find_place(gm_place* place, gm_failure* failure);

/// A communicator of the lowest rank of `comm` on each Gemini, in the order of their ranks;
/// MPI_COMM_NULL on the others.
int gm_elect_leaders(MPI_Comm comm, const gm_place* place, MPI_Comm* leaders, gm_failure* failure);
