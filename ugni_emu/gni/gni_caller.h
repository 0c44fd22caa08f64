// The rank that calls a GNI function.
#pragma once

#include <cstdint>
#include <memory>

#include "corespec/config/parameters.h"
#include "corespec/job/adopt_process.h"
#include "corespec/threads/node.h"
#include "corespec/threads/process.h"
#include "corespec/threads/thread.h"
#include "ugni_emu/gni/objects.h"
#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/nic/nic.h"

namespace gni {

/// Made at the start of every GNI function: holds the NIC's domain until its end. A process whose
/// first call this is becomes a rank; where it cannot, every handle is invalid.
class Caller {
  corespec::LibraryCall library_call_;  // first in, last out

 public:
  /// `function`: the one that makes it.
  explicit Caller(const char* function = __builtin_FUNCTION())
      : library_call_(corespec::adopt_thread(), function),
        thread_(library_call_.thread()),
        hold_(thread_),
        process_(thread_ == nullptr ? nullptr : thread_->process()) {
    if (process_ != nullptr) {
      objects_ = static_cast<Objects*>(process_->state(corespec::Process::Slot::gni));
    }
  }

  bool is_rank() const { return thread_ != nullptr && process_ != nullptr; }
  corespec::Thread& thread() const { return *thread_; }
  corespec::Process& process() const { return *process_; }
  const corespec::Parameters& parameters() const { return thread_->node().parameters(); }

  /// The rank's table, made at the first use.
  Objects& objects();

  CommunicationDomain* find(gni_cdm_handle_t handle) const {
    return look_up<CommunicationDomain>(handle);
  }
  nic::Domain* find(gni_nic_handle_t handle) const { return look_up<nic::Domain>(handle); }
  nic::Endpoint* find(gni_ep_handle_t handle) const { return look_up<nic::Endpoint>(handle); }
  nic::CompletionQueue* find(gni_cq_handle_t handle) const {
    return look_up<nic::CompletionQueue>(handle);
  }
  nic::CompletionChannel* find(gni_comp_chan_handle_t handle) const {
    return look_up<nic::CompletionChannel>(handle);
  }
  ErrorSubscription* find(gni_err_handle_t handle) const {
    return look_up<ErrorSubscription>(handle);
  }
  nic::MessageQueue* find(gni_msgq_handle_t handle) const {
    return look_up<nic::MessageQueue>(handle);
  }
  nic::CollectiveEngine* find(gni_ce_handle_t handle) const {
    return look_up<nic::CollectiveEngine>(handle);
  }

  void charge(corespec::Time cost) const { thread_->charge(cost); }
  /// Before any effect that others see, and before any observation.
  void sync() const { thread_->sync(); }
  /// Before an observation. What is there now will still be there when the thread's own time has
  /// come (only this rank takes it away), so it may be taken at once; only "nothing" has to be
  /// waited for.
  void sync_unless(bool there) const {
    if (!there) thread_->sync();
  }

 private:
  template <typename Object>
  Object* look_up(void* handle) const {
    return objects_ == nullptr ? nullptr : objects_->find<Object>(handle);
  }

  corespec::Thread* thread_;
  corespec::DomainHold hold_;
  corespec::Process* process_;
  Objects* objects_ = nullptr;
};

/// The moment `milliseconds` after the thread's present time; `forever` is the type's largest.
template <typename Integer>
corespec::Time deadline_after(corespec::Thread& thread, Integer milliseconds) {
  constexpr std::int64_t ps_per_ms = 1'000'000'000;
  const corespec::Time now = thread.now();
  const auto most = static_cast<std::uint64_t>((corespec::Time::max() - now).ps() / ps_per_ms);
  if (milliseconds == static_cast<Integer>(-1) || milliseconds >= most) {
    return corespec::Time::max();
  }
  return now + corespec::Time::picoseconds(ps_per_ms) * static_cast<std::int64_t>(milliseconds);
}

}  // namespace gni
