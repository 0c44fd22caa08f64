/* Reads options with getopt, pausing in the middle; -l takes them with getopt_long. */
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  static const struct option names[] = {{"alpha", no_argument, 0, 'a'},
                                        {"beta", required_argument, 0, 'b'},
                                        {"gamma", optional_argument, 0, 'g'},
                                        {"galaxy", no_argument, 0, 'y'},
                                        {0, 0, 0, 0}};
  const char* form = getenv("FORM") ? getenv("FORM") : "short";
  const char* text = getenv("OPTIONS") ? getenv("OPTIONS") : "ab:g::";
  int option;
  int index = -1;
  char out[2000] = ""; /* written at once: ranks take turns at each pause */
  size_t used = 0;
  if (getenv("QUIET")) opterr = 0;
  for (;;) {
    if (!strcmp(form, "short"))
      option = getopt(argc, argv, text);
    else if (!strcmp(form, "long"))
      option = getopt_long(argc, argv, text, names, &index);
    else
      option = getopt_long_only(argc, argv, text, names, &index);
    if (option == -1) break;
    sched_yield();
    used += (size_t)snprintf(out + used, sizeof out - used, "%d(%s)%d ", option,
                             optarg ? optarg : "-", optind);
    if (option == '?' || option == ':') {
      used += (size_t)snprintf(out + used, sizeof out - used, "optopt %d ", optopt);
    }
  }
  printf("%s|", out);
  for (int i = optind; i < argc; ++i) printf(" %s", argv[i]);
  printf("\n");
  return 0;
}
