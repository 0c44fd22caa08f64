// Loaded before ScaLAPACK's tests: fills what they read without having set it with a byte (UNSET),
// so that what comes of it does not depend on chance.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

// The estimate, which PSLACON and PDLACON take for the last one when they are called first.
#define LACON(name, real)                                                                         \
  void name(int* n, real* v, int* iv, int* jv, int* descv, real* x, int* ix, int* jx, int* descx, \
            int* isgn, real* est, int* kase) {                                                    \
    void (*const next)(int*, real*, int*, int*, int*, real*, int*, int*, int*, int*, real*,       \
                       int*) = dlsym(RTLD_NEXT, #name);                                           \
    if (*kase == 0) memset(est, UNSET, sizeof *est);                                              \
    next(n, v, iv, jv, descv, x, ix, jx, descx, isgn, est, kase);                                 \
  }
LACON(pslacon_, float)
LACON(pdlacon_, double)

__attribute__((noinline)) static void fill_stack(void) {
  volatile unsigned char below[32768];
  for (size_t i = 0; i < sizeof below; ++i) below[i] = UNSET;
}

// The bounds of eigenvalues, variables of the routine that the tests call next.
void descinit_(int* desc, int* m, int* n, int* mb, int* nb, int* irsrc, int* icsrc, int* ictxt,
               int* lld, int* info) {
  void (*const next)(int*, int*, int*, int*, int*, int*, int*, int*, int*, int*) =
      dlsym(RTLD_NEXT, "descinit_");
  next(desc, m, n, mb, nb, irsrc, icsrc, ictxt, lld, info);
  fill_stack();
}
