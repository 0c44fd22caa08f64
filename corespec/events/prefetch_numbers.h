// Every number that prefetching was tuned with, and why it is what it is. Found by pairs of builds
// (benchmarks/scaling/two_builds.sh) with 32,768 ranks; none of them changes what a run does.
#pragma once

#include <cstddef>

namespace corespec::prefetch_numbers {

// ---- A domain's own events, just before they fire (engine_prefetch.h).

/// Events ahead in a bucket whose own line is prefetched: with fewer it has not come when the next
/// steps read it.
constexpr std::size_t bucket_object = 16;
/// Events ahead whose chains go a step further, in the order of the steps: a hop has two, and each
/// has to come before the next one reads it.
constexpr std::size_t bucket_chain[] = {8, 3};

// ---- Turns of other domains (turns.h, turn_prefetch.h).

/// From so many domains with events on: the host's caches hold most of what fewer of them touch,
/// and prefetching costs more than it saves.
constexpr std::size_t many_domains = 25;
/// A turn's memory is prefetched from so many events before it on: as long as the longest chains,
/// and not longer, as what is prefetched much earlier has left the caches again.
constexpr std::size_t events_ahead = 13;
/// Turns kept in order: the first, and as many as may be prefetched for if each has one event.
constexpr std::size_t turns_in_order = 15;
/// Events of a queue that are followed, in its heap's order: few turns have events behind them. (A
/// bit each.)
constexpr std::size_t events_of_turn = 32;
static_assert(events_of_turn <= 32);

// ---- Bytes that are copied.

/// Lines at the start of memory that is read or written from there on: what comes behind them the
/// host expects.
constexpr std::size_t first_lines = 3;
/// The same of a payload that is known to be read as a whole: the host's own prefetching begins too
/// late for the first kilobyte.
constexpr std::size_t payload_bytes = 1024;

/// Lines of the next chunk of a bucket: of what follows, the host sees how it goes on.
constexpr std::size_t chunk_lines = 4;

// ---- Lists of lines, on the stack while they are filled.

/// Two steps of two events.
constexpr std::size_t lines_of_events = 32;
/// A look at a rank's queues, or one of many requests'.
constexpr std::size_t lines_of_look = 64;
/// A step for each of the turns in order.
constexpr std::size_t lines_of_turns = 256;

}  // namespace corespec::prefetch_numbers
