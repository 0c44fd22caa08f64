// A completion channel: a file descriptor that says which armed completion queues have an event.
#pragma once

#include <deque>
#include <vector>

#include "corespec/host/event_file.h"

namespace nic {

class CompletionQueue;
class Domain;

/// The descriptor is readable as long as the channel has events: programs poll it, alone or among
/// others, also where they are in no library. A queue that is attached and armed gives the channel
/// one event, as soon as it has one itself and raises interrupts.
class alignas(64) CompletionChannel {
 public:
  /// Throws std::bad_alloc if the system has no descriptor left.
  explicit CompletionChannel(Domain& domain) : domain_(&domain) {}
  ~CompletionChannel();
  CompletionChannel(const CompletionChannel&) = delete;
  CompletionChannel& operator=(const CompletionChannel&) = delete;

  Domain& domain() const { return *domain_; }
  const corespec::EventFile& file() const { return file_; }

  void attached(CompletionQueue& queue) { queues_.push_back(&queue); }
  /// The queue goes. An event that it has given, or was armed for, is there all the same.
  void forget(const CompletionQueue& queue, bool armed);

  /// An armed queue has an event; null: it has gone.
  void add_event(CompletionQueue* queue);
  bool has_event() const { return !events_.empty(); }
  /// The queue behind the oldest event, which there is; null: it has gone.
  CompletionQueue* take_event();

 private:
  Domain* domain_;
  corespec::EventFile file_;
  std::vector<CompletionQueue*> queues_;
  std::deque<CompletionQueue*> events_;
};

}  // namespace nic
