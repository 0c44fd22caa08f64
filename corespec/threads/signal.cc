// Waking threads that sleep until a signal, of any process that maps it.
#include "corespec/threads/signal.h"

#include "corespec/host/futex.h"

namespace corespec {

void Signal::wake_sleepers() {
  rung_.fetch_add(1, std::memory_order_seq_cst);
  futex::wake_all(rung_, futex::Scope::shared);
}

}  // namespace corespec
