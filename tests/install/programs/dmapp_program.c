/* DMAPP from an installed tree, with PMI: C99 and C++11. */
#include <dmapp.h>
#include <pmi.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  dmapp_jobinfo_t job;
  int spawned = 0;
  PMI_Init(&spawned);
  memset(&job, 0, sizeof job);
  if (dmapp_init(NULL, NULL) != DMAPP_RC_SUCCESS) return 1;
  dmapp_get_jobinfo(&job);
  /* The same number from everybody, so that order does not matter. */
  uint64_t* sum = (uint64_t*)dmapp_sheap_malloc(sizeof *sum);
  *sum = 0;
  int64_t before = 0;
  PMI_Barrier();
  dmapp_return_t done = dmapp_afadd_qw(&before, sum, &job.sheap_seg, 0, 5);
  PMI_Barrier();
  if (job.pe == 0) {
    printf("%s\n", done == DMAPP_RC_SUCCESS && *sum == 5 * (uint64_t)job.npes ? "right" : "wrong");
  }
  dmapp_finalize();
  PMI_Finalize();
  return 0;
}
