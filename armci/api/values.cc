// ARMCI functions: single values.
#include "armci/api/transfer_arguments.h"

// A value is taken with the call, so that the non-blocking form has nothing left to wait for.
#define ARMCI_VALUE(Name, type)                                                                 \
  extern "C" int PARMCI_PutValue##Name(type value, void* dst, int proc) {                       \
    return armci::contiguous("ARMCI_PutValue" #Name, {armci::Kind::put}, &value, dst,           \
                             sizeof value, proc, {});                                           \
  }                                                                                             \
  extern "C" int PARMCI_NbPutValue##Name(type value, void* dst, int proc, armci_hdl_t*) {       \
    return PARMCI_PutValue##Name(value, dst, proc);                                             \
  }                                                                                             \
  extern "C" type PARMCI_GetValue##Name(void* src, int proc) {                                  \
    type value{};                                                                               \
    const int code = armci::contiguous("ARMCI_GetValue" #Name, {armci::Kind::get}, src, &value, \
                                       sizeof value, proc, {});                                 \
    if (code != armci::ok) armci::fail("ARMCI_GetValue" #Name, "no such remote value");         \
    return value;                                                                               \
  }                                                                                             \
  ARMCI_PUBLIC(PutValue##Name);                                                                 \
  ARMCI_PUBLIC(NbPutValue##Name);                                                               \
  ARMCI_PUBLIC(GetValue##Name);

ARMCI_VALUE(Int, int)
ARMCI_VALUE(Long, long)
ARMCI_VALUE(Float, float)
ARMCI_VALUE(Double, double)
