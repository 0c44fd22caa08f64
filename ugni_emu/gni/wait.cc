// GNI_CqWaitEvent, GNI_CqVectorWaitEvent, GNI_CqVectorMonitor: blocking in the kernel.
#include <fmt/format.h>

#include <span>
#include <string>
#include <vector>

#include "corespec/threads/situation.h"
#include "ugni_emu/gni/gni_caller.h"
#include "ugni_emu/gni/transaction_error.h"

namespace {

using Queues = std::span<nic::CompletionQueue* const>;

nic::CompletionQueue* first_ready(Queues queues, std::uint32_t& which) {
  for (std::size_t i = 0; i < queues.size(); ++i) {
    if (!queues[i]->has_event()) continue;
    which = static_cast<std::uint32_t>(i);
    return queues[i];
  }
  return nullptr;
}

bool any_masked(Queues queues) {
  for (const nic::CompletionQueue* queue : queues) {
    if (queue->masked()) return true;
  }
  return false;
}

/// For a user's question what the rank does.
class AwaitedEvent final : public corespec::Awaited {
 public:
  AwaitedEvent(corespec::Thread& thread, std::size_t queues) : Awaited(thread), queues_(queues) {}
  bool describe(corespec::Situation& to) const override {
    to.details = queues_ == 1
                     ? std::string(": sleeps until an event comes into its queue")
                     : fmt::format(": sleeps until an event comes into one of {} queues", queues_);
    return true;
  }

 private:
  std::size_t queues_;
};

/// What the queues say now: SUCCESS (`ready` is set), NOT_DONE (one is masked), TIMEOUT (nothing
/// yet), INVALID_PARAM (one was destroyed: none may be touched).
gni_return_t look(const nic::QueueWaiter& waiter, Queues queues, nic::CompletionQueue*& ready,
                  std::uint32_t& which) {
  if (waiter.cancelled) return GNI_RC_INVALID_PARAM;
  ready = first_ready(queues, which);
  if (ready != nullptr) return GNI_RC_SUCCESS;
  return any_masked(queues) ? GNI_RC_NOT_DONE : GNI_RC_TIMEOUT;
}

/// Polls once, then sleeps until look() has something to say or the time is over.
gni_return_t wait_for(const gni::Caller& caller, Queues queues, std::uint64_t milliseconds,
                      nic::CompletionQueue*& ready, std::uint32_t& which) {
  nic::QueueWaiter waiter(queues);
  const nic::Waiters::Known known(queues.front()->domain().nic().waiters(), waiter);
  caller.charge(caller.parameters().cq_poll * static_cast<std::int64_t>(queues.size()));
  caller.sync();
  gni_return_t result = look(waiter, queues, ready, which);
  if (result == GNI_RC_TIMEOUT && milliseconds != 0) {
    caller.charge(caller.parameters().system_call);
    const corespec::Time deadline = gni::deadline_after(caller.thread(), milliseconds);
    bool in_time = true;
    const AwaitedEvent for_people(caller.thread(), queues.size());
    while (result == GNI_RC_TIMEOUT && in_time) {  // again if another thread was faster
      in_time = caller.thread().wait_interrupt(waiter, deadline);
      result = look(waiter, queues, ready, which);
    }
  }
  return result;
}

gni_return_t wait_and_take(const gni::Caller& caller, Queues queues, std::uint64_t timeout,
                           gni_cq_entry_t* event, std::uint32_t& which) {
  *event = 0;
  nic::CompletionQueue* ready = nullptr;
  const gni_return_t result = wait_for(caller, queues, timeout, ready, which);
  if (result != GNI_RC_SUCCESS) return result;
  caller.charge(caller.parameters().cq_event);
  const gni::ErrorEnd end = gni::error_end(*ready);
  const gni_return_t taken = ready->pop(*event);
  return gni::end_on_error(caller, end, *event, taken);
}

/// The queues behind the handles: INVALID_PARAM if one is none, ERROR_RESOURCE if not blocking.
gni_return_t find_all(const gni::Caller& caller, gni_cq_handle_t* handles, std::uint32_t count,
                      std::vector<nic::CompletionQueue*>& queues) {
  if (handles == nullptr || count == 0) return GNI_RC_INVALID_PARAM;
  gni_return_t result = GNI_RC_SUCCESS;
  for (std::uint32_t i = 0; i < count; ++i) {
    nic::CompletionQueue* queue = caller.find(handles[i]);
    if (queue == nullptr) return GNI_RC_INVALID_PARAM;
    if (!queue->blocking()) result = GNI_RC_ERROR_RESOURCE;
    queues.push_back(queue);
  }
  return result;
}

}  // namespace

gni_return_t GNI_CqWaitEvent(gni_cq_handle_t cq_hndl, uint64_t timeout,
                             gni_cq_entry_t* event_data) {
  gni::Caller caller;
  nic::CompletionQueue* queue = caller.find(cq_hndl);
  if (queue == nullptr || event_data == nullptr) return GNI_RC_INVALID_PARAM;
  if (!queue->blocking()) return GNI_RC_ERROR_RESOURCE;
  std::uint32_t which = 0;
  return wait_and_take(caller, {&queue, 1}, timeout, event_data, which);
}

gni_return_t GNI_CqVectorWaitEvent(gni_cq_handle_t* cq_hndls, uint32_t num_cqs, uint64_t timeout,
                                   gni_cq_entry_t* event_data, uint32_t* which) {
  gni::Caller caller;
  if (event_data == nullptr || which == nullptr) return GNI_RC_INVALID_PARAM;
  std::vector<nic::CompletionQueue*> queues;
  const gni_return_t result = find_all(caller, cq_hndls, num_cqs, queues);
  if (result != GNI_RC_SUCCESS) return result;
  return wait_and_take(caller, queues, timeout, event_data, *which);
}

gni_return_t GNI_CqVectorMonitor(gni_cq_handle_t* cq_hndls, uint32_t num_cqs, uint64_t timeout,
                                 uint32_t* which) {
  gni::Caller caller;
  if (which == nullptr) return GNI_RC_INVALID_PARAM;
  std::vector<nic::CompletionQueue*> queues;
  gni_return_t result = find_all(caller, cq_hndls, num_cqs, queues);
  if (result != GNI_RC_SUCCESS) return result;
  nic::CompletionQueue* ready = nullptr;
  result = wait_for(caller, queues, timeout, ready, *which);
  if (result == GNI_RC_SUCCESS && ready->overrun()) return GNI_RC_ERROR_RESOURCE;
  return result;
}
