// Where the threads of a live process say what they are doing, when a question comes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "corespec/threads/situation.h"

namespace corespec {

/// A thread describes itself, where it waits in a library: no other thread could look at what it
/// is doing meanwhile. One that computes, or sleeps in the kernel, does not answer.
class SituationDesk {
 public:
  /// Which question is the last. Looked at by polling threads at each look.
  std::uint32_t question() const { return question_.load(std::memory_order_relaxed); }
  void ask() {
    const std::lock_guard<std::mutex> guard(mutex_);
    answers_.clear();
    question_.fetch_add(1, std::memory_order_relaxed);
  }
  void answer(const Thread& thread, Situation situation) {
    const std::lock_guard<std::mutex> guard(mutex_);
    answers_[&thread] = std::move(situation);
  }
  /// True if the thread has answered.
  bool take(const Thread& thread, Situation& situation) {
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto found = answers_.find(&thread);
    if (found == answers_.end()) return false;
    situation = std::move(found->second);
    answers_.erase(found);
    return true;
  }

 private:
  std::atomic<std::uint32_t> question_{0};
  std::mutex mutex_;
  std::map<const Thread*, Situation> answers_;
};

}  // namespace corespec
