// GNI_CompChan* and GNI_Cq{Attach,Arm}CompChan: descriptors that tell of events in queues.
#include "ugni_emu/nic/completion_channel.h"

#include <new>
#include <vector>

#include "corespec/threads/situation.h"
#include "ugni_emu/gni/gni_caller.h"

namespace {

/// Waits until a channel has an event.
class ChannelWaiter final : public nic::Waiter {
 public:
  explicit ChannelWaiter(const nic::CompletionChannel& channel) : channel_(&channel) {}
  bool ready() const override { return cancelled || channel_->has_event(); }
  bool waits_for(const void* source) const override { return source == channel_; }

 private:
  const nic::CompletionChannel* channel_;
};

/// For a user's question what the rank does.
class AwaitedChannel final : public corespec::Awaited {
 public:
  explicit AwaitedChannel(corespec::Thread& thread) : Awaited(thread) {}
  bool describe(corespec::Situation& to) const override {
    to.details = ": sleeps until an event comes into an armed queue of its completion channel";
    return true;
  }
};

/// SUCCESS: the channel has an event. INVALID_PARAM: it has gone.
gni_return_t wait_for_event(const gni::Caller& caller, const nic::CompletionChannel& channel) {
  ChannelWaiter waiter(channel);
  const nic::Waiters::Known known(channel.domain().nic().waiters(), waiter);
  const AwaitedChannel for_people(caller.thread());
  while (!waiter.ready()) caller.thread().wait_interrupt(waiter, corespec::Time::max());
  return waiter.cancelled ? GNI_RC_INVALID_PARAM : GNI_RC_SUCCESS;
}

}  // namespace

gni_return_t GNI_CompChanCreate(gni_nic_handle_t nic_hndl, gni_comp_chan_handle_t* chan_hndl) try {
  gni::Caller caller;
  nic::Domain* domain = caller.find(nic_hndl);
  if (domain == nullptr || chan_hndl == nullptr) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().system_call);
  auto* channel = caller.objects().make<nic::CompletionChannel>(*domain);
  *chan_hndl = reinterpret_cast<gni_comp_chan_handle_t>(channel);
  return GNI_RC_SUCCESS;
} catch (const std::bad_alloc&) {
  return GNI_RC_ERROR_NOMEM;
}

gni_return_t GNI_CompChanDestroy(gni_comp_chan_handle_t chan_hndl) {
  gni::Caller caller;
  nic::CompletionChannel* channel = caller.find(chan_hndl);
  if (channel == nullptr) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().system_call);
  caller.sync();
  caller.objects().destroy_channel(*channel);
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_CompChanFd(gni_comp_chan_handle_t chan_hndl, int* comp_chan_fd) {
  gni::Caller caller;
  const nic::CompletionChannel* channel = caller.find(chan_hndl);
  if (channel == nullptr || comp_chan_fd == nullptr) return GNI_RC_INVALID_PARAM;
  *comp_chan_fd = channel->file().descriptor();
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_CompChanGetEvent(gni_comp_chan_handle_t chan_hndl, gni_cq_handle_t* cq_hndl) {
  gni::Caller caller;
  nic::CompletionChannel* channel = caller.find(chan_hndl);
  if (channel == nullptr || cq_hndl == nullptr) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().system_call);
  caller.sync();
  if (caller.find(chan_hndl) == nullptr) return GNI_RC_INVALID_PARAM;
  if (!channel->has_event()) {
    if (channel->file().non_blocking()) return GNI_RC_NOT_DONE;
    const gni_return_t result = wait_for_event(caller, *channel);
    if (result != GNI_RC_SUCCESS) return result;
  }
  nic::CompletionQueue* const queue = channel->take_event();
  if (queue == nullptr) return GNI_RC_NOT_DONE;
  *cq_hndl = reinterpret_cast<gni_cq_handle_t>(queue);
  return GNI_RC_SUCCESS;
}

// A queue that raises no interrupts has nothing that could make a descriptor readable.
gni_return_t GNI_CqAttachCompChan(gni_cq_handle_t cq_hndl, gni_comp_chan_handle_t chan_hndl) {
  gni::Caller caller;
  nic::CompletionQueue* queue = caller.find(cq_hndl);
  nic::CompletionChannel* channel = caller.find(chan_hndl);
  if (queue == nullptr || channel == nullptr || !queue->blocking() ||
      &queue->domain() != &channel->domain()) {
    return GNI_RC_INVALID_PARAM;
  }
  caller.charge(caller.parameters().system_call);
  if (queue->channel() == channel) return GNI_RC_SUCCESS;
  if (queue->channel() != nullptr) return GNI_RC_INVALID_PARAM;
  queue->join_channel(*channel);
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_CqArmCompChan(gni_cq_handle_t* cq_hndls, uint32_t num_cqs) try {
  gni::Caller caller;
  if (cq_hndls == nullptr || num_cqs == 0) return GNI_RC_INVALID_PARAM;
  const auto all_attached = [&] {
    for (std::uint32_t i = 0; i < num_cqs; ++i) {
      const nic::CompletionQueue* queue = caller.find(cq_hndls[i]);
      if (queue == nullptr || queue->channel() == nullptr) return false;
    }
    return true;
  };
  if (!all_attached()) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().system_call);
  caller.sync();
  if (!all_attached()) return GNI_RC_INVALID_PARAM;
  for (std::uint32_t i = 0; i < num_cqs; ++i) {
    nic::CompletionQueue& queue = *caller.find(cq_hndls[i]);
    if (queue.arm()) queue.domain().nic().waiters().wake(*queue.channel(), false);
  }
  return GNI_RC_SUCCESS;
} catch (const std::bad_alloc&) {
  return GNI_RC_ERROR_NOMEM;
}
