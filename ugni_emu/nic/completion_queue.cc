// Completion queues: events in, events out, overrun, interrupts.
#include "ugni_emu/nic/completion_queue.h"

#include <algorithm>
#include <limits>

#include "corespec/host/check.h"
#include "ugni_emu/nic/completion_channel.h"
#include "ugni_emu/nic/cq_entry_bits.h"
#include "ugni_emu/nic/domain.h"
#include "ugni_emu/nic/nic.h"
#include "ugni_emu/telemetry/endpoint_log.h"

namespace nic {
namespace {

constexpr std::uint32_t largest_kept = 8;  // entries of a ring that stays while the queue is empty

}  // namespace

CompletionQueue::CompletionQueue(Domain& domain, std::uint32_t capacity, std::uint32_t delay_count,
                                 gni_cq_mode_t mode, Handler handler, void* context)
    : domain_(&domain), capacity_(capacity), mode_(static_cast<std::uint8_t>(mode)) {
  if (handler == nullptr && delay_count <= 1) return;
  options_ = std::make_unique<Options>();
  options_->handler = handler;
  options_->context = context;
  options_->delay_count = std::max(delay_count, 1U);
}

CompletionQueue::~CompletionQueue() {
  if (channel() != nullptr) channel()->forget(*this, options_->armed);
}

CompletionQueue::Options& CompletionQueue::options() {
  if (options_ == nullptr) options_ = std::make_unique<Options>();
  return *options_;
}

bool CompletionQueue::reserve(unsigned slots) {
  if (is_sink()) slots = 0;
  if (capacity_ - std::min(capacity_, reserved_ + count_) < slots) {
    refused_ = true;
    return false;
  }
  reserved_ += slots;
  return true;
}

void CompletionQueue::push_local(gni_cq_entry_t entry, const Track& track) {
  CASTOR_CHECK(reserved_ != 0, "a completion for which its queue keeps no slot");
  --reserved_;
  ++domain_->statistics().local_events;
  push(entry, track);
}

void CompletionQueue::push_late_error(gni_cq_entry_t entry) {
  ++domain_->statistics().local_events;
  push(entry);
}

bool CompletionQueue::push_remote(gni_cq_entry_t entry, const Track& track) {
  if (is_sink()) {
    domain_->arrived();
    return true;
  }
  if (count_ + reserved_ >= capacity_) return overrun_by_one();
  ++domain_->statistics().remote_events;
  push(entry, track);
  return true;
}

bool CompletionQueue::overrun_by_one() {
  if (is_sink()) {
    domain_->arrived();
    return true;
  }
  ++options().lost;
  overrun_ = true;
  ++domain_->statistics().overruns;
  interrupt();
  return false;
}

void CompletionQueue::push(gni_cq_entry_t entry, const Track& track) {
  domain_->observe_event(use_ == Use::remote);
  if (track.mark != 0) [[unlikely]] {
    options().tracked.push(count_, track);
    tracked_ = true;
  }
  if (count_ == ring_size()) grow();
  ring()[(first_ + count_) & (ring_size() - 1)] = entry;
  ++count_;
  const bool notifies = !quiet_ || refused_;
  refused_ = false;
  interrupt(notifies || cq_entry::status_in(entry) != ugni::ResponseStatus::ok);
}

void CompletionQueue::grow() {
  const std::uint32_t size = ring_size();
  const std::uint32_t larger = size * 4;
  auto larger_ring = std::make_unique_for_overwrite<gni_cq_entry_t[]>(larger);
  for (std::uint32_t i = 0; i < count_; ++i) larger_ring[i] = ring()[(first_ + i) & (size - 1)];
  ring_ = std::move(larger_ring);
  inline_ring_[0] = larger;
  first_ = 0;
}

void CompletionQueue::interrupt(bool notifies) {
  if (notifies) domain_->arrived();
  if (!blocking() || masked()) return;
  if (options_ != nullptr) {
    if (++options_->since_interrupt < options_->delay_count) return;
    options_->since_interrupt = 0;
    tell_channel();
  }
  domain_->raise_interrupt();
}

/// The calling thread takes the first event.
void CompletionQueue::take_tracked() {
  const Track track = options_->tracked.pop();
  tracked_ = !options_->tracked.empty();
  if (track.mark == 0) return;
  using What = telemetry::Taking::What;
  telemetry::EndpointLog* const log =
      telemetry::EndpointLog::of(*corespec::this_thread().process());
  if (log != nullptr) {
    log->take(use_ == Use::remote ? What::arrival : What::answer, track.source, track.mark);
  }
}

gni_return_t CompletionQueue::pop(gni_cq_entry_t& entry) {
  entry = 0;
  if (!has_event()) return GNI_RC_NOT_DONE;
  const bool lost = overrun_;
  if (lost) {
    overrun_ = --options_->lost != 0;
    cq_entry::set_field(entry, cq_entry::source_shift, 1, 1);
    cq_entry::set_field(entry, cq_entry::overrun_shift, 1, 1);
  } else {
    if (tracked_) [[unlikely]]
      take_tracked();
    entry = ring()[first_];
    first_ = (first_ + 1) & (ring_size() - 1);
    if (--count_ == 0 && ring_size() > largest_kept) {  // a burst is over: give its memory back
      ring_.reset();
      first_ = 0;
    }
  }
  if (options_ != nullptr && options_->handler != nullptr) {
    options_->handler(&entry, options_->context);
  }
  if (lost) return GNI_RC_ERROR_RESOURCE;
  return cq_entry::field(entry, cq_entry::status_shift, cq_entry::status_mask) == 0
             ? GNI_RC_SUCCESS
             : GNI_RC_TRANSACTION_ERROR;
}

void CompletionQueue::join_channel(CompletionChannel& channel) {
  Options& own = options();
  channel.attached(*this);
  own.channel = &channel;
}

void CompletionQueue::leave_channel() {
  options_->channel = nullptr;
  options_->armed = false;
}

bool CompletionQueue::arm() {
  options_->armed = true;
  return tell_channel();
}

bool CompletionQueue::tell_channel() {
  if (channel() == nullptr || !options_->armed || !has_event() || masked()) return false;
  options_->armed = false;
  options_->channel->add_event(this);
  return true;
}

bool CompletionQueue::mask() {
  if (mask_ == std::numeric_limits<std::uint16_t>::max()) return false;
  ++mask_;
  return true;
}

bool CompletionQueue::unmask() {
  if (mask_ == 0) return false;
  --mask_;
  return true;
}

}  // namespace nic
