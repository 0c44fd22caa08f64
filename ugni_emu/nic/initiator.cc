// The NIC as initiator: transactions under way, their events and their end.
#include <bit>
#include <cstring>

#include "corespec/host/check.h"
#include "corespec/host/without_data.h"
#include "ugni_emu/nic/completion_queue.h"
#include "ugni_emu/nic/cq_entry_bits.h"
#include "ugni_emu/nic/message_queue.h"
#include "ugni_emu/nic/nic.h"
#include "ugni_emu/telemetry/endpoint_log.h"

namespace nic {
namespace {

using Access = RegionTable::Access;
using ugni::ResponseStatus;
using ugni::TransactionKind;

// Kinds whose local end is the response with the data.
bool brings_data(TransactionKind kind) {
  return kind == TransactionKind::get || kind == TransactionKind::atomic;
}

/// What a transaction says of its post, so that its departure need not look at that.
std::uint8_t departure_flag(const Post& post) {
  const bool event = !brings_data(post.kind) && (post.events & GNI_CQMODE_LOCAL_EVENT) != 0;
  return event ? transaction_flag::awaits_sent : 0;
}

}  // namespace

Posting Nic::make(Endpoint& endpoint, CompletionQueue* queue, TransactionKind kind,
                  std::uint8_t events) {
  const auto slots = static_cast<unsigned>(std::popcount(events));
  if (slots != 0 && !queue->reserve(slots)) return {};
  const std::uint32_t number = posts_.take();
  if (number == PostTable::none) {
    if (slots != 0) queue->unreserve(slots);
    return {};
  }
  Post& post = posts_[number];
  post.domain = endpoint.domain;
  post.endpoint = &endpoint;
  post.queue = queue;
  post.event_word = endpoint.local_word();
  post.kind = kind;
  post.events = events;
  ugni::Submission& submission = untracked(endpoint, kind);
  submission.transaction.initiator_key = std::uint64_t{number} + 1;
  submission.transaction.flags = departure_flag(post);
  if (draw_lost(kind, endpoint.remote_address))
    submission.transaction.flags |= transaction_flag::lost;
  return {&post, &submission};
}

bool Nic::has_no_room(TransactionKind kind, const Endpoint& endpoint) {
  const corespec::Time lasting = faults_->refuses_post(kind, endpoint.remote_address);
  if (lasting == corespec::Time()) return false;
  if (room_again_ == nullptr) room_again_ = std::make_unique<RoomAgain>(*this);
  events_->schedule(events_->now() + lasting, node_->source(), *room_again_, 0);
  return true;
}

Posting Nic::begin(Endpoint& endpoint, CompletionQueue* queue, TransactionKind kind,
                   std::uint8_t events) {
  if (refuses(kind, endpoint)) return {};
  return make(endpoint, queue, kind, events);
}

Posting Nic::begin(corespec::Thread& thread, Endpoint& endpoint, CompletionQueue* queue,
                   TransactionKind kind, std::uint8_t events) {
  if (refuses(kind, endpoint)) return {};
  if (const Posting posting = make(endpoint, queue, kind, events)) return posting;
  thread.sync();
  return make(endpoint, queue, kind, events);
}

ugni::Submission& Nic::untracked(const Endpoint& endpoint, TransactionKind kind) {
  ugni::Submission& submission = wire_->prepare(address());
  endpoint.domain->address(submission.transaction, endpoint, kind);
  return submission;
}

Region* Nic::local_region(const Post& post, Access access) {
  if (post.domain == nullptr || post.local_handle == 0) return nullptr;
  Region* region = nullptr;
  post.domain->memory().check_local(*post.domain, post.local_handle, post.local_address,
                                    post.length, access, region);
  return region;
}

void Nic::read_source(ugni::Transaction& transaction, std::uint64_t offset,
                      std::span<std::byte> into) {
  Post* post = posts_.find(transaction.initiator_key - 1);
  const Region* region = post == nullptr ? nullptr : local_region(*post, Access::read);
  if (region == nullptr && (post == nullptr || post->local_handle != 0)) {
    // The registration went while the engine was at work: it reads nothing, and says so to either
    // side. (The bytes travel, unwritten.)
    std::memset(into.data(), 0, into.size());
    transaction.flags |= transaction_flag::no_source;
    if (post != nullptr) post->status = ResponseStatus::invalid_handle;
    return;
  }
  if (region != nullptr) {
    region->read(post->local_address + offset, into);
  } else {
    std::memcpy(into.data(), reinterpret_cast<const std::byte*>(post->local_address + offset),
                into.size());
  }
}

bool Nic::has_source_data(const ugni::Transaction& transaction) {
  const Post* post = posts_.find(transaction.initiator_key - 1);
  return post == nullptr ||
         !corespec::without_data::holds(reinterpret_cast<const void*>(post->local_address));
}

void Nic::request_sent(const ugni::Transaction& transaction) {
  const std::uint64_t key = transaction.initiator_key;
  if (Post* post = posts_.find(key - 1); post != nullptr && !brings_data(post->kind)) {
    auto number = static_cast<std::uint32_t>(key - 1);
    if (post->chained) number = chain_sent(number);
    // One of which a part has failed before its last bytes left says so once, when it is answered.
    const bool has_left = number != PostTable::none && posts_[number].status == ResponseStatus::ok;
    if (has_left) deliver(number, GNI_CQMODE_LOCAL_EVENT);
  }
  if (transaction.injector != 0) bte_.request_sent(transaction.injector - 1U);
}

bool Nic::awaits_sent(const ugni::Transaction& transaction) {
  return transaction.injector != 0 || (transaction.flags & transaction_flag::awaits_sent) != 0;
}

ugni::ResponseUrgency Nic::response_urgency(const ugni::Transaction& transaction) {
  using Urgency = ugni::ResponseUrgency;
  const Post* post = posts_.find(transaction.initiator_key - 1);
  // The BTE goes on with what is next; a queue that a thread may sleep on raises the interrupt.
  if (post == nullptr || transaction.injector != 0 || post->queue == nullptr ||
      post->queue->blocking()) {
    return Urgency::wakes;
  }
  return !brings_data(post->kind) && post->queue->patient() ? Urgency::whenever : Urgency::soon;
}

void Nic::response_arrived(ugni::SegmentView segment) {
  const std::uint64_t number = segment.transaction.initiator_key - 1;
  Post* post = posts_.find(number);
  if ((segment.transaction.flags & transaction_flag::engine) != 0) {
    if (!ugni::is_done(segment.status)) engine_refused(segment.transaction, segment.status);
    return;
  }
  if (post == nullptr || post->finished) {  // a datagram's, a credit's
    if (untracked_) untracked_->answered(segment);
    return;
  }
  if (segment.status == ResponseStatus::event_lost) post->event_lost = true;
  if (!ugni::is_done(segment.status)) {
    post->status = segment.status;
  } else if (brings_data(post->kind) && (post->local_address != 0 || post->local_handle != 0)) {
    take_data(*post, segment);
  }
  post->answered += static_cast<std::uint32_t>(segment.length);
  CASTOR_CHECK(post->answered <= post->length || post->kind == TransactionKind::atomic,
               "the wire has answered for more bytes than a transaction has");
  const bool whole = post->answered >= post->length || post->kind == TransactionKind::atomic;
  if (!whole) return;
  if (post->status != ResponseStatus::ok && post->domain != nullptr) {
    errors_.note(segment.transaction, post->status);
    post->domain->failed_target = segment.transaction.target;
  }
  finish(static_cast<std::uint32_t>(number));
}

void Nic::engine_refused(const ugni::Transaction& transaction, ResponseStatus status) {
  errors_.note(transaction, status);
  if (engines_ != nullptr) engines_->refused(transaction, status);
}

void Nic::take_data(Post& post, ugni::SegmentView segment) {
  const Region* region = local_region(post, Access::write);
  if (region == nullptr && (post.domain == nullptr || post.local_handle != 0)) {
    post.status = ResponseStatus::invalid_handle;
    return;
  }
  const bool has_room =
      !corespec::without_data::holds(reinterpret_cast<const void*>(post.local_address));
  if (segment.length != 0 && has_room == segment.payload.empty() && !segment.in_place) {
    post.status = ResponseStatus::without_data;
    return;
  }
  const auto data = segment.payload.bytes();
  if (data.empty()) return;
  CASTOR_CHECK(segment.offset + data.size() <= post.length || post.kind == TransactionKind::atomic,
               "the wire has brought more bytes than a transaction has");
  if (region != nullptr) {
    region->write(post.local_address + segment.offset, data);
  } else {
    std::memcpy(reinterpret_cast<std::byte*>(post.local_address + segment.offset), data.data(),
                data.size());
  }
}

void Nic::finish(std::uint32_t number) {
  if (posts_[number].chained) {
    posts_[number].finished = true;
    number = chain_answered(number);
    if (number == PostTable::none) return;  // others of the chain are under way
  }
  Post& post = posts_[number];
  // The network gives a message up, too, where no NIC loses any.
  const bool lost = post.status == ResponseStatus::lost;
  if (post.kind == TransactionKind::message && (lost || loses())) {
    if (lost && retransmit(number)) return;
    end_retransmission(number);
  }
  if (post.shared_queue) queue_message_answered(post);
  post.finished = true;
  const std::uint8_t channel = post.channel;
  if (post.status != ResponseStatus::ok && post.domain != nullptr) {
    ++post.domain->statistics().errors;
    if (post.events == 0) report_late_error(number);
  }
  deliver(number, GNI_CQMODE_LOCAL_EVENT);
  deliver(number, GNI_CQMODE_GLOBAL_EVENT);
  release_if_done(number);
  if (channel != 0) bte_.answered(channel - 1U);
}

void Nic::queue_message_answered(const Post& post) {
  if (post.domain == nullptr || post.domain->message_queue == nullptr) return;
  post.domain->message_queue->answered(post);
}

void Nic::deliver(std::uint32_t number, std::uint8_t event) {
  Post& post = posts_[number];
  if ((post.events & event) == 0) return;
  post.events &= ~event;
  if (post.queue->is_sink()) return;
  Track track;
  if (post.tracked) [[unlikely]]
    track = {address(), marks_.of(number)};
  post.queue->push_local(local_event(number), track);
}

/// Few commands have no rank's thread behind them: a NIC's own are not marked.
void Nic::track_command(Post* post, ugni::Submission& submission) {
  const corespec::Thread* const thread = corespec::this_thread_or_null();
  if (thread == nullptr || thread->process() == nullptr) return;
  telemetry::EndpointLog* const log = telemetry::EndpointLog::of(*thread->process());
  if (log == nullptr) return;
  ugni::Transaction& transaction = submission.transaction;
  transaction.mark = log->issue(transaction, marks_.next);
  if (transaction.mark == 0 || post == nullptr) return;
  post->tracked = true;
  marks_.set(static_cast<std::uint32_t>(transaction.initiator_key - 1), transaction.mark);
}

gni_cq_entry_t Nic::local_event(std::uint32_t number) {
  Post& post = posts_[number];
  gni_cq_entry_t event = 0;
  if (post.descriptor == nullptr) {
    event = cq_entry::sent(post.event_word, post.status);
    if (post.shared_queue) {
      cq_entry::set_field(event, cq_entry::type_shift, 3, GNI_CQ_EVENT_TYPE_MSGQ);
    }
  } else {
    ++post.harvest;
    event = cq_entry::posted(post.event_word, number, post.kind, post.status);
  }
  if (post.event_lost) cq_entry::set_field(event, cq_entry::remote_overrun_shift, 1, 1);
  return event;
}

// A put that reported its source as reusable, or was to be silent, and failed all the same.
void Nic::report_late_error(std::uint32_t number) {
  Post& post = posts_[number];
  if (post.queue == nullptr || post.kind == TransactionKind::message) return;
  if (post.queue->is_sink()) return;
  post.late = true;
  post.queue->push_late_error(local_event(number));
}

void Nic::release_if_done(std::uint32_t number) {
  const Post& post = posts_[number];
  const bool done = post.finished && !post.chained;
  if (done && post.events == 0 && post.harvest == 0) posts_.give_back(number);
}

gni_return_t Nic::completed(CompletionQueue& queue, gni_cq_entry_t entry,
                            gni_post_descriptor_t*& descriptor) {
  descriptor = nullptr;
  const auto number =
      static_cast<std::uint32_t>(cq_entry::field(entry, cq_entry::tid_shift, cq_entry::tid_mask));
  Post* post = posts_.find(number);
  if (post == nullptr || post->queue != &queue || post->harvest == 0 ||
      post->event_word != static_cast<std::uint32_t>(entry)) {
    return GNI_RC_DESCRIPTOR_ERROR;
  }
  descriptor = post->descriptor;
  --post->harvest;
  const bool failed = cq_entry::status_in(entry) != ResponseStatus::ok;
  const gni_return_t result = failed ? GNI_RC_TRANSACTION_ERROR : GNI_RC_SUCCESS;
  if (!post->late) {
    const bool more = post->harvest != 0 || post->events != 0;
    descriptor->status = result;
    descriptor->cq_mode_complete = more ? GNI_CQMODE_LOCAL_EVENT : descriptor->cq_mode;
  }
  release_if_done(number);
  return result;
}

void Nic::forget_queue(CompletionQueue& queue) {
  waiters_.wake(queue, true);
  if (engines_ != nullptr) engines_->forget(queue);
  for (std::uint32_t number = 0; number < posts_.size(); ++number) {
    Post& post = posts_[number];
    if (!post.live || post.queue != &queue) continue;
    post.queue = nullptr;
    post.events = post.harvest = 0;
    release_if_done(number);
  }
}

bool Nic::has_unanswered(const Endpoint& endpoint) {
  if (posts_.none_live()) return false;
  for (std::uint32_t number = 0; number < posts_.size(); ++number) {
    const Post& post = posts_[number];
    if (post.live && !post.finished && post.endpoint == &endpoint) return true;
  }
  return false;
}

void Nic::forget_endpoint(Endpoint& endpoint) {
  if (engines_ != nullptr) engines_->forget(endpoint);
  forget_places(endpoint);
  if (posts_.none_live()) return;
  for (std::uint32_t number = 0; number < posts_.size(); ++number) {
    Post& post = posts_[number];
    if (post.live && post.endpoint == &endpoint) post.endpoint = nullptr;
  }
}

}  // namespace nic
