// Error events: the subscribers' queues in node memory.
#include "ugni_emu/nic/error_events.h"

#include <array>
#include <atomic>

#include "ugni_emu/nic/cq_entry_bits.h"

namespace nic {
namespace {

using ugni::ResponseStatus;

constexpr const char* name = "nic.errors";

gni_error_mask_t category_of(ResponseStatus status) {
  switch (status) {
    case ResponseStatus::invalid_handle:
    case ResponseStatus::out_of_bounds:
      return GNI_ERRMASK_ADDRESS_TRANSLATION;
    case ResponseStatus::lost:
      return GNI_ERRMASK_TRANSIENT;
    case ResponseStatus::ok:
    case ResponseStatus::event_lost:
    case ResponseStatus::no_such_domain:
    case ResponseStatus::permission:
    case ResponseStatus::no_such_child:
    case ResponseStatus::other_reduction:
    case ResponseStatus::without_data:
    case ResponseStatus::unreachable:
      break;
  }
  return GNI_ERRMASK_TRANSACTION;
}

}  // namespace

/// Several processes put events in, each at a place that it claims; one takes them out.
struct ErrorEvents::Queue {
  enum : std::uint32_t { free, prepared, used };
  struct Place {
    std::atomic<std::uint64_t> filled;  ///< 1 + the number of the event that is in it
    gni_error_event_t event;
  };

  void put(const gni_error_event_t& event) {
    std::uint64_t number = claimed.load();
    do {
      if (number - taken.load() >= size.load(std::memory_order_relaxed)) return;
    } while (!claimed.compare_exchange_weak(number, number + 1));
    Place& place = places[number % most_events];
    place.event = event;
    place.filled.store(number + 1);
  }
  bool has_event() const {
    const std::uint64_t number = taken.load();
    return places[number % most_events].filled.load() == number + 1;
  }

  std::atomic<std::uint32_t> state;
  std::atomic<std::uint32_t> size;
  std::atomic<std::uint32_t> mask;
  std::atomic<std::uint32_t> ptag;
  std::atomic<std::uint32_t> waiting;  ///< threads
  std::atomic<std::uint64_t> claimed;
  std::atomic<std::uint64_t> taken;
  std::array<Place, most_events> places;
};

/// Zeroed memory: no subscribers.
struct ErrorEvents::Shared {
  std::atomic<std::uint32_t> last_serial;
  std::array<Queue, most_queues> queues;
};

ErrorEvents::Queue& ErrorEvents::at(std::uint32_t queue) const { return shared_->queues[queue]; }

void ErrorEvents::note(const ugni::Transaction& transaction, ResponseStatus status) {
  if (shared_ == nullptr) {
    shared_ = reinterpret_cast<Shared*>(node_->memory().find(name, sizeof(Shared)));
  }
  if (shared_ == nullptr) return;
  constexpr std::int64_t ps_per_ns = 1000;
  gni_error_event_t event = {};
  event.error_code = static_cast<std::uint16_t>(cq_entry::status_of(status));
  event.error_category = category_of(status);
  event.ptag = transaction.ptag;
  event.serial_number = shared_->last_serial.fetch_add(1) + 1;
  event.timestamp = static_cast<std::uint64_t>(node_->domain().now().ps() / ps_per_ns);
  event.info_mmrs[0] = transaction.remote_address;
  event.info_mmrs[1] = transaction.remote_handle.qword1;
  event.info_mmrs[2] = transaction.length;
  event.info_mmrs[3] = std::uint64_t{transaction.target} << 32 | transaction.source_instance;
  bool awaited = false;
  for (Queue& queue : shared_->queues) {
    const std::uint32_t ptag = queue.ptag.load();
    if (queue.state.load() != Queue::used || (queue.mask.load() & event.error_category) == 0 ||
        (ptag != any_ptag && ptag != event.ptag)) {
      continue;
    }
    queue.put(event);
    awaited = awaited || queue.waiting.load() != 0;
  }
  if (awaited) node_->raise_interrupt();
}

bool ErrorEvents::subscribe(std::uint8_t ptag, gni_error_mask_t mask, std::uint32_t size,
                            std::uint32_t& queue) {
  if (shared_ == nullptr) {
    shared_ = reinterpret_cast<Shared*>(node_->memory().segment(name, sizeof(Shared)));
  }
  for (queue = 0; queue < most_queues; ++queue) {
    std::uint32_t state = Queue::free;
    if (!at(queue).state.compare_exchange_strong(state, Queue::prepared)) continue;
    at(queue).taken.store(at(queue).claimed.load());
    at(queue).size.store(size);
    at(queue).mask.store(mask);
    at(queue).ptag.store(ptag);
    at(queue).state.store(Queue::used);
    return true;
  }
  return false;
}

void ErrorEvents::release(std::uint32_t queue) { at(queue).state.store(Queue::free); }

gni_error_mask_t ErrorEvents::mask(std::uint32_t queue) const {
  return static_cast<gni_error_mask_t>(at(queue).mask.load());
}

void ErrorEvents::set_mask(std::uint32_t queue, gni_error_mask_t mask) {
  at(queue).mask.store(mask);
}

void ErrorEvents::set_ptag(std::uint32_t queue, std::uint8_t ptag) { at(queue).ptag.store(ptag); }

bool ErrorEvents::has_event(std::uint32_t queue) const { return at(queue).has_event(); }

bool ErrorEvents::take(std::uint32_t queue, gni_error_event_t& event) {
  Queue& from = at(queue);
  if (!from.has_event()) return false;
  const std::uint64_t number = from.taken.load();
  event = from.places[number % most_events].event;
  from.taken.store(number + 1);
  return true;
}

ErrorEvents::Waits::Waits(ErrorEvents& events, std::uint32_t queue)
    : events_(events), queue_(queue) {
  events_.at(queue_).waiting.fetch_add(1);
}

ErrorEvents::Waits::~Waits() { events_.at(queue_).waiting.fetch_sub(1); }

bool ErrorEvents::waited_for(std::uint32_t queue) const { return at(queue).waiting.load() != 0; }

}  // namespace nic
