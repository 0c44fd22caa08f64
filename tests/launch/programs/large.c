/* A megabyte of constants: reads them, and reports what memory the process holds. */
#include <stdio.h>
#include <string.h>

static const char constants[1 << 20] = {[(1 << 20) - 1] = 7};
static int mine;

/* Memory files count where they are kept (RssShmem), whoever maps them. */
static long resident_kb(void) {
  char line[256];
  long total = 0, value;
  FILE* file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file)) {
    if (sscanf(line, "RssAnon: %ld", &value) == 1) total += value;
  }
  if (file) fclose(file);
  file = fopen("/proc/self/smaps_rollup", "r");
  while (file && fgets(line, sizeof line, file)) {
    if (sscanf(line, "Pss_Shmem: %ld", &value) == 1) total += value;
  }
  if (file) fclose(file);
  return total;
}

int main(void) {
  long sum = 0;
  const volatile char* byte = constants;
  for (long i = 0; i < (1 << 20); ++i) sum += byte[i] == 0;
  ++mine;
  printf("sum %ld mine %d resident %ld\n", sum, mine, resident_kb());
  return 0;
}
