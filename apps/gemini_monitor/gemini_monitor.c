// The library's functions.
#include "apps/gemini_monitor/gemini_monitor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apps/gemini_monitor/gm_counters.h"
#include "apps/gemini_monitor/gm_failure.h"
#include "apps/gemini_monitor/gm_place.h"
#include "apps/gemini_monitor/gm_report.h"
#include "apps/gemini_monitor/gm_share.h"
#include "apps/gemini_monitor/gm_tiles.h"

enum { state_is_ready = 0x474d, state_has_failed };

/// What the leader of a Gemini keeps.
typedef struct gm_leader {
  gm_place place;
  gm_tile_map map;
  gpcd_context_t* context;
  gm_sample samples[2];  // in turn
  unsigned long reads;
  int unread;  // why a read has failed: an error number; 0: none has
} leader;

/// A call with this state: GEMINI_SUCCESS, or what it returns instead of doing anything. Of an
/// initialisation that has failed ranks have heard already.
static int check_use(MPI_Comm comm, const gemini_state_t* state) {
  if (state == NULL) return gm_refuse(comm, "the state is a null pointer");
  if (state->ready == state_has_failed) return state->code;
  if (state->ready != state_is_ready) return gm_refuse(comm, "the state is not initialised");
  if (comm != state->comm) {
    return gm_refuse(state->comm, "the communicator is not that of gemini_init_state()");
  }
  return GEMINI_SUCCESS;
}

static void release(gemini_state_t* state) {
  if (state->leader != NULL) {
    if (state->leader->context != NULL) gpcd_remove_context(state->leader->context);
    free(state->leader);
  }
  if (state->leaders != MPI_COMM_NULL) MPI_Comm_free(&state->leaders);
  *state = (gemini_state_t){.leaders = MPI_COMM_NULL, .comm = MPI_COMM_NULL};
}

static int leader_rank(const gemini_state_t* state) {
  int rank = -1;
  if (state->leaders != MPI_COMM_NULL) MPI_Comm_rank(state->leaders, &rank);
  return rank;
}

static int count_geminis(const gemini_state_t* state) {
  int geminis = 0;
  MPI_Comm_size(state->leaders, &geminis);
  return geminis;
}

static void* allocate(size_t count, size_t bytes, gm_failure* failure) {
  void* const memory = calloc(count, bytes);
  if (memory == NULL) gm_fail(failure, GEMINI_ERR_MEMORY, "no memory: %zu bytes", count * bytes);
  return memory;
}

static void cannot_read(const leader* own, int why, gm_failure* failure) {
  const int* const at = own->place.at;
  gm_fail(failure, GEMINI_ERR_COUNTERS,
          "the counters of the Gemini at (%d,%d,%d) cannot be read: %s", at[0], at[1], at[2],
          strerror(why));
}

/// A leader's own things. A read that works here will do so later.
static void prepare_leader(gemini_state_t* state, gm_addressee* addressees, gm_failure* failure) {
  leader* const own = state->leader;
  if (gm_share_map(state->leaders, &own->place, addressees, &own->map, failure) != GEMINI_SUCCESS) {
    return;
  }
  own->context = gm_open_counters(failure);
  if (own->context == NULL) return;
  const int why = gm_take_sample(own->context, &own->map, &own->samples[0]);
  if (why != 0) cannot_read(own, why, failure);
}

/// All ranks together; each step needs that the one before has worked everywhere.
static int initialise(MPI_Comm comm, gemini_state_t* state, gm_failure* failure) {
  gm_place place;
  gm_find_place(&place, failure);
  int code = gm_agree(comm, failure);
  if (code != GEMINI_SUCCESS) return code;

  gm_addressee* addressees = NULL;
  gm_elect_leaders(comm, &place, &state->leaders, failure);
  if (state->leaders != MPI_COMM_NULL) {
    state->leader = allocate(1, sizeof *state->leader, failure);
    if (state->leader != NULL) state->leader->place = place;
    if (leader_rank(state) == 0) {
      addressees = allocate((size_t)count_geminis(state), sizeof *addressees, failure);
    }
  }
  code = gm_agree(comm, failure);
  if (code == GEMINI_SUCCESS) {
    if (state->leader != NULL) prepare_leader(state, addressees, failure);
    code = gm_agree(comm, failure);
  }
  free(addressees);
  return code;
}

