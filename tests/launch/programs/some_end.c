/* Odd ranks end at once; the others have an event every microsecond. */
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  if (atoi(getenv("ALPS_APP_PE")) % 2 != 0) return 0;
  for (;;) usleep(1);
}
