// Where the parts of a machine, which several workers run at the same time, keep step.
#pragma once

#include <atomic>
#include <span>

#include "corespec/time/time.h"

namespace corespec {

/// Each part runs for a round, on its own, and then meets the others: what it has sent to domains
/// of theirs during the round is delivered there, and all learn how far each has come. From that
/// each tells by itself how far it may go in the next round.
class Rounds {
 public:
  /// How far a part has come.
  struct Front {
    Time node = Time::max();        ///< its nodes' next event
    Time router = Time::max();      ///< its routers'
    Time router_end = Time::max();  ///< its routers' next turn takes them here at least
    /// Of what comes to it from other parts and is not in the above: not before.
    Time coming_to_nodes = Time::max();
    Time coming_to_routers = Time::max();
    bool gives_up = false;  ///< it sees nothing that will bring news any more
  };

  virtual ~Rounds() = default;

  /// This part's round is over. What comes to others the implementation knows.
  virtual void arrive(const Front& own) = 0;
  /// After arrive(): waits until all parts are there, and takes in what has come for this one.
  /// False: `stopped` before that; may be called again.
  virtual bool meet(const std::atomic<bool>& stopped) = 0;
  /// After meet(), until the next arrive(): the parts', the same in each of them.
  virtual std::span<const Front> fronts() const = 0;
  /// Which of them is this part's.
  virtual std::size_t own_part() const = 0;
};

}  // namespace corespec
