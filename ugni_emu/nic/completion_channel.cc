// Completion channels: events in, events out.
#include "ugni_emu/nic/completion_channel.h"

#include "ugni_emu/nic/completion_queue.h"

namespace nic {

// What polls the descriptor is to find out that it goes.
CompletionChannel::~CompletionChannel() {
  for (CompletionQueue* queue : queues_) queue->leave_channel();
  file_.make_readable();
}

void CompletionChannel::forget(const CompletionQueue& queue, bool armed) {
  std::erase(queues_, &queue);
  for (CompletionQueue*& from : events_) {
    if (from == &queue) from = nullptr;
  }
  if (armed) add_event(nullptr);
}

void CompletionChannel::add_event(CompletionQueue* queue) {
  events_.push_back(queue);
  if (events_.size() == 1) file_.make_readable();
}

CompletionQueue* CompletionChannel::take_event() {
  CompletionQueue* const queue = events_.front();
  events_.pop_front();
  if (events_.empty()) file_.make_unreadable();
  return queue;
}

}  // namespace nic
