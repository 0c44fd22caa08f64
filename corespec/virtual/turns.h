// Which domain's turn comes next, and asking the host for what the next few turns will touch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/time/time.h"

namespace corespec {

class VirtualDomain;

/// The domains of one class by the time of their next event: a binary heap, and on deck, in order,
/// the few that come first. With many nodes a turn is a handful of events whose memory no cache
/// holds, and one event's memory is found through that of the one before: what a turn would wait
/// for again and again is asked for a step at a time, one step in each turn before.
class Turns {
 public:
  void add(VirtualDomain& domain);
  bool empty() const { return on_deck_ == 0; }
  VirtualDomain& first() const { return *deck(0).domain; }
  /// Of the first; Time::max() if there is none.
  Time next_time() const { return on_deck_ > 0 ? deck(0).next : Time::max(); }
  /// Of the second.
  Time second_time() const { return on_deck_ > 1 ? deck(1).next : Time::max(); }

  /// Takes the first domain out for its turn. What it will do before `horizon` has been asked for
  /// when this returns, and some of what the others will do within `window` of their next events.
  VirtualDomain& take(Time horizon, Time window);
  /// Back after its turn.
  void put_back(VirtualDomain& domain);
  /// The domain, not in its turn, has an earlier next event.
  void moved_earlier(VirtualDomain& domain);

 private:
  static constexpr std::size_t depth = 12;  // domains on deck
  static constexpr std::uint32_t on_deck = ~std::uint32_t{0};
  static constexpr std::size_t most = 14;  // events of each that are looked after ahead

  struct Turn {
    Time next;
    VirtualDomain* domain;
    std::uint32_t number;  ///< the domain's
  };
  struct Due {
    const Event* event;
    std::uint64_t arg;
  };
  /// A domain on deck: which of its events are next, and how far they have been asked for.
  struct Staged {
    Time next;
    VirtualDomain* domain;
    std::uint32_t number;
    unsigned stage;
    unsigned due;
    std::array<Due, most> events;
  };
  enum Stage : unsigned { domains_memory, queues_memory, events_found, first_step };

  Staged& deck(std::size_t place) { return slots_[order_[place]]; }
  const Staged& deck(std::size_t place) const { return slots_[order_[place]]; }
  void put_on_deck(const Turn& turn);
  void send_back_last();
  void remove_from_deck(std::size_t place);
  void advance(Staged& staged, Time window);
  static void ask_for_rest(const Staged& staged, Time horizon);

  void push(const Turn& turn);
  Turn pop();
  void sift_up(std::size_t position, const Turn& turn);
  void sift_down(std::size_t position, const Turn& turn);
  void place(std::size_t position, const Turn& turn);

  std::array<Staged, depth> slots_{};
  std::array<std::uint8_t, depth> order_ = {0, 1, 2, 3, 4,  5,
                                            6, 7, 8, 9, 10, 11};  // on deck first, then free
  std::size_t on_deck_ = 0;
  std::vector<Turn> heap_;  // none of them before those on deck
  /// Of each domain in the heap, or on_deck: not in the domains, whose memory is far away.
  std::vector<std::uint32_t> positions_;
};

}  // namespace corespec
