// Meeting in shared memory.
#include "launch/workers/shared_rounds.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>

#include "corespec/host/check.h"
#include "corespec/host/futex.h"
#include "corespec/host/host_time.h"

namespace launch {
namespace {

using corespec::Time;
namespace futex = corespec::futex;

constexpr std::size_t most_in_box = std::size_t{1} << 36;

constexpr std::size_t letter_head = 16;
struct LetterHead {
  std::uint64_t bytes;
  Subject subject;
};
static_assert(sizeof(LetterHead) == letter_head);

constexpr std::size_t whole_words(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

/// So that it looks now and then whether the others are still there.
constexpr std::int64_t longest_sleep_ns = 100'000'000;

}  // namespace

/// Where a part says how far it is; of its fronts that of the last round and that of the one
/// before, which others may still be reading.
struct alignas(64) SharedRoundsMemory::Place {
  corespec::futex::Word arrived = 0;        ///< the round
  std::atomic<std::uint32_t> sleepers = 0;  ///< that wait for this part
  alignas(64) std::array<corespec::Rounds::Front, 2> fronts;
};

/// Letters, one behind the other.
struct alignas(64) SharedRoundsMemory::Box {
  std::size_t used = 0;
  Time at_routers = Time::max();
  Time at_nodes = Time::max();
  std::byte* letters() { return reinterpret_cast<std::byte*>(this + 1); }
};

SharedRoundsMemory::SharedRoundsMemory(std::size_t parts, std::size_t room) : parts_(parts) {
  const std::size_t boxes = 2 * parts * parts;
  box_bytes_ = std::min(room / boxes, most_in_box) / 4096 * 4096;
  bytes_ = parts * sizeof(Place) / 4096 * 4096 + 4096 + boxes * box_bytes_;
  void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::runtime_error(fmt::format(
        "--workers: the host has no {} GiB of addresses for what workers share (ulimit -v?)",
        bytes_ >> 30));
  }
  memory_ = static_cast<std::byte*>(memory);
  for (std::size_t part = 0; part < parts; ++part) new (&place(part)) Place();
  for (std::uint32_t round : {0U, 1U}) {
    for (std::size_t from = 0; from < parts; ++from) {
      for (std::size_t to = 0; to < parts; ++to) new (&box(round, from, to)) Box();
    }
  }
}

SharedRoundsMemory::~SharedRoundsMemory() { munmap(memory_, bytes_); }

SharedRoundsMemory::Place& SharedRoundsMemory::place(std::size_t part) const {
  return *reinterpret_cast<Place*>(memory_ + part * sizeof(Place));
}

SharedRoundsMemory::Box& SharedRoundsMemory::box(std::uint32_t round, std::size_t from,
                                                 std::size_t to) const {
  const std::size_t number = (round % 2 * parts_ + from) * parts_ + to;
  std::byte* const first = memory_ + bytes_ - 2 * parts_ * parts_ * box_bytes_;
  return *reinterpret_cast<Box*>(first + number * box_bytes_);
}

SharedRounds::SharedRounds(SharedRoundsMemory& memory, std::size_t part, unsigned looks,
                           std::function<void()> waits)
    : memory_(memory),
      part_(part),
      looks_(looks),
      waits_(std::move(waits)),
      fronts_(memory.parts()) {}

std::span<std::byte> SharedRounds::add(std::size_t to, Subject subject, std::size_t bytes) {
  Box& box = this->box(to);
  const std::size_t needed = letter_head + whole_words(bytes);
  CASTOR_CHECK(needed <= memory_.box_bytes_ - sizeof(Box) - box.used,
               "parts tell each other more in a round than there are addresses for");
  std::byte* const at = box.letters() + box.used;
  new (at) LetterHead{bytes, subject};
  box.used += needed;
  return {at + letter_head, bytes};
}

void SharedRounds::expect_at_routers(std::size_t to, Time at) {
  Box& box = this->box(to);
  box.at_routers = std::min(box.at_routers, at);
}

void SharedRounds::expect_at_nodes(std::size_t to, Time at) {
  Box& box = this->box(to);
  box.at_nodes = std::min(box.at_nodes, at);
}

void SharedRounds::arrive(const Front& own) {
  auto& place = memory_.place(part_);
  place.fronts[round_ % 2] = own;
  // Before the look for sleepers: one that sees the old value either is among them by now, or has
  // not fallen asleep yet, which the kernel sees.
  place.arrived.store(round_, std::memory_order_seq_cst);
  if (place.sleepers.load(std::memory_order_seq_cst) != 0)
    futex::wake_all(place.arrived, futex::Scope::shared);
}

bool SharedRounds::wait_for(std::size_t part, const std::atomic<bool>& stopped) {
  auto& place = memory_.place(part);
  const auto is_there = [&] {
    // Not `!=`: the part may be a round ahead, and cannot be more.
    return static_cast<std::int32_t>(place.arrived.load(std::memory_order_acquire) - round_) >= 0;
  };
  for (unsigned look = 0; look < looks_; ++look) {
    if (is_there()) return true;
    if (stopped.load(std::memory_order_relaxed)) return false;
    futex::pause();
  }
  place.sleepers.fetch_add(1, std::memory_order_seq_cst);
  bool there = false;
  while (!(there = is_there()) && !stopped.load(std::memory_order_relaxed)) {
    futex::wait(place.arrived, round_ - 1, futex::Scope::shared,
                corespec::host_time_ns() + longest_sleep_ns);
    if (!is_there()) waits_();
  }
  place.sleepers.fetch_sub(1, std::memory_order_seq_cst);
  return there;
}

bool SharedRounds::meet(const std::atomic<bool>& stopped) {
  for (std::size_t part = 0; part < parts(); ++part) {
    if (part != part_ && !wait_for(part, stopped)) return false;
  }
  for (std::size_t to = 0; to < parts(); ++to) {
    fronts_[to] = memory_.place(to).fronts[round_ % 2];
    for (std::size_t from = 0; from < parts(); ++from) {
      const Box& box = memory_.box(round_, from, to);
      fronts_[to].coming_to_routers = std::min(fronts_[to].coming_to_routers, box.at_routers);
      fronts_[to].coming_to_nodes = std::min(fronts_[to].coming_to_nodes, box.at_nodes);
    }
  }
  const std::uint32_t met = round_++;
  empty_boxes();
  for (std::size_t from = 0; from < parts(); ++from) {
    if (from == part_) continue;
    each_letter(
        memory_.box(met, from, part_),
        [&](Subject subject, std::span<const std::byte> letter) { reader(subject)(from, letter); });
  }
  return true;
}

void SharedRounds::each_letter(Box& box, const Read& read) {
  for (std::size_t at = 0; at < box.used;) {
    const auto& head = *reinterpret_cast<const LetterHead*>(box.letters() + at);
    read(head.subject, {box.letters() + at + letter_head, head.bytes});
    at += letter_head + whole_words(head.bytes);
  }
}

void SharedRounds::read_early(std::size_t from, Subject subject) {
  each_letter(memory_.box(round_, from, part_),
              [&](Subject what, std::span<const std::byte> letter) {
                if (what == subject) reader(what)(from, letter);
              });
}

/// Those of the round that begins: their letters were read before the parts met this time.
void SharedRounds::empty_boxes() {
  for (std::size_t to = 0; to < parts(); ++to) {
    Box& own = box(to);
    own.used = 0;
    own.at_routers = own.at_nodes = Time::max();
  }
}

}  // namespace launch
