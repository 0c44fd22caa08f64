// A file descriptor that is readable or not.
#include "corespec/host/event_file.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdint>
#include <new>

#include "corespec/host/os_thread.h"

namespace corespec {

EventFile::EventFile() : descriptor_(eventfd(0, EFD_CLOEXEC)) {
  if (descriptor_ < 0) throw std::bad_alloc();
}

EventFile::~EventFile() { close(descriptor_); }

bool EventFile::non_blocking() const { return (fcntl(descriptor_, F_GETFL) & O_NONBLOCK) != 0; }

void EventFile::make_readable() const {
  const WithoutCancellation without_cancellation;
  const std::uint64_t one = 1;
  // Cannot fail but by overflow, and then it is readable.
  [[maybe_unused]] const ssize_t written = write(descriptor_, &one, sizeof one);
}

// Does not wait, even if a program has read the descriptor meanwhile.
void EventFile::make_unreadable() const {
  const WithoutCancellation without_cancellation;
  std::uint64_t count = 0;
  const iovec into = {&count, sizeof count};
  [[maybe_unused]] const ssize_t got = preadv2(descriptor_, &into, 1, -1, RWF_NOWAIT);
}

}  // namespace corespec
