// The GNI objects of one rank: chunks, places used again, the end of a domain.
#include "ugni_emu/gni/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "ugni_emu/nic/nic.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace gni {
namespace {

// The sanitizer sees the code that uses a place that holds no object.
void poison([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  ASAN_POISON_MEMORY_REGION(memory, bytes);
#endif
}
void unpoison([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
#endif
}

}  // namespace

void Objects::add_chunk() {
  static_assert(slots_before(near_chunks) == near_slots);
  const std::size_t slots = slots_in(chunk_count_);
  const std::size_t bytes = slots * (slot_bytes + (chunk_count_ < near_chunks ? 0 : sizeof(Kind)));
  auto* chunk = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{slot_bytes}));
  if (chunk_count_ < near_chunks) {
    near_[chunk_count_] = chunk;
  } else {
    far_.push_back(chunk);
  }
  std::fill_n(kinds(chunk_count_), slots, Kind::none);
  poison(chunk, slots * slot_bytes);
  ++chunk_count_;
  used_slots_ = 0;
}

void* Objects::take(Kind kind, std::size_t slots) {
  void*& free = free_[static_cast<std::size_t>(kind)];
  std::byte* object = static_cast<std::byte*>(free);
  if (object != nullptr) {
    unpoison(object, slots * slot_bytes);
    std::memcpy(&free, object, sizeof free);
  } else {
    while (chunk_count_ == 0 || used_slots_ + slots > slots_in(chunk_count_ - 1)) add_chunk();
    object = chunk_at(chunk_count_ - 1) + used_slots_ * slot_bytes;
    used_slots_ += static_cast<std::uint32_t>(slots);
    unpoison(object, slots * slot_bytes);
  }
  Kind* const kinds = kind_slot(object);
  std::fill_n(kinds, slots, Kind::inside);
  *kinds = kind;
  return object;
}

void Objects::give_back(void* object, Kind kind, std::size_t slots) {
  std::fill_n(kind_slot(object), slots, Kind::none);
  void*& free = free_[static_cast<std::size_t>(kind)];
  std::memcpy(object, &free, sizeof free);
  free = object;
  poison(object, slots * slot_bytes);
}

template <typename Object, typename Function>
void Objects::for_each(Function function) {
  for (std::size_t chunk = 0; chunk < chunk_count_; ++chunk) {
    for (std::size_t slot = 0; slot < slots_in(chunk); ++slot) {
      if (kinds(chunk)[slot] != kind_of<Object>()) continue;
      function(*reinterpret_cast<Object*>(chunk_at(chunk) + slot * slot_bytes));
    }
  }
}

Objects::~Objects() {
  for_each<CommunicationDomain>([this](CommunicationDomain& domain) { destroy_all_of(domain); });
  for (std::size_t chunk = 0; chunk < chunk_count_; ++chunk) {
    unpoison(chunk_at(chunk), slots_in(chunk) * slot_bytes);
    ::operator delete (chunk_at(chunk), std::align_val_t{slot_bytes});
  }
}

int Objects::hold() {
  holds_.push_back(std::make_unique<corespec::EventFile>());
  return holds_.back()->descriptor();
}

bool Objects::release(int descriptor) {
  return std::erase_if(holds_,
                       [&](const auto& each) { return each->descriptor() == descriptor; }) != 0;
}

nic::CompletionQueue* Objects::make_queue(nic::Domain& domain, std::uint32_t entries,
                                          std::uint32_t delay_count, gni_cq_mode_t mode,
                                          nic::CompletionQueue::Handler handler, void* context) {
  constexpr auto kind = nic::NodeResources::Kind::queues;
  nic::NodeResources& resources = domain.nic().resources();
  if (!resources.take(kind)) return nullptr;
  try {
    return make<nic::CompletionQueue>(domain, entries, delay_count, mode, handler, context);
  } catch (...) {
    resources.give_back(kind);
    throw;
  }
}

void Objects::destroy_queue(nic::CompletionQueue& queue) {
  if (queue.domain().has_nic()) {
    queue.domain().nic().resources().give_back(nic::NodeResources::Kind::queues);
  }
  destroy(queue);
}

void Objects::destroy_channel(nic::CompletionChannel& channel) {
  if (channel.domain().has_nic()) channel.domain().nic().waiters().wake(channel, true);
  destroy(channel);
}

void Objects::destroy_subscription(ErrorSubscription& subscription) {
  subscription.nic->waiters().wake(subscription, true);
  subscription.nic->errors().release(subscription.queue);
  destroy(subscription);
}

nic::MessageQueue* Objects::make_message_queue(nic::Domain& domain, nic::CompletionQueue& sends,
                                               const gni_msgq_attr_t& attributes,
                                               gni_msgq_rcv_cb_func* callback, void* context) {
  const bool blocks = (attributes.modes & GNI_MSGQ_MODE_BLOCKING) != 0;
  nic::CompletionQueue* const arrivals =
      make_queue(domain, std::max(attributes.rcv_cq_sz, 1U), 0,
                 blocks ? GNI_CQ_BLOCKING : GNI_CQ_NOBLOCK, nullptr, nullptr);
  if (arrivals == nullptr) return nullptr;
  try {
    return make<nic::MessageQueue>(domain, sends, *arrivals, callback, context);
  } catch (...) {
    destroy_queue(*arrivals);
    throw;
  }
}

