// GNI_*Error*: subscriptions to what goes wrong with a node's transactions.
#include "ugni_emu/nic/error_events.h"

#include <unistd.h>

#include <new>

#include "corespec/threads/situation.h"
#include "ugni_emu/gni/gni_caller.h"
#include "ugni_emu/gni/node_device.h"

namespace {

/// Waits until a subscription has an event.
class ErrorWaiter final : public nic::Waiter {
 public:
  explicit ErrorWaiter(const gni::ErrorSubscription& subscription)
      : subscription_(&subscription),
        events_(subscription.nic->errors()),
        queue_(subscription.queue) {}
  bool ready() const override { return cancelled || events_.has_event(queue_); }
  bool waits_for(const void* source) const override { return source == subscription_; }

 private:
  const gni::ErrorSubscription* subscription_;
  const nic::ErrorEvents& events_;
  std::uint32_t queue_;
};

/// For a user's question what the rank does.
class AwaitedError final : public corespec::Awaited {
 public:
  explicit AwaitedError(corespec::Thread& thread) : Awaited(thread) {}
  bool describe(corespec::Situation& to) const override {
    to.details = ": sleeps until a transaction of the node fails";
    return true;
  }
};

bool is_root() { return geteuid() == 0; }

}  // namespace

gni_return_t GNI_SubscribeErrors(gni_nic_handle_t nic_handle, uint32_t device_id,
                                 gni_error_mask_t mask, uint32_t EEQ_size,
                                 gni_err_handle_t* err_handle) try {
  gni::Caller caller;
  nic::Domain* domain = caller.find(nic_handle);
  const bool whole_device = nic_handle == nullptr && caller.is_rank() && is_root();
  if (err_handle == nullptr || (domain == nullptr && !whole_device)) return GNI_RC_INVALID_PARAM;
  nic::Nic* nic = nic::Nic::of(caller.thread().node());
  if (!gni::is_local_device(device_id) || nic == nullptr) return GNI_RC_NO_MATCH;
  if (EEQ_size > nic::ErrorEvents::most_events) return GNI_RC_ERROR_RESOURCE;
  caller.charge(caller.parameters().system_call);
  caller.sync();
  auto* subscription = caller.objects().make<gni::ErrorSubscription>(*nic, domain);
  const std::uint8_t ptag = domain == nullptr ? nic::ErrorEvents::any_ptag : domain->id().ptag;
  const std::uint32_t size = EEQ_size == 0 ? nic::ErrorEvents::default_events : EEQ_size;
  if (!nic->errors().subscribe(ptag, mask, size, subscription->queue)) {
    caller.objects().destroy(*subscription);
    return GNI_RC_ERROR_RESOURCE;
  }
  *err_handle = reinterpret_cast<gni_err_handle_t>(subscription);
  return GNI_RC_SUCCESS;
} catch (const std::bad_alloc&) {
  return GNI_RC_ERROR_NOMEM;
}

gni_return_t GNI_ReleaseErrors(gni_err_handle_t err_handle) {
  gni::Caller caller;
  gni::ErrorSubscription* subscription = caller.find(err_handle);
  if (subscription == nullptr) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().system_call);
  caller.sync();
  if (subscription->nic->errors().waited_for(subscription->queue)) return GNI_RC_NOT_DONE;
  caller.objects().destroy_subscription(*subscription);
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_GetErrorMask(gni_err_handle_t err_handle, gni_error_mask_t* mask) {
  gni::Caller caller;
  const gni::ErrorSubscription* subscription = caller.find(err_handle);
  if (subscription == nullptr || mask == nullptr) return GNI_RC_INVALID_PARAM;
  *mask = subscription->nic->errors().mask(subscription->queue);
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_SetErrorMask(gni_err_handle_t err_handle, gni_error_mask_t mask_in,
                              gni_error_mask_t* mask_out) {
  gni::Caller caller;
  const gni::ErrorSubscription* subscription = caller.find(err_handle);
  if (subscription == nullptr) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().system_call);
  caller.sync();
  nic::ErrorEvents& events = subscription->nic->errors();
  if (mask_out != nullptr) *mask_out = events.mask(subscription->queue);
  events.set_mask(subscription->queue, mask_in);
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_GetErrorEvent(gni_err_handle_t err_handle, gni_error_event_t* event) {
  gni::Caller caller;
  const gni::ErrorSubscription* subscription = caller.find(err_handle);
  if (subscription == nullptr || event == nullptr) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().system_call);
  caller.sync();
  const bool taken = subscription->nic->errors().take(subscription->queue, *event);
  return taken ? GNI_RC_SUCCESS : GNI_RC_NOT_DONE;
}

gni_return_t GNI_WaitErrorEvents(gni_err_handle_t err_handle, gni_error_event_t* events,
                                 uint32_t events_size, uint32_t timeout, uint32_t* num_events) {
  gni::Caller caller;
  const gni::ErrorSubscription* subscription = caller.find(err_handle);
  if (subscription == nullptr || events == nullptr || events_size == 0 || num_events == nullptr) {
    return GNI_RC_INVALID_PARAM;
  }
  *num_events = 0;
  caller.charge(caller.parameters().system_call);
  caller.sync();
  nic::ErrorEvents& from = subscription->nic->errors();
  const std::uint32_t queue = subscription->queue;
  const nic::ErrorEvents::Waits waits(from, queue);
  ErrorWaiter waiter(*subscription);
  const nic::Waiters::Known known(subscription->nic->waiters(), waiter);
  const AwaitedError for_people(caller.thread());
  corespec::Time deadline = corespec::Time::max();
  while (*num_events < events_size) {
    if (!waiter.ready() && !caller.thread().wait_interrupt(waiter, deadline)) break;
    if (waiter.cancelled) return *num_events == 0 ? GNI_RC_INVALID_PARAM : GNI_RC_SUCCESS;
    if (!from.take(queue, events[*num_events])) continue;
    if (++*num_events == 1) deadline = gni::deadline_after(caller.thread(), timeout);
  }
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_SetErrorPtag(gni_err_handle_t err_handle, uint8_t ptag) {
  gni::Caller caller;
  const gni::ErrorSubscription* subscription = caller.find(err_handle);
  if (subscription == nullptr || ptag == nic::ErrorEvents::any_ptag) return GNI_RC_INVALID_PARAM;
  if (!is_root()) return GNI_RC_PERMISSION_ERROR;
  caller.charge(caller.parameters().system_call);
  caller.sync();
  subscription->nic->errors().set_ptag(subscription->queue, ptag);
  return GNI_RC_SUCCESS;
}
