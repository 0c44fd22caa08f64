// The effects that a thread has deferred.
#pragma once

#include "corespec/events/prefetch_lines.h"
#include "corespec/threads/thread.h"

namespace corespec {

/// In order, each with the work that comes before it, linked through the effects themselves.
class DeferredEffects {
 public:
  bool empty() const { return first_ == nullptr; }
  DeferredEffect* first() const { return first_; }
  Time work_before_first() const { return first_->after; }

  void add(DeferredEffect& effect, Time work_before) {
    effect.after = work_before;
    effect.next_effect = nullptr;
    (empty() ? first_ : last_->next_effect) = &effect;
    last_ = &effect;
  }

  /// perform() may reuse the effect, or add others.
  void perform_first() {
    DeferredEffect& effect = *first_;
    first_ = effect.next_effect;
    prefetch_line(first_);
    effect.perform();
  }

  /// Before all of them.
  Time work() const {
    Time sum;
    for (const DeferredEffect* each = first_; each != nullptr; each = each->next_effect) {
      sum += each->after;
    }
    return sum;
  }

 private:
  DeferredEffect* first_ = nullptr;
  DeferredEffect* last_ = nullptr;
};

}  // namespace corespec
