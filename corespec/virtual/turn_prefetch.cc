// Chains of memory, followed ahead of the events.
#include "corespec/virtual/turn_prefetch.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "corespec/events/prefetch_lines.h"
#include "corespec/virtual/virtual_domain.h"

namespace corespec {
namespace {

/// Of a queue, in its heap's order: few turns have events behind them.
constexpr std::size_t first_events = 32;
static_assert(first_events <= 32);

}  // namespace

void ask_for(VirtualDomain& domain, Time length, Asked& asked, LineRequests& lines) {
  const unsigned step = asked.steps++;
  if (step == 0) {
    lines.add(&domain, sizeof domain / line_bytes);
    return;
  }
  if (step == 2) domain.settle();  // its lines have come
  const EventQueue& queue = domain.queue();
  const EventQueue::Entry* const entries = queue.heap().data();
  if (step == 1) {
    const std::size_t count = std::min(first_events, queue.size());
    lines.add(entries, (count * sizeof *entries + line_bytes - 1) / line_bytes);
    return;
  }
  const std::size_t count = std::min(first_events, queue.heap().size());
  if (count < 32) asked.chains &= (1U << count) - 1;
  if (step == 2) asked.events = 0;
  for (unsigned open = asked.chains; open != 0; open &= open - 1) {
    const int place = std::countr_zero(open);
    const EventQueue::Entry& entry = entries[place];
    bool more = false;
    if (step > 2) {
      more = entry.event->prefetch(entry.arg, step - 3, lines);
    } else if (entry.at <= entries->at + length) {
      lines.add(entry.event);
      more = true;
      ++asked.events;
    }
    if (!more) asked.chains &= ~(1U << place);
  }
}

}  // namespace corespec
