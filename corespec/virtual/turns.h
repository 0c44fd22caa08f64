// Which domain's turn comes next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/time/time.h"
#include "corespec/virtual/ask_for.h"

namespace corespec {

class VirtualDomain;

/// The domains of one class by the time of their next event: a binary heap. Its entries hold the
/// times themselves, and the domains' places in it lie beside it: the domains' own memory, which no
/// cache holds where there are many, is left alone.
class Turns {
 public:
  void add(VirtualDomain& domain);
  bool empty() const { return heap_.empty(); }
  /// Of the first; Time::max() if there is none.
  Time next_time() const { return heap_.empty() ? Time::max() : heap_.front().next; }
  /// Of the second.
  Time second_time() const;

  /// The first domain; it stays in its place until its turn is over.
  VirtualDomain& first() const { return *heap_.front().domain; }
  /// True if no cache holds what all of them touch that have had an event. (A network has routers,
  /// and so nodes, that no job uses.)
  bool are_many() const;
  /// Asks the host for what the turns after the first will touch, each time a step further.
  void ask_ahead();
  /// The first domain's turn is over.
  void first_has_run();
  /// The domain, which is not in its turn, has an earlier next event.
  void moved_earlier(VirtualDomain& domain);

 private:
  struct Turn {
    Time next;
    VirtualDomain* domain;
    std::uint32_t number;  ///< the domain's
    Asked asked = {};
  };

  void sift_up(std::size_t position, const Turn& turn);
  void sift_down(const Turn& turn);
  void place(std::size_t position, const Turn& turn) {
    heap_[position] = turn;
    positions_[turn.number] = static_cast<std::uint32_t>(position);
  }

  std::vector<Turn> heap_;
  std::vector<std::uint32_t> positions_;  ///< by the domain's number
  std::size_t used_ = 0;                  ///< domains that have had an event
};

}  // namespace corespec
