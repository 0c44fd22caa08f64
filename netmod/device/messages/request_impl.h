// A request's inside, and where requests come from.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "corespec/host/without_data.h"
#include "netmod/device/interface/device.h"
#include "netmod/device/messages/packet.h"
#include "ugni_emu/doors/doors.h"

namespace rma {
struct CachedRegistration;
}  // namespace rma

namespace netmod {

/// What a rendezvous keeps of its message.
struct RendezvousState {
  rma::CachedRegistration* registration = nullptr;
  std::uint64_t name = 0;           ///< of its own request, for the other side: RequestNames
  std::uint64_t peer_request = 0;   ///< the other side's name for its request
  std::uint64_t message_bytes = 0;  ///< what is to be moved
  std::uint64_t next_offset = 0;    ///< R1: first byte not yet granted by a CTS
  std::uint64_t moved = 0;          ///< bytes known to have arrived
  std::uint32_t far_context = 0;    ///< of the call at the other end, for telemetry; 0: not known
};

/// A send or receive. In exactly one list at a time (posted receives, a connection's backlog). One
/// line of memory: jobs have many ranks, and a message meets two requests.
class alignas(64) RequestImpl final : public Request {
 public:
  enum class Kind : std::uint8_t { send, receive };

  RequestImpl() : next(nullptr) {}

  using Request::bytes;
  using Request::envelope;
  using Request::number;
  using Request::peer;
  void finish(std::int32_t source, std::int32_t tag, std::uint64_t length, bool truncated) {
    end({source, tag, length, truncated, false});
  }
  /// A receive has met its message, which is still to come.
  void match(const Envelope& message, bool truncates) {
    envelope.source = message.source;
    envelope.tag = message.tag;
    truncated_ = truncates;
  }
  bool truncated() const { return truncated_; }
  bool awaited_by(const Condition& condition) const { return awaited_by_ == &condition; }
  void finish_matched(std::uint64_t length) {
    bytes = length;
    set_complete();
  }
  void finish_sent() { finish(envelope.source, envelope.tag, bytes, false); }
  /// Its memory is addresses only.
  bool without_data() const { return !has_sink && corespec::without_data::holds(data); }
  /// What the packets of a send carry: all of an eager message, or the last bytes of a large one.
  const std::byte* eager_data() const {
    return without_data() ? corespec::without_data::filler(bytes).data() : data;
  }
  const std::byte* last_bytes(std::size_t count) const {
    return without_data() ? corespec::without_data::filler(count).data() : data + (bytes - count);
  }
  /// The send, in no list, is about to leave; null if it does not lend.
  ugni::Loan* begin_loan() {
    if (!may_lend || released) return nullptr;
    loan = ugni::Loan();
    return &loan;
  }
  /// After the attempt.
  void settle_loan() {
    lends_ = loan.open();
    if (!lends_) next = nullptr;
  }
  void end_loan() {
    if (!lends_) return;
    loan.end();
    settle_loan();
  }
  void abandon_loan() {
    if (lends_) loan.abandon();
  }
  void finish_cancelled() {
    number = 0;
    end({any_source, any_tag, 0, false, true});
  }

  Kind kind : 1 = Kind::send;
  bool synchronous : 1 = false;
  bool released : 1 = false;  ///< MPI_Request_free: goes back when it completes
  bool queued : 1 = false;    ///< in a backlog or the posted queue
  bool may_lend : 1 = false;  ///< DataStays::until_released
  bool has_sink : 1 = false;  ///< a receive into a sink
  bool keeps : 1 = false;     ///< a complete one, whose sink has yet to take the data
  union {
    RequestImpl* next;
    ugni::Loan loan;     ///< of a send that has left and lends
    TakenMessage* kept;  ///< of a receive that keeps
    std::uint64_t name;  ///< of a send within the node that has left and is to be answered
  };
  union {
    std::byte* data = nullptr;  ///< of a send it is only read
    Sink* sink;
  };
  std::unique_ptr<RendezvousState> rendezvous;
};
static_assert(sizeof(RequestImpl) == 64);

/// Requests come from here and go back: no allocation per message.
class RequestPool {
 public:
  RequestImpl* take() {
    if (free_ == nullptr) grow();
    RequestImpl* request = free_;
    free_ = request->next;
    *request = RequestImpl();
    return request;
  }
  void give_back(RequestImpl* request) {
    request->rendezvous.reset();
    request->next = free_;
    free_ = request;
  }
  template <typename Visit>
  void for_each(const Visit& visit) {
    for (const auto& chunk : chunks_) std::for_each(chunk->begin(), chunk->end(), visit);
  }
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (const auto& chunk : chunks_) std::for_each(chunk->cbegin(), chunk->cend(), visit);
  }

 private:
  // One object, not an array of its own: that would have a line in front for its length.
  using Chunk = std::array<RequestImpl, 4>;
  void grow() {
    chunks_.push_back(std::make_unique<Chunk>());
    Chunk& fresh = *chunks_.back();
    for (auto request = fresh.rbegin(); request != fresh.rend(); ++request) give_back(&*request);
  }
  RequestImpl* free_ = nullptr;
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

/// A list through RequestImpl::next.
class RequestList {
 public:
  RequestImpl* front() const { return first_; }
  bool empty() const { return first_ == nullptr; }
  void push_back(RequestImpl& request) {
    request.next = nullptr;
    (last_ != nullptr ? last_->next : first_) = &request;
    last_ = &request;
    request.queued = true;
  }
  void push_front(RequestImpl& request) {
    request.next = first_;
    first_ = &request;
    if (last_ == nullptr) last_ = &request;
    request.queued = true;
  }
  /// Takes out the request behind `before`; null: the first.
  void remove_behind(RequestImpl* before, RequestImpl& request) {
    (before != nullptr ? before->next : first_) = request.next;
    if (last_ == &request) last_ = before;
    request.next = nullptr;
    request.queued = false;
  }
  /// Walks to the request, which must be in the list.
  void remove(RequestImpl& request) {
    RequestImpl* before = nullptr;
    for (RequestImpl* at = first_; at != &request; at = at->next) before = at;
    remove_behind(before, request);
  }

 private:
  RequestImpl* first_ = nullptr;
  RequestImpl* last_ = nullptr;
};

}  // namespace netmod
