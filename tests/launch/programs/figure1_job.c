/* S0's figure 1 in a job: rank 1 prints its Gemini's counters once rank 0 has sent it something. */
#include <gpcd_lib.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void figure1(void);

int main(int argc, char** argv) {
  static char message[1000];
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) MPI_Send(message, (int)sizeof message, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Recv(message, (int)sizeof message, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double begin = MPI_Wtime();
    figure1();
    if (argc > 1 && strcmp(argv[1], "time") == 0) printf("%.1f us\n", (MPI_Wtime() - begin) * 1e6);
    uint64_t packets = 0, flits = 0;
    gpcd_read_mmr_val_byname("GM_RAT_PERF_HEADER_FLITS_VC0", &packets, 0);
    gpcd_read_mmr_val_byname("GM_RAT_PERF_DATA_FLITS_VC0", &flits, 2);
    printf("requests %lu, flits %lu\n", (unsigned long)packets, (unsigned long)flits);
    gpcd_context_t* context = gpcd_create_context();
    gpcd_context_add_mmr(context, gpcd_lookup_mmr_byname("GM_0_0_TILE_PERFORMANCE_COUNTERS_0"));
    for (unsigned nic = 0; nic < 6; ++nic) {
      gpcd_context_set_nic_addr(context, nic);
      printf("of nid %u: %d\n", nic, gpcd_context_read_mmr_vals(context));
    }
    gpcd_remove_context(context);
  }
  MPI_Finalize();
  return 0;
}
