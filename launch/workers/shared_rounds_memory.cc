// Places and boxes, and what of them goes to another host.
#include "launch/workers/shared_rounds_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#include "corespec/host/check.h"

namespace launch {
namespace {

using corespec::Time;

constexpr std::size_t most_in_box = std::size_t{1} << 36;
constexpr std::size_t page = 4096;

/// When what a host's parts write leads to events at a part.
struct Coming {
  Time to_routers = Time::max();
  Time to_nodes = Time::max();
};

/// Takes records and bytes off the front of what has come.
class Cutter {
 public:
  explicit Cutter(std::span<const std::byte> bytes) : rest_(bytes) {}
  template <typename Record>
  bool take(Record& record) {
    const std::span<const std::byte> bytes = take_bytes(sizeof record);
    if (bytes.size() != sizeof record) return false;
    std::memcpy(&record, bytes.data(), sizeof record);
    return true;
  }
  /// Fewer if there are no more.
  std::span<const std::byte> take_bytes(std::size_t count) {
    const std::span<const std::byte> taken = rest_.first(std::min(count, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  bool is_empty() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace

SharedRoundsMemory::SharedRoundsMemory(std::size_t parts, std::size_t room) : parts_(parts) {
  const std::size_t boxes = 2 * parts * parts;
  box_bytes_ = std::min(room / boxes, most_in_box) / page * page;
  bytes_ = parts * sizeof(Place) / page * page + page + boxes * box_bytes_;
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

void SharedRoundsMemory::Place::arrive(std::uint32_t round) {
  // Before the look for sleepers: one that sees the old value either is among them by now, or has
  // not fallen asleep yet, which the kernel sees.
  arrived.store(round, std::memory_order_seq_cst);
  if (sleepers.load(std::memory_order_seq_cst) != 0)
    corespec::futex::wake_all(arrived, corespec::futex::Scope::shared);
}

SharedRoundsMemory::Place& SharedRoundsMemory::place(std::size_t part) const {
  return *reinterpret_cast<Place*>(memory_ + part * sizeof(Place));
}

SharedRoundsMemory::Box& SharedRoundsMemory::box(std::uint32_t round, std::size_t from,
                                                 std::size_t to) const {
  const std::size_t number = (round % 2 * parts_ + from) * parts_ + to;
  std::byte* const first = memory_ + bytes_ - 2 * parts_ * parts_ * box_bytes_;
  return *reinterpret_cast<Box*>(first + number * box_bytes_);
}

// Packed: each sender's front; for each part of the job when anything comes to it from them; for
// each sender and each receiver how many bytes of letters there are, and these.

std::size_t SharedRoundsMemory::packed_bytes(std::uint32_t round, Range from, Range to) const {
  std::size_t bytes = from.size() * sizeof(corespec::Rounds::Front) + parts_ * sizeof(Coming) +
                      from.size() * to.size() * sizeof(Box::used);
  for (std::size_t sender = from.begin; sender < from.end; ++sender) {
    for (std::size_t receiver = to.begin; receiver < to.end; ++receiver) {
      bytes += box(round, sender, receiver).used;
    }
  }
  return bytes;
}

void SharedRoundsMemory::pack(std::uint32_t round, Range from, Range to,
                              std::span<std::byte> into) const {
  std::byte* at = into.data();
  const auto add = [&](const void* bytes, std::size_t count) {
    std::memcpy(at, bytes, count);
    at += count;
  };
  for (std::size_t sender = from.begin; sender < from.end; ++sender) {
    const corespec::Rounds::Front& front = place(sender).fronts[round % 2];
    add(&front, sizeof front);
  }
  for (std::size_t part = 0; part < parts_; ++part) {
    Coming coming;
    for (std::size_t sender = from.begin; sender < from.end; ++sender) {
      const Box& box = this->box(round, sender, part);
      coming.to_routers = std::min(coming.to_routers, box.at_routers);
      coming.to_nodes = std::min(coming.to_nodes, box.at_nodes);
    }
    add(&coming, sizeof coming);
  }
  for (std::size_t sender = from.begin; sender < from.end; ++sender) {
    for (std::size_t receiver = to.begin; receiver < to.end; ++receiver) {
      const Box& box = this->box(round, sender, receiver);
      add(&box.used, sizeof box.used);
      add(box.letters(), box.used);
    }
  }
}

bool SharedRoundsMemory::are_letters(std::span<const std::byte> bytes) const {
  Cutter cutter(bytes);
  while (!cutter.is_empty()) {
    LetterHead head;
    if (!cutter.take(head) || head.bytes > bytes.size() ||
        static_cast<std::size_t>(head.subject) >= subjects) {
      return false;
    }
    const std::size_t content = letter_bytes(head.bytes) - sizeof head;
    if (cutter.take_bytes(content).size() != content) return false;
  }
  return true;
}

bool SharedRoundsMemory::unpack(std::uint32_t round, Range from, Range to,
                                std::span<const std::byte> packed) {
  Cutter cutter(packed);
  for (std::size_t sender = from.begin; sender < from.end; ++sender) {
    if (!cutter.take(place(sender).fronts[round % 2])) return false;
  }
  // The first sender's boxes say it for all of them.
  for (std::size_t part = 0; part < parts_; ++part) {
    Coming coming;
    if (!cutter.take(coming)) return false;
    Box& box = this->box(round, from.begin, part);
    box.at_routers = coming.to_routers;
    box.at_nodes = coming.to_nodes;
  }
  for (std::size_t sender = from.begin; sender < from.end; ++sender) {
    for (std::size_t receiver = to.begin; receiver < to.end; ++receiver) {
      std::size_t used = 0;
      if (!cutter.take(used)) return false;
      Box& box = this->box(round, sender, receiver);
      const std::span<const std::byte> letters = cutter.take_bytes(used);
      if (letters.size() != used || used > box_bytes_ - sizeof(Box) || !are_letters(letters)) {
        return false;
      }
      if (used != 0) std::memcpy(box.letters(), letters.data(), used);
      box.used = used;
    }
  }
  if (!cutter.is_empty()) return false;
  for (std::size_t sender = from.begin; sender < from.end; ++sender) place(sender).arrive(round);
  return true;
}

std::span<const std::byte> SharedRoundsMemory::letters_so_far(std::uint32_t round,
                                                              std::size_t from) const {
  const Box& box = this->box(round, from, 0);
  return {box.letters(), box.used};
}

bool SharedRoundsMemory::set_letters_so_far(std::uint32_t round, std::size_t from,
                                            std::span<const std::byte> letters) {
  Box& box = this->box(round, from, 0);
  box.round = round;
  if (letters.size() > box_bytes_ - sizeof(Box) || !are_letters(letters)) return false;
  if (!letters.empty()) std::memcpy(box.letters(), letters.data(), letters.size());
  box.used = letters.size();
  return true;
}

}  // namespace launch
