/* Declares itself free of mutable globals, and opens a library that has them. */
#include <dlfcn.h>
#include <stdio.h>

#include "corespec/include/corespec_work.h"

CORESPEC_SHARED_IMAGE;

int main(void) {
  const void* opened = dlopen("libcastor_papi.so.0", RTLD_NOW);
  puts(opened == NULL ? dlerror() : "opened");
  return 0;
}
