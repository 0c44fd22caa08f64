// Chains of memory, followed ahead of the events.
#include "corespec/virtual/ask_for.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "corespec/virtual/virtual_domain.h"

namespace corespec {
namespace {

constexpr std::size_t line_bytes = 64;
/// Of a chain, at a turn's beginning: what lies further is not waited for.
constexpr unsigned steps_of_turn = 8;
/// Of a queue, before its turn: few turns begin with more.
constexpr std::size_t first_events = 8;

void ask_for_lines(const void* from, std::size_t bytes) {
  const auto* at = static_cast<const std::byte*>(from);
  for (std::size_t offset = 0; offset < bytes; offset += line_bytes) {
    __builtin_prefetch(at + offset);
  }
}

}  // namespace

void ask_for_turn(const VirtualDomain& domain, Time horizon) {
  struct Due {
    const Event* event;
    std::uint64_t arg;
  };
  std::array<Due, 16> due;
  std::size_t count = 0;
  domain.queue().for_each_before(horizon, [&](const EventQueue::Entry& entry) {
    if (count == due.size()) return;
    due[count++] = {entry.event, entry.arg};
    __builtin_prefetch(entry.event);
  });
  if (count < 2) return;
  for (unsigned step = 0; step < steps_of_turn; ++step) {
    for (std::size_t i = 0; i < count; ++i) due[i].event->prefetch(due[i].arg, step);
  }
}

bool ask_for(const VirtualDomain& domain, unsigned step) {
  if (step == 0) {
    ask_for_lines(&domain, sizeof domain);
    return true;
  }
  const EventQueue& queue = domain.queue();
  if (queue.empty()) return false;
  const EventQueue::Entry* const entries = queue.next();
  if (step == 1) {
    ask_for_lines(entries, first_events * sizeof *entries);
    return true;
  }
  bool more = false;
  for (std::size_t i = 0; i < std::min(first_events, queue.size()); ++i) {
    if (step == 2) {
      __builtin_prefetch(entries[i].event);
      more = true;
    } else if (entries[i].event->prefetch(entries[i].arg, step - 3)) {
      more = true;
    }
  }
  return more;
}

}  // namespace corespec
