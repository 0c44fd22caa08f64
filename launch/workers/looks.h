// How long a worker looks for what it waits for before it sleeps.
#pragma once

namespace launch {

/// To look is quicker than to be woken, if what is waited for comes soon, and takes a CPU. How many
/// CPUs a worker has is not known: others may use them. So it looks while that pays, as the last
/// waits show; else it sleeps at once, but for a try now and then.
class Looks {
 public:
  /// `most` looks take some ten microseconds.
  explicit Looks(unsigned most) : most_(most) {}

  /// How often to look in the wait that begins.
  unsigned begin() { return score_ > 0 || ++sleeps_ % sleeps_between_tries == 0 ? most_ : 1; }
  /// A wait of which begin() has given `looks` is over: it ended while the worker looked, or not.
  void end(unsigned looks, bool in_time) {
    if (looks == 1 && !in_time) return;  // it has not been tried
    if (in_time && score_ < highest) ++score_;
    if (!in_time && score_ > 0) --score_;
  }

 private:
  static constexpr unsigned sleeps_between_tries = 64;
  static constexpr unsigned highest = 8;

  unsigned most_;
  unsigned score_ = highest;  ///< 0: it has not paid lately
  unsigned sleeps_ = 0;
};

}  // namespace launch
