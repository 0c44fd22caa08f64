/* Says which node it is on, as samplers find it out. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  char cname[64] = "", nid[64] = "";
  FILE* file = fopen("/proc/cray_xt/cname", "r");
  const int number = open("/proc/cray_xt/nid", O_RDONLY);
  if (file == NULL || fgets(cname, sizeof cname, file) == NULL) return 1;
  if (read(number, nid, sizeof nid - 1) <= 0) return 2;
  if (access("/proc/cray_xt/cname", R_OK) != 0) return 3;
  if (access("/proc/cray_xt/other", F_OK) == 0) return 4;
  printf("%s: %.*s nid %s", getenv("ALPS_APP_PE"), (int)strcspn(cname, "\n"), cname, nid);
  fclose(file);
  /* Nothing stays open behind them. */
  close(number);
  for (int i = 0; i < 100; ++i) {
    const int again = open("/proc/cray_xt/nid", O_RDONLY);
    if (again > number || close(again) != 0) return 5;
  }
  return 0;
}
