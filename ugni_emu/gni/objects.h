// The GNI objects of one rank: made close together, found out as alive or not by their handles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "corespec/host/event_file.h"
#include "corespec/threads/process.h"
#include "ugni_emu/nic/collective_engine.h"
#include "ugni_emu/nic/completion_channel.h"
#include "ugni_emu/nic/completion_queue.h"
#include "ugni_emu/nic/domain.h"
#include "ugni_emu/nic/endpoint.h"
#include "ugni_emu/nic/message_queue.h"

namespace gni {

/// What a gni_cdm_handle_t points to.
struct CommunicationDomain {
  nic::DomainId id;
  std::uint32_t modes = 0;
  nic::Domain* attachment = nullptr;
};

/// What a gni_err_handle_t points to.
struct ErrorSubscription {
  ErrorSubscription(nic::Nic& of, nic::Domain* subscriber) : nic(&of), domain(subscriber) {}
  nic::Nic* nic;
  nic::Domain* domain;  ///< null: root's, to the errors of all
  std::uint32_t queue = 0;
};

/// A handle is the address of a live object of the right kind, or it is invalid: null, foreign and
/// stale handles are found out without a look at what they point to. The objects lie in slots of a
/// cache line in a few chunks of growing size, so that a rank with few peers has its domain, queues
/// and endpoints in one place; places of destroyed objects are used again. Two lines tell all
/// about the first chunks.
class alignas(64) Objects final : public corespec::ProcessState {
 public:
  enum class Kind : std::uint8_t {
    none,
    cdm,
    domain,
    endpoint,
    queue,
    channel,
    errors,
    message_queue,
    engine,
    inside
  };

  Objects() = default;
  ~Objects() override;
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
  bool prefetch(corespec::Upcoming what, unsigned step,
                corespec::LineRequests& lines) const override;

  template <typename Object, typename... Arguments>
  Object* make(Arguments&&... arguments) {
    void* const place = take(kind_of<Object>(), slots_of<Object>());
    try {
      return new (place) Object(std::forward<Arguments>(arguments)...);
    } catch (...) {
      give_back(place, kind_of<Object>(), slots_of<Object>());
      throw;
    }
  }
  template <typename Object>
  void destroy(Object& object) {
    object.~Object();
    give_back(&object, kind_of<Object>(), slots_of<Object>());
  }
  template <typename Object>
  Object* find(void* handle) const {
    return kind_at(handle) == kind_of<Object>() ? static_cast<Object*>(handle) : nullptr;
  }

  /// A completion queue, of which the NIC has a number: null if it has none left.
  nic::CompletionQueue* make_queue(nic::Domain& domain, std::uint32_t entries,
                                   std::uint32_t delay_count, gni_cq_mode_t mode,
                                   nic::CompletionQueue::Handler handler, void* context);
  void destroy_queue(nic::CompletionQueue& queue);
  /// Threads that wait for the channel return.
  void destroy_channel(nic::CompletionChannel& channel);
  void destroy_subscription(ErrorSubscription& subscription);
  /// With a queue of its own for what arrives: null if the NIC has none left.
  nic::MessageQueue* make_message_queue(nic::Domain& domain, nic::CompletionQueue& sends,
                                        const gni_msgq_attr_t& attributes,
                                        gni_msgq_rcv_cb_func* callback, void* context);
  void destroy_message_queue(nic::MessageQueue& queue);
  /// A collective engine: null if the NIC has none left.
  nic::CollectiveEngine* make_engine(nic::Domain& domain);
  void destroy_engine(nic::CollectiveEngine& engine);
  /// The domain is about to go in the middle of a run: see CollectiveEngine::abandon().
  void abandon_reductions(const CommunicationDomain& domain);

  /// A descriptor that stands for a hold on a protection domain. Throws std::bad_alloc.
  int hold();
  /// False if it stands for none.
  bool release(int descriptor);

  /// True when `function` is named for the first time.
  bool is_first_mention(const std::string& function) { return mentioned_.insert(function).second; }

  /// True if the rank has registered memory that has the address in it. A signal handler may call
  /// it.
  bool has_registered(std::uint64_t address);

  /// Destroys a communication domain with everything that belongs to it.
  void destroy_all_of(CommunicationDomain& domain);

