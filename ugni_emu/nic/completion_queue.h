// A completion queue: events of one communication domain, in order of arrival.
#pragma once

#include <cstdint>
#include <memory>

#include "corespec/host/check.h"
#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/nic/tracked_events.h"

namespace nic {

class CompletionChannel;
class Domain;

/// Holds at most `capacity` events, but takes host memory only for those it holds: one cache line,
/// and a ring of its own while there are more than two. A queue serves
/// local events (its own rank's posts) or remote ones, whichever it was used for first; a
/// collective engine's events go to either.
///
/// Local events never overrun: each post under way reserves the slots of its events. A remote
/// event that finds the queue full is dropped; as many looks as events were dropped say so before
/// those that were kept are handed out.
class alignas(64) CompletionQueue {
 public:
  using Handler = void (*)(gni_cq_entry_t*, void*);
  enum class Use : std::uint8_t { none, local, remote };

  CompletionQueue(Domain& domain, std::uint32_t capacity, std::uint32_t delay_count,
                  gni_cq_mode_t mode, Handler handler, void* context);
  ~CompletionQueue();
  CompletionQueue(const CompletionQueue&) = delete;
  CompletionQueue& operator=(const CompletionQueue&) = delete;

  Domain& domain() const { return *domain_; }
  bool blocking() const { return GNI_CQ_IS_BLOCKING(mode_); }

  /// False if the queue serves events of the other kind.
  bool can_serve(Use use) const { return use_ == Use::none || use_ == use; }
  /// Claims the queue, which can, for local or remote events.
  void serve(Use use) { use_ = use; }
  /// No thread ever looks at its events: they are not kept, and never too many.
  bool is_sink() const { return (mode_ & GNI_CQ_UNMANAGED) != 0; }

  /// Slots for the events of a post; false if there are not as many.
  bool reserve(unsigned slots);
  void unreserve(unsigned slots) {
    if (is_sink()) return;
    CASTOR_CHECK(reserved_ >= slots, "more slots of a completion queue given back than taken");
    reserved_ -= slots;
  }

  /// Puts an event of an own post into a slot that was reserved for it.
  void push_local(gni_cq_entry_t entry, const Track& track = {});
  /// An event beyond the reserved slots (a put that failed after its local event).
  void push_late_error(gni_cq_entry_t entry);
  /// An event from outside. False if the queue is full: it is lost.
  bool push_remote(gni_cq_entry_t entry, const Track& track = {});
  /// The same if it were full, whatever it holds. A queue whose events are not kept is never full.
  bool overrun_by_one();

  /// Events do not notify polling threads, but for errors and after a post was refused a slot.
  void make_quiet() { quiet_ = true; }
  /// True while nothing is lost if the events of posts under way come late: no thread waits for
  /// them, and other posts have room.
  bool patient() const { return quiet_ && reserved_ + count_ <= capacity_ / 2; }

  bool has_event() const { return count_ != 0 || overrun_; }
  std::uint32_t events() const { return count_; }
  bool overrun() const { return overrun_; }

  /// Takes the oldest event: SUCCESS, NOT_DONE (entry = 0), ERROR_RESOURCE (one was lost: the entry
  /// says so and nothing else), TRANSACTION_ERROR (the entry has an error status).
  gni_return_t pop(gni_cq_entry_t& entry);

  /// While the mask is not 0 the queue raises no interrupts and no thread may wait on it.
  bool masked() const { return mask_ != 0; }
  bool mask();
  bool unmask();

  /// The completion channel that it is attached to, or null.
  CompletionChannel* channel() const { return options_ == nullptr ? nullptr : options_->channel; }
  void join_channel(CompletionChannel& channel);
  void leave_channel();
  /// The next event that raises an interrupt, or one that is there, goes to the channel, too: once.
  /// True if it has gone.
  bool arm();
  /// True if it is armed and the channel was told just now.
  bool tell_channel();

  /// Endpoints that name this queue.
  void add_endpoint() { ++endpoints_; }
  void drop_endpoint() { --endpoints_; }
  bool in_use_by_endpoints() const { return endpoints_ != 0; }

 private:
  friend struct Prefetch;
  static constexpr std::uint32_t inline_ring_size = 2;

  /// What few queues have: a handler, interrupts that wait for several events, an overrun, a
  /// completion channel, marked events.
  struct Options {
    Handler handler = nullptr;
    void* context = nullptr;
    std::uint32_t delay_count = 1;
    std::uint32_t since_interrupt = 0;
    std::uint64_t lost = 0;  ///< events that found no room, and have not been told of
    CompletionChannel* channel = nullptr;
    bool armed = false;
    TrackedEvents tracked;
  };

  // A power of two. A ring of its own leaves the inline one free to say how large it is.
  std::uint32_t ring_size() const {
    return ring_ == nullptr ? inline_ring_size : static_cast<std::uint32_t>(inline_ring_[0]);
  }
  gni_cq_entry_t* ring() { return ring_ == nullptr ? inline_ring_ : ring_.get(); }

  void push(gni_cq_entry_t entry, const Track& track = {});
  void take_tracked();
  void grow();
  void interrupt(bool notifies = true);
  Options& options();

  Domain* domain_;
  std::unique_ptr<gni_cq_entry_t[]> ring_;
  gni_cq_entry_t inline_ring_[inline_ring_size];
  std::unique_ptr<Options> options_;
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t capacity_;
  std::uint32_t reserved_ = 0;
  std::uint32_t endpoints_ = 0;
  std::uint16_t mask_ = 0;
  std::uint8_t mode_;
  Use use_ : 2 = Use::none;
  bool overrun_ : 1 = false;  ///< events were lost that no look has told of
  bool quiet_ : 1 = false;
  bool refused_ : 1 = false;  ///< a post found no room since the last event
  bool tracked_ : 1 = false;  ///< some of its events are marked commands'
};
static_assert(sizeof(CompletionQueue) == 64);

}  // namespace nic
