/* Declares its computing as modelled. */
#include "corespec/include/corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

int main(void) {
  corespec_work_ns(1000);
  return 0;
}
