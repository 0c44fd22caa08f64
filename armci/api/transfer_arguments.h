// How the arguments of transfer functions become transfers.
#pragma once

#include "armci/api/armci_call.h"

namespace armci {

/// Which operation, and of accumulates in which type and with which factor.
struct What {
  Kind kind;
  int type = 0;
  const void* scale = nullptr;
};

/// When it is to be complete: at the return, or under a handle (null: implicitly).
struct When {
  bool blocking = true;
  void* handle = nullptr;
};

int contiguous(const char* function, const What& what, void* src, void* dst, int bytes, int proc,
               When when);
int strided(const char* function, const What& what, void* src, const int* src_stride, void* dst,
            const int* dst_stride, const int* count, int levels, int proc, When when);

/// A list of pairs, in either dialect.
struct Pairs {
  void** sources;
  void** targets;
  int count;
  int bytes;
};
int listed(const char* function, const What& what, const Pairs* lists, int n, int proc, When when);

}  // namespace armci
