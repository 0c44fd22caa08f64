/* uGNI from an installed tree, started with PMI: C99 and C++11. */
#include <gni_pub.h>
#include <pmi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int spawned = 0;
  int rank = -1;
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  uint32_t address = 0;
  gni_mem_handle_t handle;
  uint64_t memory[8];
  PMI_Init(&spawned);
  PMI_Get_rank(&rank);
  int wrong = GNI_CdmCreate((uint32_t)rank, (uint8_t)atoi(getenv("PMI_GNI_PTAG")),
                            (uint32_t)strtoul(getenv("PMI_GNI_COOKIE"), NULL, 10), 0,
                            &domain) != GNI_RC_SUCCESS;
  wrong = wrong || GNI_CdmAttach(domain, 0, &address, &nic) != GNI_RC_SUCCESS;
  memset(&handle, 0, sizeof handle);
  wrong = wrong || GNI_MemRegister(nic, (uint64_t)(uintptr_t)memory, sizeof memory, NULL,
                                   GNI_MEM_READWRITE, (uint32_t)-1, &handle) != GNI_RC_SUCCESS;
  wrong = wrong || GNI_MemDeregister(nic, &handle) != GNI_RC_SUCCESS;
  wrong = wrong || GNI_CdmDestroy(domain) != GNI_RC_SUCCESS;
  PMI_Barrier();
  if (rank == 0) printf("%s\n", wrong ? "wrong" : "right");
  PMI_Finalize();
  return 0;
}
