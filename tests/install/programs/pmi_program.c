/* PMI alone from an installed tree: C99 and C++11. */
#include <pmi_cray.h>
#include <stdio.h>

int main(void) {
  int spawned = 0;
  int rank = -1;
  int size = 0;
  int told = 0;
  PMI_Init(&spawned);
  PMI_Get_rank(&rank);
  PMI_Get_size(&size);
  if (rank == 0) told = 1000 + size;
  PMI_Bcast(&told, sizeof told);
  PMI_Barrier();
  if (rank == 0) printf("%s\n", told == 1000 + size ? "right" : "wrong");
  PMI_Finalize();
  return 0;
}
