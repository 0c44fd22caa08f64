/* Declares itself free of mutable globals, and uses OpenMP, whose library has them. */
#include "corespec/include/corespec_work.h"

CORESPEC_SHARED_IMAGE;

int openmp_sum(int n);

int main(void) { return openmp_sum(10) != 45; }
