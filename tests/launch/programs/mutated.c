// A small program whose file a test damages.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const words[] = {"one", "two", "three"};
static int numbers[64];

__attribute__((constructor)) static void begin(void) { numbers[0] = (int)strlen(words[2]); }

int main(int argc, char** argv) {
  for (int i = 1; i < 64; ++i) numbers[i] = numbers[i - 1] * 3 + argc;
  printf("%s %d %s\n", words[argc % 3], numbers[63], getenv("HOME") == NULL ? argv[0] : "home");
  return 0;
}
