/* The Gemini monitor library (libgm): what a region of an MPI program sent over which link. */
/*
 * After S0, section IV. Link with -lgm -lgpcd -lrca, behind -lgm (pkg-config: gemini-monitor).
 *
 *   gemini_state_t state;
 *   gemini_init_state(comm, &state);
 *   gemini_read_counters(comm, &state);
 *   ... the region ...
 *   gemini_read_counters(comm, &state);
 *   gemini_print_counters(comm, &state);
 *   gemini_free_state(comm, &state);
 *
 * All ranks of `comm` call each of these, with the communicator of gemini_init_state(), and all of
 * them get the same answer; where that is an error, one rank says what it is in one line on
 * standard error. The lowest rank of `comm` on each Gemini, its leader, reads that Gemini's
 * counters; they count what arrives at the Gemini, for whichever job.
 *
 * Which tile is which link stands in a file as `rtr --interconnect` writes it: the file named by
 * GEMINI_INTERCONNECT, or else interconnect.txt in the working directory. Rank 0 of `comm` reads
 * it.
 */
#pragma once

#include <mpi.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the functions return. */
#define GEMINI_SUCCESS 0
#define GEMINI_ERR_ARG 1      /* null, another communicator, or a state that is not initialised */
#define GEMINI_ERR_MAP 2      /* the file of links: missing, wrong, or without one of the Geminis */
#define GEMINI_ERR_PLACE 3    /* RCA does not know where a node stands, or it is no torus */
#define GEMINI_ERR_COUNTERS 4 /* counters cannot be read */
#define GEMINI_ERR_SAMPLES 5  /* two reads come before the first print */
#define GEMINI_ERR_OUTPUT 6   /* the output cannot be written */
#define GEMINI_ERR_MEMORY 7
#define GEMINI_ERR_MPI 8 /* an MPI call failed, where MPI's error handler returns */

/* The library's; only to be passed on. A rank that is no leader keeps nothing else. */
typedef struct gemini_state {
  int ready, code;
  MPI_Comm comm;
  MPI_Comm leaders; /* one rank of each Gemini, by rank in comm; else MPI_COMM_NULL */
  struct gm_leader* leader;
  FILE* output;
} gemini_state_t;

/* Finds the leaders, gives each its own lines of the file, and tries whether counters can be read.
   After an error the other calls return the same one, and the state needs no
   gemini_free_state(). */
int gemini_init_state(MPI_Comm comm, gemini_state_t* state);

/* Takes a sample; the last two are kept. It sends nothing, so that it counts no messages of its
   own, and so it does not wait for other ranks: where what they have sent before, or send already,
   matters, call MPI_Barrier() on both sides of it, and take its few messages into account. If a
   leader cannot read, gemini_print_counters() tells all ranks. */
int gemini_read_counters(MPI_Comm comm, gemini_state_t* state);

/* Rank 0 prints what was counted between the last two samples, as S0's figure 4: of each Gemini,
   by its leader's rank, its coordinates, then a line for each link that it has (X+ to Z-, then HH,
   the hosts): direction, coordinates of the other end, GB/s, the six counters.

   If GEMINI_VERBOSE is set to 1, a line on standard error says how much memory the library uses. */
int gemini_print_counters(MPI_Comm comm, gemini_state_t* state);

/* Where rank 0 prints: standard output if this is not called, or with a null pointer. */
int gemini_set_output(gemini_state_t* state, FILE* output);

int gemini_free_state(MPI_Comm comm, gemini_state_t* state);

#ifdef __cplusplus
} /* extern "C" */
#endif
