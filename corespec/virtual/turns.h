// Which domain's turn comes next.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/events/prefetch_numbers.h"
#include "corespec/time/time.h"
#include "corespec/virtual/turn_prefetch.h"

namespace corespec {

class VirtualDomain;

/// The domains of one class by the time of their next event. The next few stand in order, so that
/// what their turns will touch can be prefetched in time, neither late nor long before; the others
/// stand in a binary heap. Entries hold the times themselves, and the domains' places lie beside
/// them: the domains' own memory, which no cache holds where there are many, is left alone.
class Turns {
 public:
  void add(VirtualDomain& domain);
  /// Of the first; Time::max() if there is none.
  Time next_time() const { return ordered_ == 0 ? Time::max() : in_order(0).next; }
  /// Of the second.
  Time second_time() const { return ordered_ < 2 ? Time::max() : in_order(1).next; }

  /// The first domain; it stays in its place until its turn is over.
  VirtualDomain& first() const { return *in_order(0).domain; }
  /// True if no cache holds what all of them touch that have had an event. (A network has routers,
  /// and so nodes, that no job uses.)
  bool are_many() const;
  /// Prefetches what the turns after the first will touch, each time a step further: to be called
  /// at each event. Turns are taken to be of `length`: what is due later in a domain is left alone.
  void prefetch_ahead(Time length);
  static constexpr std::size_t events_ahead = prefetch_numbers::events_ahead;
  /// The first domain's turn is over.
  void first_has_run();
  /// The domain, which is not in its turn, has an earlier next event.
  void moved_earlier(VirtualDomain& domain);

 private:
  struct Turn {
    Time next;
    VirtualDomain* domain = nullptr;
    std::uint32_t number = 0;  ///< the domain's
    TurnPrefetch prefetch = {};
  };
  static constexpr std::size_t most_in_order = prefetch_numbers::turns_in_order;
  static constexpr std::size_t ring_size = std::bit_ceil(most_in_order);
  static constexpr std::uint32_t is_in_order = ~std::uint32_t{0};  ///< instead of a place

  Turn& in_order(std::size_t i) { return ring_[(first_ + i) % ring_size]; }
  const Turn& in_order(std::size_t i) const { return ring_[(first_ + i) % ring_size]; }
  void move_up(const Turn& turn);
  void put_in_order(const Turn& turn);
  void take_out_of_order(std::uint32_t number);
  void sift_up(std::size_t position, const Turn& turn);
  void sift_down(const Turn& turn);
  void place(std::size_t position, const Turn& turn) {
    heap_[position] = turn;
    positions_[turn.number] = static_cast<std::uint32_t>(position);
  }

  std::array<Turn, ring_size> ring_;  ///< from first_ on, in order; none is later than the heap's
  std::size_t first_ = 0;
  std::size_t ordered_ = 0;               ///< in the ring; most_in_order unless the heap is empty
  std::vector<Turn> heap_;                ///< the others
  std::vector<std::uint32_t> positions_;  ///< in the heap, by the domain's number
  std::size_t used_ = 0;                  ///< domains that have had an event
};

}  // namespace corespec
