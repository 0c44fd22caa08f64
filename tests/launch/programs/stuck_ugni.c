/* Programs on PMI and uGNI that hang: the first argument says how. */
#include <gni_pub.h>
#include <pmi.h>
#include <stdlib.h>
#include <string.h>

/* Waits for an event that nothing brings. */
static void wait_event(int rank) {
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  gni_cq_handle_t queue;
  gni_cq_entry_t event;
  uint32_t address = 0;
  const uint8_t tag = (uint8_t)atoi(getenv("PMI_GNI_PTAG"));
  const uint32_t cookie = (uint32_t)atoi(getenv("PMI_GNI_COOKIE"));
  GNI_CdmCreate((uint32_t)rank, tag, cookie, 0, &domain);
  GNI_CdmAttach(domain, 0, &address, &nic);
  GNI_CqCreate(nic, 16, 0, GNI_CQ_BLOCKING, NULL, NULL, &queue);
  GNI_CqWaitEvent(queue, (uint64_t)-1, &event);
}

int main(int argc, char** argv) {
  int spawned = 0;
  int rank = 0;
  PMI_Init(&spawned);
  PMI_Get_rank(&rank);
  if (argc > 1 && strcmp(argv[1], "event") == 0 && rank == 0) wait_event(rank);
  PMI_Barrier();
  PMI_Finalize();
  return 0;
}
