// How often a thread that polls with a lock has looked for the same news in vain.
#pragma once

#include <cstdint>

#include "corespec/threads/signal.h"
#include "corespec/virtual/news_watch.h"

namespace corespec {

/// Threads that poll with a lock between them hand it round for ever, if need be: a run of which
/// nothing else is left stands still.
class LooksInVain {
 public:
  void look(const Signal& signal, std::uint64_t seen, NewsWatch& watch) {
    if (polled_ == &signal && seen_ == seen) {
      if (period_ != watch.period()) looks_ = 0;
      period_ = watch.period();
      ++looks_;
      watch.nothing_new();
    } else {
      looks_ = 0;
      watch.something_new();
    }
    polled_ = &signal;
    seen_ = seen;
  }

  /// In the watch's present period: the second look in vain began after the period had.
  bool several(const NewsWatch& watch) const { return looks_ >= 2 && period_ == watch.period(); }

 private:
  const Signal* polled_ = nullptr;  ///< that the thread last gave up its lock for
  std::uint64_t seen_ = 0;
  std::uint32_t looks_ = 0;
  std::uint32_t period_ = 0;
};

}  // namespace corespec
