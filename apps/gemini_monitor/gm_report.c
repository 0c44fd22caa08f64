// What was counted, gathered on rank 0 and printed as S0's figure 4.
#include "apps/gemini_monitor/gm_report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "apps/gemini_monitor/gemini_monitor.h"

void gm_fill_record(gm_record* record, const gm_tile_map* map, const gm_sample* before,
                    const gm_sample* after) {
  memcpy(record->links, map->links, sizeof record->links);
  for (int link = 0; link < gm_links; ++link) {
    for (int counter = 0; counter < gm_counters; ++counter) {
      record->counted.counts[link][counter] =
          after->counts[link][counter] - before->counts[link][counter];
    }
  }
}

int gm_gather_records(MPI_Comm leaders, const gm_record* own, gm_record* records,
                      gm_failure* failure) {
  gm_mpi_worked(failure, "MPI_Gather",
                MPI_Gather(own, sizeof *own, MPI_BYTE, records, sizeof *own, MPI_BYTE, 0, leaders));
  return failure->code;
}

static void print_link(FILE* output, int number, const gm_link* link, const uint64_t* counts) {
  fprintf(output, "%s\t(%d, %d, %d)\t%.2f", gm_link_name(number), link->to[0], link->to[1],
          link->to[2], link->rate);
  for (int counter = 0; counter < gm_counters; ++counter) {
    fprintf(output, "\t%" PRIu64, counts[counter]);
  }
  fputc('\n', output);
}

static void print_record(FILE* output, const gm_record* record) {
  const int* const at = record->links[gm_host].to;
  fprintf(output, "\t(%d, %d, %d)\n", at[0], at[1], at[2]);
  for (int link = 0; link < gm_links; ++link) {
    if (record->links[link].tiles == 0) continue;
    print_link(output, link, &record->links[link], record->counted.counts[link]);
  }
}

int gm_print_records(FILE* output, const gm_record* records, int count, gm_failure* failure) {
  clearerr(output);
  errno = 0;
  fputs(
      "#\tDEST_COORD\n"
      "#\tSRC_COORD\tGB/s\tVC0_PHITS\tVC1_PHITS\tVC0_PKTS\tVC1_PKTS\tINQ_STALLS\tOUTQ_STALLS\n",
      output);
  for (int i = 0; i < count; ++i) print_record(output, &records[i]);
  if (fflush(output) != 0 || ferror(output)) {
    gm_fail(failure, GEMINI_ERR_OUTPUT, "the counters cannot be written: %s",
            errno != 0 ? strerror(errno) : "the output has an error");
  }
  return failure->code;
}
