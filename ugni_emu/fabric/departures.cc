// Ends of processes, from the kernel.
#include "ugni_emu/fabric/departures.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "corespec/host/os_thread.h"

namespace ugni::fabric {

Departures::Departures() : set_(epoll_create1(EPOLL_CLOEXEC)) {}

Departures::~Departures() {
  for (const int descriptor : descriptors_) {
    if (descriptor >= 0) close(descriptor);
  }
  if (set_ >= 0) close(set_);
}

void Departures::watch(int process, int rank) {
  const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (descriptor < 0) return;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = rank;
  if (set_ < 0 || epoll_ctl(set_, EPOLL_CTL_ADD, descriptor, &event) != 0) {
    close(descriptor);
    return;
  }
  const auto index = static_cast<std::size_t>(rank);
  if (index >= descriptors_.size()) descriptors_.resize(index + 1, -1);
  descriptors_[index] = descriptor;
}

int Departures::next() {
  const corespec::WithoutCancellation without_cancellation;
  epoll_event event{};
  if (set_ < 0 || epoll_wait(set_, &event, 1, 0) != 1) return -1;
  const int rank = event.data.fd;
  int& descriptor = descriptors_[static_cast<std::size_t>(rank)];
  close(descriptor);  // which takes it out of the set
  descriptor = -1;
  return rank;
}

bool Departures::lives(int rank) const {
  const auto index = static_cast<std::size_t>(rank);
  if (index >= descriptors_.size() || descriptors_[index] < 0) return false;
  const corespec::WithoutCancellation without_cancellation;
  pollfd process{descriptors_[index], POLLIN, 0};
  return poll(&process, 1, 0) == 0;
}

}  // namespace ugni::fabric
