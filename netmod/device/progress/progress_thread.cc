// Progress threads: start and end, whatever the design.
#include "netmod/device/progress/progress_thread.h"

#include "corespec/threads/node.h"

namespace netmod {

ProgressThread::ProgressThread(DeviceImpl& device) : device_(device) {
  corespec::Node& node = device.process_.node();
  if (device.settings_.design == ProgressDesign::phase_two) moved_lock_ = node.make_mutex();
}

void ProgressThread::start() {
  corespec::Process& process = device_.process_;
  thread_ = &process.node().start_thread(corespec::ThreadRole::progress, &process, [this] {
    if (device_.settings_.design == ProgressDesign::active) {
      run_active();
    } else {
      run();
      has_ended_ = true;
      if (device_.port_.keeps()) device_.port_.arrival_signal().notify();
    }
  });
}

void ProgressThread::stop() {
  if (device_.settings_.design == ProgressDesign::active) {
    const int self = device_.process_.rank();
    device_.lock();
    device_.release(device_.send(nullptr, 0, self, {self, wake_tag, internal_context},
                                 SendMode::standard, DataStays::until_complete));
    device_.unlock();
  } else {
    corespec::this_thread().sync();
    stopping_ = true;
    device_.lock();
    device_.port_.wake_self();
    if (device_.port_.keeps()) wait_for_end();
    device_.unlock();
  }
  device_.process_.node().join(*thread_);
}

/// What wakes the thread may fail.
void ProgressThread::wait_for_end() {
  const RankPort& port = device_.port_;
  while (!has_ended_) {
    const std::uint64_t epoch = port.arrival_signal().epoch();
    if ((port.has_failed() || port.waits_to_post()) && device_.pass()) continue;
    if (has_ended_) break;
    corespec::this_thread().spin(port.arrival_signal(), epoch,
                                 device_.settings_.parameters->poll_period, device_.lock_.get());
  }
}

}  // namespace netmod