  /// What is in the table, and what belongs to it.
  std::string left() override;

 private:
  static constexpr std::size_t slot_bytes = 64;
  static constexpr std::size_t near_chunks = 6;

  template <typename Object>
  static constexpr Kind kind_of();
  template <typename Object>
  static constexpr std::size_t slots_of() {
    static_assert(alignof(Object) <= slot_bytes);
    return (sizeof(Object) + slot_bytes - 1) / slot_bytes;
  }
  /// The first has room for a domain and what belongs to it from the start, the others for a few
  /// endpoints; a fourth of what there is at the most stays empty.
  static constexpr std::size_t slots_in(std::size_t chunk) {
    return chunk == 0 ? 16 : std::size_t{8} << (chunk - 1) / 4;
  }
  std::byte* chunk_at(std::size_t chunk) const {
    return chunk < near_chunks ? near_[chunk] : far_[chunk - near_chunks];
  }
  /// The first slot of one of the near chunks, or of the chunk behind them, among all slots.
  static constexpr std::size_t slots_before(std::size_t chunk) {
    std::size_t slots = 0;
    for (std::size_t before = 0; before < chunk; ++before) slots += slots_in(before);
    return slots;
  }
  static constexpr std::size_t near_slots = 64;
  /// What lies in a chunk's slots: here, or (far chunks) behind them.
  const Kind* kinds(std::size_t chunk) const {
    return chunk < near_chunks
               ? &near_kinds_[slots_before(chunk)]
               : reinterpret_cast<const Kind*>(chunk_at(chunk) + slots_in(chunk) * slot_bytes);
  }
  Kind* kinds(std::size_t chunk) { return const_cast<Kind*>(std::as_const(*this).kinds(chunk)); }
  const Kind* kind_slot(const void* object) const {
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    for (std::size_t chunk = 0; chunk < chunk_count_; ++chunk) {
      const std::size_t offset = address - reinterpret_cast<std::uintptr_t>(chunk_at(chunk));
      if (offset >= slots_in(chunk) * slot_bytes) continue;
      return offset % slot_bytes == 0 ? kinds(chunk) + offset / slot_bytes : nullptr;
    }
    return nullptr;
  }
  Kind* kind_slot(const void* object) {
    return const_cast<Kind*>(std::as_const(*this).kind_slot(object));
  }
  Kind kind_at(const void* object) const {
    const Kind* kind = kind_slot(object);
    return kind == nullptr ? Kind::none : *kind;
  }

  void* take(Kind kind, std::size_t slots);
  void give_back(void* object, Kind kind, std::size_t slots);
  void add_chunk();
  void destroy_parts(nic::Domain& domain);
  void destroy_parts_above_queues(nic::Domain& domain);
  template <typename Object, typename Function>
  void for_each(Function function);

  std::uint32_t chunk_count_ = 0;
  std::uint32_t used_slots_ = 0;  // of the last chunk
  std::array<std::byte*, near_chunks> near_{};
  std::array<Kind, near_slots> near_kinds_{};
  std::array<void*, static_cast<std::size_t>(Kind::inside)> free_{};  // chained by first words
  std::vector<std::byte*> far_;
  std::set<std::string> mentioned_;
  std::vector<std::unique_ptr<corespec::EventFile>> holds_;
};

template <>
constexpr Objects::Kind Objects::kind_of<CommunicationDomain>() {
  return Kind::cdm;
}
template <>
constexpr Objects::Kind Objects::kind_of<nic::Domain>() {
  return Kind::domain;
}
template <>
constexpr Objects::Kind Objects::kind_of<nic::Endpoint>() {
  return Kind::endpoint;
}
template <>
constexpr Objects::Kind Objects::kind_of<nic::CompletionQueue>() {
  return Kind::queue;
}
template <>
constexpr Objects::Kind Objects::kind_of<nic::CompletionChannel>() {
  return Kind::channel;
}
template <>
constexpr Objects::Kind Objects::kind_of<ErrorSubscription>() {
  return Kind::errors;
}
template <>
constexpr Objects::Kind Objects::kind_of<nic::MessageQueue>() {
  return Kind::message_queue;
}
template <>
constexpr Objects::Kind Objects::kind_of<nic::CollectiveEngine>() {
  return Kind::engine;
}

}  // namespace gni
