// Stock MPICH's progress thread: it waits in the library for a message that ends it, and so polls.
#include "netmod/device/progress/progress_thread.h"

namespace netmod {

void ProgressThread::run_active() {
  device_.lock();
  Request* wake_up = device_.receive(nullptr, 0, {any_source, wake_tag, internal_context});
  device_.wait_until(Condition(*wake_up));
  device_.release(wake_up);
  device_.unlock();
}

}  // namespace netmod
