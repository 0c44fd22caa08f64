// Turns: a heap of domains.
#include "corespec/virtual/turns.h"

#include <algorithm>

#include "corespec/events/prefetch_lines.h"
#include "corespec/virtual/virtual_domain.h"

namespace corespec {

namespace {

/// Of the heap: the next turns are among them, as a rule. A turn takes some microseconds of the
/// host's, many times what a line of memory needs to come.
constexpr std::size_t ahead = 20;
/// The host's caches hold most of what fewer domains touch, and asking ahead costs more than it
/// saves.
constexpr std::size_t many = 200;

}  // namespace

bool Turns::are_many() const { return used_ >= many; }

void Turns::ask_ahead() {
  const std::size_t end = std::min(ahead + 1, heap_.size());
  LineRequests lines;
  for (std::size_t i = 1; i < end; ++i) {
    Turn& turn = heap_[i];
    if (turn.asked.chains != 0) ask_for(*turn.domain, turn.asked, lines);
  }
}

void Turns::add(VirtualDomain& domain) {
  if (positions_.size() <= domain.number()) positions_.resize(domain.number() + 1);
  const Turn turn{domain.next_time(), &domain, domain.number()};
  heap_.push_back(turn);
  sift_up(heap_.size() - 1, turn);
}

Time Turns::second_time() const {
  Time second = Time::max();
  for (std::size_t child = 1; child < 3 && child < heap_.size(); ++child) {
    second = std::min(second, heap_[child].next);
  }
  return second;
}

void Turns::first_has_run() {
  VirtualDomain& domain = first();
  sift_down({domain.next_time(), &domain, domain.number()});
}

void Turns::moved_earlier(VirtualDomain& domain) {
  const bool first_event = domain.events() == 0 && domain.queue().size() == 1;
  if (first_event) ++used_;
  sift_up(positions_[domain.number()], {domain.next_time(), &domain, domain.number()});
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

/// Puts `turn` where the first was, and lets it sink to its place.
void Turns::sift_down(const Turn& turn) {
  const std::size_t count = heap_.size();
  std::size_t position = 0;
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
