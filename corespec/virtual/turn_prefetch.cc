// What the turn of a domain will touch, prefetched: chains of memory, followed ahead of the events.
#include "corespec/virtual/turn_prefetch.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "corespec/events/prefetch_lines.h"
#include "corespec/events/prefetch_numbers.h"
#include "corespec/virtual/turns.h"
#include "corespec/virtual/virtual_domain.h"

namespace corespec {

using prefetch_numbers::events_of_turn;

void prefetch_turn(VirtualDomain& domain, Time length, TurnPrefetch& progress,
                   LineRequests& lines) {
  const unsigned step = progress.steps++;
  if (step == 0) {
    lines.add(&domain, sizeof domain / line_bytes);
    return;
  }
  if (step == 2) domain.settle();  // its lines have come
  const EventQueue& queue = domain.queue();
  const EventQueue::Entry* const entries = queue.heap().data();
  if (step == 1) {
    const std::size_t count = std::min(events_of_turn, queue.size());
    lines.add(entries, (count * sizeof *entries + line_bytes - 1) / line_bytes);
    return;
  }
  const std::size_t count = std::min(events_of_turn, queue.heap().size());
  if (count < 32) progress.chains &= (1U << count) - 1;
  if (step == 2) progress.events = 0;
  for (unsigned open = progress.chains; open != 0; open &= open - 1) {
    const int place = std::countr_zero(open);
    const EventQueue::Entry& entry = entries[place];
    bool more = false;
    if (step > 2) {
      more = entry.event->prefetch({Upcoming::Kind::event, entry.arg}, step - 3, lines);
    } else if (entry.at <= entries->at + length) {
      lines.add(entry.event);
      more = true;
      ++progress.events;
    }
    if (!more) progress.chains &= ~(1U << place);
  }
}

void Turns::prefetch_ahead(Time length) {
  LineList<prefetch_numbers::lines_of_turns> lines;
  std::size_t before = 0;
  for (std::size_t i = 1; i < ordered_ && before < events_ahead; ++i) {
    Turn& turn = in_order(i);
    if (turn.prefetch.chains != 0) prefetch_turn(*turn.domain, length, turn.prefetch, lines);
    before += turn.prefetch.events;
  }
}

}  // namespace corespec
