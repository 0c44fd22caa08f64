/* A program that has functions under names of {fmt}'s, and exports them: they are its own, and the
   libraries' texts are theirs. */
#include <pmi.h>
#include <stdio.h>
#include <stdlib.h>

#define FMT_ARGUMENTS                                                                  \
  "NS0_17basic_string_viewIcEENS0_17basic_format_argsINS0_20basic_format_contextINS0_" \
  "8appenderEcEEEE"

int own_vformat(int number) __asm__("_ZN3fmt2v97vformatB5cxx11E" FMT_ARGUMENTS);
int own_vprint(int number) __asm__("_ZN3fmt2v96vprintEP8_IO_FILE" FMT_ARGUMENTS);
int own_vprint_to_stdout(int number) __asm__("_ZN3fmt2v96vprintE" FMT_ARGUMENTS);

/* Called with anything else, somebody has taken it for another. */
static int known(int number, int expected) {
  if (number != expected) abort();
  return number + 1;
}
int own_vformat(int number) { return known(number, 10); }
int own_vprint(int number) { return known(number, 20); }
int own_vprint_to_stdout(int number) { return known(number, 30); }

int main(void) {
  int rank = 0;
  char data[64] = {0}, all[64 * 8];
  PMI_Get_rank(&rank);
  /* The libraries say what is wrong with this. */
  PMI_Allgather(data, all, rank == 1 ? 8 : 4);
  PMI_Barrier();
  if (rank == 0) printf("%d %d %d\n", own_vformat(10), own_vprint(20), own_vprint_to_stdout(30));
  return 0;
}
