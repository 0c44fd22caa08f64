/* A job of DMAPP alone. "leave CODE": the last rank ends without dmapp_finalize, for which the
 * others wait; "twice": what is started twice is ended twice; "with_pmi": PMI, open around it, says
 * that the ranks end in order, and none calls dmapp_finalize. "nowhere": PE 1 puts a word that it
 * does not have, to PE 2. */
#include <dmapp.h>
#include <pmi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  int spawned = 0;
  const char* what = argc > 1 ? argv[1] : "";
  dmapp_jobinfo_t job;
  memset(&job, 0, sizeof job);
  if (strcmp(what, "with_pmi") == 0) PMI_Init(&spawned);
  if (dmapp_init(NULL, NULL) != DMAPP_RC_SUCCESS) return 9;
  if (dmapp_get_jobinfo(&job) != DMAPP_RC_SUCCESS) return 9;
  if (strcmp(what, "with_pmi") == 0) return PMI_Finalize();
  if (strcmp(what, "leave") == 0 && job.pe == job.npes - 1) exit(atoi(argv[2]));
  if (strcmp(what, "nowhere") == 0 && job.pe == 1) {
    void* word = dmapp_sheap_malloc(8);
    return dmapp_put(word, &job.sheap_seg, 2, (void*)4096, 1, DMAPP_QW);
  }
  if (strcmp(what, "twice") == 0) {
    dmapp_init(NULL, NULL);
    dmapp_finalize();
  }
  return dmapp_finalize() == DMAPP_RC_SUCCESS ? 0 : 9;
}