void Objects::destroy_message_queue(nic::MessageQueue& queue) {
  nic::CompletionQueue& arrivals = queue.arrivals();
  nic::Domain& domain = queue.domain();
  destroy(queue);
  if (domain.has_nic()) domain.forget(arrivals);
  destroy_queue(arrivals);
}

nic::CollectiveEngine* Objects::make_engine(nic::Domain& domain) {
  constexpr auto kind = nic::NodeResources::Kind::engines;
  nic::NodeResources& resources = domain.nic().resources();
  if (!resources.take(kind)) return nullptr;
  try {
    return make<nic::CollectiveEngine>(domain);
  } catch (...) {
    resources.give_back(kind);
    throw;
  }
}

void Objects::destroy_engine(nic::CollectiveEngine& engine) {
  nic::Domain& domain = engine.domain();
  destroy(engine);
  if (domain.has_nic()) domain.nic().resources().give_back(nic::NodeResources::Kind::engines);
}

void Objects::abandon_reductions(const CommunicationDomain& domain) {
  if (domain.attachment == nullptr || !domain.attachment->has_nic()) return;
  for_each<nic::CollectiveEngine>([&](nic::CollectiveEngine& engine) {
    if (&engine.domain() == domain.attachment) engine.abandon();
  });
}

bool Objects::has_registered(std::uint64_t address) {
  bool found = false;
  for_each<nic::Domain>(
      [&](nic::Domain& domain) { found = found || domain.memory().holds(domain, address); });
  return found;
}

std::string Objects::left() {
  std::string text;
  const auto note = [&text](std::uint64_t count, std::string_view one, std::string_view more = "") {
    if (count == 0) return;
    text += fmt::format("{}{} {}{}{}", text.empty() ? "" : ", ", count, one, count == 1 ? "" : "s",
                        more);
  };
  std::array<std::uint64_t, static_cast<std::size_t>(Kind::inside)> counts{};
  for (std::size_t chunk = 0; chunk < chunk_count_; ++chunk) {
    for (std::size_t slot = 0; slot < slots_in(chunk); ++slot) {
      const Kind kind = kinds(chunk)[slot];
      if (kind < Kind::inside) ++counts[static_cast<std::size_t>(kind)];
    }
  }
  const auto count_of = [&](Kind kind) { return counts[static_cast<std::size_t>(kind)]; };
  std::uint64_t events = 0, regions = 0, bytes = 0;
  for_each<nic::CompletionQueue>(
      [&](const nic::CompletionQueue& queue) { events += queue.events(); });
  for_each<nic::Domain>([&](const nic::Domain& domain) {
    if (!domain.has_nic()) return;
    const nic::Region* region = domain.memory().next_of(domain, nic::RegionTable::any_number);
    for (; region != nullptr; region = domain.memory().next_of(domain, region->number)) {
      ++regions;
      bytes += region->length;
    }
  });
  note(count_of(Kind::cdm), "communication domain");
  note(count_of(Kind::endpoint), "endpoint");
  note(count_of(Kind::queue), "completion queue",
       events == 0 ? "" : fmt::format(" ({} event{} not taken)", events, events == 1 ? "" : "s"));
  note(regions, "memory registration", fmt::format(" of {} bytes", bytes));
  note(count_of(Kind::channel), "completion channel");
  note(count_of(Kind::errors), "error subscription");
  note(count_of(Kind::message_queue), "message queue");
  note(count_of(Kind::engine), "collective engine");
  note(holds_.size(), "held protection domain");
  return text;
}

void Objects::destroy_all_of(CommunicationDomain& domain) {
  if (domain.attachment != nullptr) destroy_parts(*domain.attachment);
  destroy(domain);
}

// What uses queues goes before them.
void Objects::destroy_parts_above_queues(nic::Domain& domain) {
  for_each<nic::MessageQueue>([&](nic::MessageQueue& queue) {
    if (&queue.domain() == &domain) destroy_message_queue(queue);
  });
  for_each<nic::CompletionChannel>([&](nic::CompletionChannel& channel) {
    if (&channel.domain() == &domain) destroy_channel(channel);
  });
  for_each<nic::CollectiveEngine>([&](nic::CollectiveEngine& engine) {
    if (&engine.domain() == &domain) destroy_engine(engine);
  });
  if (!domain.has_nic()) return;
  for_each<ErrorSubscription>([&](ErrorSubscription& subscription) {
    if (subscription.domain == &domain) destroy_subscription(subscription);
  });
}

// First the queues' waiters learn that their queue goes, then the NIC forgets the domain, and
// with it what points to the endpoints and queues that go at the end.
void Objects::destroy_parts(nic::Domain& domain) {
  destroy_parts_above_queues(domain);
  std::vector<nic::CompletionQueue*> queues;
  for_each<nic::CompletionQueue>([&](nic::CompletionQueue& queue) {
    if (&queue.domain() == &domain) queues.push_back(&queue);
  });
  domain.about_to_go(queues);
  for_each<nic::Endpoint>([&](nic::Endpoint& endpoint) {
    if (endpoint.domain == &domain) destroy(endpoint);
  });
  for (nic::CompletionQueue* queue : queues) destroy_queue(*queue);
  destroy(domain);
}

}  // namespace gni
