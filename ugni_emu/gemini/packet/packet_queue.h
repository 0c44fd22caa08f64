// A packet on its way: what moves, queues and is counted in fidelity `packet`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/time/time.h"
#include "ugni_emu/gemini/topology/route_word.h"

namespace gemini {

class PacketRouter;
struct PacketSegment;

/// Which of a tile's buffers: those of each virtual channel are of so many classes, so that no
/// circle of full buffers can come about (Topology::buffer_class()).
inline constexpr unsigned most_buffer_classes = 2;
inline constexpr unsigned slots = 2 * most_buffer_classes;
using Slot = std::uint8_t;
constexpr Slot slot_of(unsigned channel, unsigned buffer_class) {
  return static_cast<Slot>(channel * most_buffer_classes + buffer_class);
}
constexpr unsigned channel_of(Slot slot) { return slot / most_buffer_classes; }
constexpr unsigned class_of(Slot slot) { return slot % most_buffer_classes; }

/// A token without data: what it carries is its segment's. As an event it comes to a router.
struct Packet final : corespec::Event {
  Packet() : router(nullptr) {}
  /// It comes to an input tile of a router; `lost`: the router that it was for learns that it will
  /// not come.
  void fire(std::uint64_t tile) override;
  static constexpr std::uint64_t lost = ~std::uint64_t{0};

  PacketSegment* segment = nullptr;
  Packet* next = nullptr;  ///< in a buffer or in the pool
  RouteWord route;         ///< what is left of its way
  union {
    PacketRouter* router;  ///< on a link: where it arrives
    corespec::Time head;   ///< in a buffer: when its first phit came
  };
  std::uint16_t number = 0;  ///< among its segment's
  std::uint16_t phits = 0;
  std::uint16_t lasts = 0;  ///< cycles from its first phit to its last one, where it came in
  Slot slot = 0;            ///< the buffer that it is in or comes to
};
static_assert(sizeof(Packet) == 48);

/// First in, first out: a ring through the packets, of which the last one is known. (A router has
/// hundreds of them.)
class PacketQueue {
 public:
  bool empty() const { return last_ == nullptr; }
  Packet& front() const { return *last_->next; }
  void push(Packet& packet) {
    if (last_ == nullptr) {
      packet.next = &packet;
    } else {
      packet.next = last_->next;
      last_->next = &packet;
    }
    last_ = &packet;
  }
  Packet& pop() {
    Packet& packet = *last_->next;
    if (&packet == last_) {
      last_ = nullptr;
    } else {
      last_->next = packet.next;
    }
    return packet;
  }
  std::size_t size() const {
    std::size_t counted = 0;
    for_each([&](const Packet&) { ++counted; });
    return counted;
  }
  template <typename Function>
  void for_each(const Function& function) const {
    if (last_ == nullptr) return;
    const Packet* each = last_;
    do {
      each = each->next;
      function(*each);
    } while (each != last_);
  }

 private:
  Packet* last_ = nullptr;
};

/// A network's objects of one kind, linked through their member `next`, last in, first out; grows
/// to the largest number in use. Not for several host threads.
template <typename T, T* T::*next>
class FreeList {
  using Slab = std::array<T, 64>;

 public:
  T& take() {
    if (free_ == nullptr) grow();
    T& taken = *free_;
    free_ = taken.*next;
    return taken;
  }
  void put(T& object) {
    object.*next = free_;
    free_ = &object;
  }
  /// How many are taken: counted, for the end of a run.
  std::size_t in_use() const {
    std::size_t objects = slabs_.size() * std::tuple_size_v<Slab>;
    for (const T* each = free_; each != nullptr; each = each->*next) --objects;
    return objects;
  }

 private:
  void grow() {
    slabs_.push_back(std::make_unique<Slab>());
    for (T& object : *slabs_.back()) {
      object.*next = free_;
      free_ = &object;
    }
  }

  T* free_ = nullptr;
  std::vector<std::unique_ptr<Slab>> slabs_;
};

}  // namespace gemini
