// Sees that a run goes on although nothing new can happen in it any more.
#pragma once

#include <cstddef>
#include <cstdint>

namespace corespec {

class Engine;

/// Told of events that change nothing: noise, and looks in vain by threads that poll for the same
/// change again and again since they hand a lock to each other. After a period of many such events
/// it looks whether anything else is still to come (Event::brings_news()). Nothing is if that is so
/// twice in a row and no thread has found anything in between: what polls now has, in each period,
/// looked in vain from beginning to end, and only what looked in vain could have changed anything
/// since. Then the run ends as if no event were left.
class NewsWatch {
 public:
  explicit NewsWatch(Engine& engine) : engine_(engine) {}
  void nothing_new() {
    if (++in_vain_ >= length_) look();
  }
  void something_new() {
    if (quiet_) hear_news();
    begin_period();
  }
  std::uint32_t period() const { return period_; }
  /// It has ended the run. How far that went is chance: it depends on the order of turns.
  bool gave_up() const;

 private:
  void look();
  void hear_news();
  void begin_period() {
    in_vain_ = 0;
    ++period_;
  }

  Engine& engine_;
  std::size_t in_vain_ = 0;  ///< events of the period
  std::size_t length_ = 64;  ///< when to look
  std::uint32_t period_ = 1;
  bool quiet_ = false;  ///< at the last look
};

}  // namespace corespec
