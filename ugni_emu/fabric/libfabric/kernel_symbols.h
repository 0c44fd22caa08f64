// Keeps libfabric from reading the kernel's list of symbols when it starts.
#pragma once

#include "ugni_emu/fabric/libfabric/replaced_call.h"

namespace ugni::fabric {

/// libfabric's drivers for verbs and EFA read /proc/kallsyms whenever a process first asks for
/// providers, wanted or not: 10 MB of text, composed anew by the kernel each time, to learn whether
/// the memory of other devices can be registered. That is most of a live rank's start, and no
/// code here registers such memory. As long as this exists libfabric's own fopen() says of that
/// file that there is none; its other files, and all other code's, are opened by the C library's.
class KernelSymbolsHidden {
 public:
  /// `library`: libfabric, from dlopen(). Does nothing where its table of calls cannot be found or
  /// changed.
  explicit KernelSymbolsHidden(void* library);

 private:
  ReplacedCall open_;
};

}  // namespace ugni::fabric
