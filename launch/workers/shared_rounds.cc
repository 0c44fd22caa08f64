// Meeting in shared memory.
#include "launch/workers/shared_rounds.h"

#include <algorithm>
#include <new>

#include "corespec/host/check.h"
#include "corespec/host/futex.h"
#include "corespec/host/host_time.h"

namespace launch {
namespace {

using corespec::Time;
using LetterHead = SharedRoundsMemory::LetterHead;
namespace futex = corespec::futex;

/// So that it looks now and then whether the others are still there.
constexpr std::int64_t longest_sleep_ns = 100'000'000;

}  // namespace

SharedRounds::SharedRounds(SharedRoundsMemory& memory, std::size_t part, unsigned looks,
                           std::function<void()> waits)
    : memory_(memory),
      part_(part),
      looks_(looks),
      waits_(std::move(waits)),
      fronts_(memory.parts()) {
  empty_boxes();
}

std::span<std::byte> SharedRounds::add(std::size_t to, Subject subject, std::size_t bytes) {
  Box& box = this->box(to);
  const std::size_t needed = SharedRoundsMemory::letter_bytes(bytes);
  CASTOR_CHECK(needed <= memory_.box_bytes() - sizeof(Box) - box.used,
               "parts tell each other more in a round than there are addresses for");
  std::byte* const at = box.letters() + box.used;
  new (at) LetterHead{bytes, subject};
  box.used += needed;
  bytes_written_ += needed;
  return {at + sizeof(LetterHead), bytes};
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
  place.arrive(round_);
}

bool SharedRounds::wait_for(std::size_t part, const std::atomic<bool>& stopped) {
  auto& place = memory_.place(part);
  const auto is_there = [&] {
    // Not `!=`: the part may be a round ahead, and cannot be more.
    return static_cast<std::int32_t>(place.arrived.load(std::memory_order_acquire) - round_) >= 0;
  };
  if (is_there()) return true;
  const unsigned looks = looks_.begin();
  for (unsigned look = 0; look < looks; ++look) {
    if (stopped.load(std::memory_order_relaxed)) return false;
    futex::pause();
    if (!is_there()) continue;
    looks_.end(looks, true);
    return true;
  }
  looks_.end(looks, false);
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
  if (courier_ != nullptr) {
    for (std::size_t part = own_host_.begin; part < own_host_.end; ++part) {
      if (part != part_ && !wait_for(part, stopped)) return false;
    }
    if (!courier_->carry(round_, stopped)) return false;
  }
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
    read(head.subject, {box.letters() + at + sizeof head, head.bytes});
    at += SharedRoundsMemory::letter_bytes(head.bytes);
  }
}

void SharedRounds::read_early(std::size_t from, Subject subject) {
  for (const std::uint32_t round : {round_, round_ + 1}) {
    Box& box = memory_.box(round, from, part_);
    if (box.round != round) continue;
    each_letter(box, [&](Subject what, std::span<const std::byte> letter) {
      if (what == subject) reader(what)(from, letter);
    });
  }
}

/// Those of the round that begins: their letters were read before the parts met this time.
void SharedRounds::empty_boxes() {
  for (std::size_t to = 0; to < parts(); ++to) {
    Box& own = box(to);
    own.used = 0;
    own.round = round_;
    own.at_routers = own.at_nodes = Time::max();
  }
}

}  // namespace launch
