// Turns: the deck in front of the heap, and the memory of those on deck.
#include "corespec/virtual/turns.h"

#include <algorithm>

#include "corespec/virtual/virtual_domain.h"

namespace corespec {

void Turns::add(VirtualDomain& domain) {
  if (positions_.size() <= domain.number()) positions_.resize(domain.number() + 1);
  put_back(domain);
}

void Turns::put_back(VirtualDomain& domain) {
  const Turn turn{domain.next_time(), &domain, domain.number()};
  if (on_deck_ == depth && turn.next < deck(depth - 1).next) send_back_last();
  const bool fits = on_deck_ < depth && (heap_.empty() || turn.next <= heap_.front().next);
  if (fits) {
    put_on_deck(turn);
  } else {
    push(turn);
  }
  while (on_deck_ < depth && !heap_.empty()) put_on_deck(pop());
}

void Turns::moved_earlier(VirtualDomain& domain) {
  const Turn turn{domain.next_time(), &domain, domain.number()};
  if (const std::uint32_t position = positions_[turn.number]; position != on_deck) {
    sift_up(position, turn);
    if (turn.next < deck(on_deck_ - 1).next) {
      const Turn first = pop();
      send_back_last();
      put_on_deck(first);
    }
    return;
  }
  std::size_t place = 0;
  while (deck(place).domain != &domain) ++place;
  deck(place).next = turn.next;
  deck(place).stage = std::min<unsigned>(deck(place).stage, events_found);  // there is a new one
  for (; place > 0 && deck(place).next < deck(place - 1).next; --place) {
    std::swap(order_[place], order_[place - 1]);
  }
}

/// Behind those of the same time: who was there first comes first. There is room.
void Turns::put_on_deck(const Turn& turn) {
  std::size_t place = on_deck_++;
  Staged& staged = deck(place);
  staged.next = turn.next;
  staged.domain = turn.domain;
  staged.number = turn.number;
  staged.stage = domains_memory;
  staged.due = 0;
  positions_[turn.number] = on_deck;
  for (; place > 0 && turn.next < deck(place - 1).next; --place) {
    std::swap(order_[place], order_[place - 1]);
  }
}

void Turns::send_back_last() {
  const Staged& last = deck(on_deck_ - 1);
  --on_deck_;
  push({last.next, last.domain, last.number});
}

void Turns::remove_from_deck(std::size_t place) {
  std::rotate(order_.begin() + static_cast<std::ptrdiff_t>(place),
              order_.begin() + static_cast<std::ptrdiff_t>(place) + 1,
              order_.begin() + static_cast<std::ptrdiff_t>(on_deck_));
  --on_deck_;
}

VirtualDomain& Turns::take(Time horizon, Time window) {
  constexpr std::size_t stages = first_step + Event::prefetch_steps;
  for (std::size_t place = 1; place < on_deck_; ++place) {
    Staged& staged = deck(place);
    if (staged.next == Time::max()) break;
    // Evenly: all stages are behind who is first.
    const std::size_t wanted = (stages * (depth - place) + depth - 2) / (depth - 1);
    while (staged.stage < wanted) advance(staged, window);
  }
  Staged& first = deck(0);
  VirtualDomain& domain = *first.domain;
  if (!domain.buckets_) {
    while (first.stage < stages) advance(first, window);
    ask_for_rest(first, horizon);
  }
  remove_from_deck(0);
  return domain;
}

void Turns::advance(Staged& staged, Time window) {
  const unsigned stage = staged.stage++;
  const EventQueue& queue = staged.domain->queue_;
  if (stage == domains_memory) {
    const auto* memory = reinterpret_cast<const std::byte*>(staged.domain);
    __builtin_prefetch(memory);
    __builtin_prefetch(memory + 64);
  } else if (stage == queues_memory) {
    queue.prefetch();
  } else if (stage == events_found) {
    staged.due = 0;
    queue.for_each_before(staged.next + window, [&staged](const EventQueue::Entry& entry) {
      if (staged.due == most) return;
      staged.events[staged.due++] = {entry.event, entry.arg};
      __builtin_prefetch(entry.event);
    });
  } else {
    for (unsigned i = 0; i < staged.due; ++i) {
      staged.events[i].event->prefetch(staged.events[i].arg, stage - first_step);
    }
  }
}

/// Events that came later, or were too many.
void Turns::ask_for_rest(const Staged& staged, Time horizon) {
  std::array<Due, most> rest;
  std::size_t count = 0;
  staged.domain->queue_.for_each_before(horizon, [&](const EventQueue::Entry& entry) {
    const auto end = staged.events.begin() + staged.due;
    const bool known = std::any_of(staged.events.begin(), end, [&entry](const Due& due) {
      return due.event == entry.event && due.arg == entry.arg;
    });
    if (known || count == rest.size()) return;
    rest[count++] = {entry.event, entry.arg};
    __builtin_prefetch(entry.event);
  });
  for (unsigned step = 0; count != 0 && step < Event::prefetch_steps; ++step) {
    for (std::size_t i = 0; i < count; ++i) rest[i].event->prefetch(rest[i].arg, step);
  }
}

// ---- the heap

void Turns::place(std::size_t position, const Turn& turn) {
  heap_[position] = turn;
  positions_[turn.number] = static_cast<std::uint32_t>(position);
}

void Turns::push(const Turn& turn) {
  heap_.push_back(turn);
  sift_up(heap_.size() - 1, turn);
}

Turns::Turn Turns::pop() {
  const Turn first = heap_.front();
  const Turn last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sift_down(0, last);
  return first;
}

void Turns::sift_up(std::size_t position, const Turn& turn) {
  while (position > 0) {
    const std::size_t parent = (position - 1) / 2;
    if (heap_[parent].next <= turn.next) break;
    place(position, heap_[parent]);
    position = parent;
  }
  place(position, turn);
}

void Turns::sift_down(std::size_t position, const Turn& turn) {
  const std::size_t count = heap_.size();
  for (;;) {
    std::size_t child = 2 * position + 1;
    if (child >= count) break;
    if (child + 1 < count && heap_[child + 1].next < heap_[child].next) ++child;
    if (heap_[child].next >= turn.next) break;
    place(position, heap_[child]);
    position = child;
  }
  place(position, turn);
}

}  // namespace corespec
