/* Programs of DMAPP that hang: the first argument says how. None: PE 0 has ended, the others wait
 * for it. "locks": PEs 1 and 2 have a lock at PE 0 each and wait for the other's. */
#include <dmapp.h>
#include <pmi.h>
#include <string.h>

static dmapp_lock_desc_t locks[2];

static void take(dmapp_jobinfo_t* job, int number) {
  dmapp_lock_handle_t handle;
  dmapp_lock_acquire(&locks[number], &job->data_seg, 0, 0, &handle);
}

int main(int argc, char** argv) {
  dmapp_jobinfo_t job;
  int spawned = 0;
  const int with_locks = argc > 1 && strcmp(argv[1], "locks") == 0;
  PMI_Init(&spawned);
  dmapp_init(NULL, NULL);
  dmapp_get_jobinfo(&job);
  if (with_locks && job.pe != 0) take(&job, job.pe - 1);
  if (with_locks) PMI_Barrier();
  if (with_locks && job.pe != 0) take(&job, 2 - job.pe);
  if (with_locks || job.pe != 0) PMI_Barrier();
  dmapp_finalize();
  PMI_Finalize();
  return 0;
}
