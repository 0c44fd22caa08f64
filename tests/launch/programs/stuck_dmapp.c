/* A program of DMAPP that hangs: one PE has ended, the others wait for it. */
#include <dmapp.h>
#include <pmi.h>

int main(void) {
  dmapp_jobinfo_t job;
  int spawned = 0;
  PMI_Init(&spawned);
  dmapp_init(NULL, NULL);
  dmapp_get_jobinfo(&job);
  if (job.pe != 0) PMI_Barrier();
  dmapp_finalize();
  PMI_Finalize();
  return 0;
}
