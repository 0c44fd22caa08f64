// Progress threads: phase one, phase two, and stock MPICH's active one.
#pragma once

#include <atomic>
#include <list>
#include <memory>

#include "corespec/threads/thread.h"
#include "netmod/device/progress/device_impl.h"

namespace netmod {

/// One per rank. Phases one and two sleep in the kernel until the NIC's interrupt finds an event
/// in a blocking queue. If an application thread is in the progress engine's wait loop by then,
/// there is nothing to do but to sleep again: that thread polls, and polls once more before it
/// leaves.
class ProgressThread {
 public:
  explicit ProgressThread(DeviceImpl& device);
  /// Once the device has it: the thread uses both.
  void start();
  /// Ends the thread and waits for it. The caller does not hold the library's lock.
  void stop();

  /// Phase two: takes the oldest event that the thread has moved off the blocking TX CQ.
  bool take_moved(gni_cq_entry_t& entry);
  bool has_moved() const { return any_moved_; }

 private:
  // Of the message to self that ends an active thread: of no communicator, with stock MPICH's tag.
  static constexpr std::uint32_t internal_context = 0xffffffff;
  static constexpr std::int32_t wake_tag = 100;

  void run();
  void run_active();
  bool sleep();
  void wait_for_end();  ///< with the device's lock; it makes passes where something has failed
  bool move_events();
  void add_moved(gni_cq_entry_t entry);  ///< with the lock

  DeviceImpl& device_;
  corespec::Thread* thread_ = nullptr;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> has_ended_{false};
  std::list<gni_cq_entry_t> moved_;     ///< phase two
  std::atomic<bool> any_moved_{false};  ///< as long as it holds something
  std::unique_ptr<corespec::Mutex> moved_lock_;
};

}  // namespace netmod