int gemini_init_state(MPI_Comm comm, gemini_state_t* state) {
  gemini_state_t unused;  // a rank without a state takes part, so that no other waits for it
  gemini_state_t* const own = state != NULL ? state : &unused;
  *own = (gemini_state_t){
      .comm = comm, .leaders = MPI_COMM_NULL, .ready = state_has_failed, .code = GEMINI_ERR_ARG};
  if (comm == MPI_COMM_NULL) return gm_refuse(comm, "the communicator is MPI_COMM_NULL");
  gm_failure failure = {.code = GEMINI_SUCCESS};
  if (state == NULL) gm_fail(&failure, GEMINI_ERR_ARG, "the state is a null pointer");
  const int code = initialise(comm, own, &failure);
  if (code != GEMINI_SUCCESS) release(own);
  own->ready = code == GEMINI_SUCCESS ? state_is_ready : state_has_failed;
  own->code = code;
  return code;
}

int gemini_read_counters(MPI_Comm comm, gemini_state_t* state) {
  const int wrong = check_use(comm, state);
  if (wrong != GEMINI_SUCCESS) return wrong;
  leader* const own = state->leader;
  if (own == NULL) return GEMINI_SUCCESS;
  const int why = gm_take_sample(own->context, &own->map, &own->samples[own->reads++ % 2]);
  if (why != 0) own->unread = why;
  return GEMINI_SUCCESS;
}

static void check_samples(const leader* own, gm_failure* failure) {
  if (own->unread != 0) {
    cannot_read(own, own->unread, failure);
  } else if (own->reads < 2) {
    gm_fail(failure, GEMINI_ERR_SAMPLES,
            "gemini_print_counters() after %lu of two calls of gemini_read_counters()", own->reads);
  }
}

static size_t bytes_of_rank(const gemini_state_t* state) {
  return sizeof *state + (state->leader == NULL ? 0 : sizeof *state->leader + gm_counters_bytes());
}

static bool is_verbose(void) {
  const char* const value = getenv("GEMINI_VERBOSE");
  return value != NULL && strcmp(value, "1") == 0;
}

/// Rank 0 says, if it is asked to, how much memory ranks use; all leaders call it.
static void print_memory(const gemini_state_t* state, size_t gathered, gm_failure* failure) {
  const int rank = leader_rank(state);
  const uint64_t own = rank == 0 ? 0 : bytes_of_rank(state);
  uint64_t most = 0;
  const int result = MPI_Reduce(&own, &most, 1, MPI_UINT64_T, MPI_MAX, 0, state->leaders);
  if (gm_mpi_worked(failure, "MPI_Reduce", result) && rank == 0 && is_verbose()) {
    fprintf(stderr,
            "gemini monitor: %d Geminis; memory: rank 0 %zu bytes, other leaders %" PRIu64
            ", other ranks %zu\n",
            count_geminis(state), bytes_of_rank(state) + gathered, most, sizeof *state);
  }
}

/// Every leader's part; on rank 0 `records` has room for all.
static void report(const gemini_state_t* state, gm_record* records, gm_failure* failure) {
  const leader* const own = state->leader;
  gm_record record;
  gm_fill_record(&record, &own->map, &own->samples[own->reads % 2],
                 &own->samples[(own->reads + 1) % 2]);
  const bool gathered =
      gm_gather_records(state->leaders, &record, records, failure) == GEMINI_SUCCESS;
  const int geminis = count_geminis(state);
  if (leader_rank(state) == 0 && gathered) {
    gm_print_records(state->output != NULL ? state->output : stdout, records, geminis, failure);
  }
  print_memory(state, (size_t)geminis * sizeof *records, failure);
}

int gemini_print_counters(MPI_Comm comm, gemini_state_t* state) {
  const int wrong = check_use(comm, state);
  if (wrong != GEMINI_SUCCESS) return wrong;
  gm_failure failure = {.code = GEMINI_SUCCESS};
  gm_record* records = NULL;
  if (state->leader != NULL) {
    check_samples(state->leader, &failure);
    if (leader_rank(state) == 0) {
      records = allocate((size_t)count_geminis(state), sizeof *records, &failure);
    }
  }
  int code = gm_agree(comm, &failure);
  if (code == GEMINI_SUCCESS) {
    if (state->leader != NULL) report(state, records, &failure);
    code = gm_agree(comm, &failure);
  }
  free(records);
  return code;
}

int gemini_set_output(gemini_state_t* state, FILE* output) {
  if (state == NULL || state->ready != state_is_ready) return GEMINI_ERR_ARG;
  state->output = output;
  return GEMINI_SUCCESS;
}

int gemini_free_state(MPI_Comm comm, gemini_state_t* state) {
  const int wrong = check_use(comm, state);
  if (wrong != GEMINI_SUCCESS) return wrong;
  release(state);
  return GEMINI_SUCCESS;
}
