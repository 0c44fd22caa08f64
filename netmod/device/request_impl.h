// A request's inside, and where requests come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "netmod/device/device.h"
#include "netmod/device/packet.h"

namespace netmod {

struct CachedRegistration;

/// A send or receive. In exactly one list at a time (posted receives, a connection's backlog). Two
/// lines of memory: what searches and eager messages look at comes first.
class alignas(64) RequestImpl final : public Request {
 public:
  enum class Kind : std::uint8_t { send, receive };

  void finish(std::int32_t source, std::int32_t tag, std::uint64_t length, bool truncated) {
    completion_ = {source, tag, length, truncated, false};
    complete_ = true;
  }
  /// A receive has met its message, which is still to come.
  void match(const Envelope& message, bool truncates) {
    completion_.source = message.source;
    completion_.tag = message.tag;
    completion_.truncated = truncates;
  }
  void finish_matched(std::uint64_t length) {
    completion_.bytes = length;
    complete_ = true;
  }
  void finish_cancelled() {
    completion_.cancelled = true;
    complete_ = true;
  }

  Kind kind = Kind::send;
  bool synchronous = false;
  bool released = false;   ///< MPI_Request_free: goes back when it completes
  bool queued = false;     ///< in a backlog or the posted queue
  std::int32_t peer = -1;  ///< rank of the job
  Envelope envelope;
  RequestImpl* next = nullptr;
  std::byte* data = nullptr;  ///< of a send it is only read
  std::uint64_t bytes = 0;    ///< of a send: all; of a receive: the buffer's
  RequestImpl* previous = nullptr;

  // Rendezvous.
  CachedRegistration* registration = nullptr;
  std::uint64_t peer_request = 0;   ///< the other side's name for its request
  std::uint64_t message_bytes = 0;  ///< what is to be moved
  std::uint64_t next_offset = 0;    ///< R1: first byte not yet granted by a CTS
  std::uint64_t moved = 0;          ///< bytes known to have arrived
};
static_assert(sizeof(RequestImpl) == 128);

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
    request->next = free_;
    free_ = request;
  }

 private:
  static constexpr std::size_t chunk = 4;
  void grow() {
    chunks_.push_back(std::make_unique<RequestImpl[]>(chunk));
    for (std::size_t i = chunk; i-- > 0;) give_back(&chunks_.back()[i]);
  }
  std::vector<std::unique_ptr<RequestImpl[]>> chunks_;
  RequestImpl* free_ = nullptr;
};

/// A list through RequestImpl::next and previous.
class RequestList {
 public:
  RequestImpl* front() const { return first_; }
  bool empty() const { return first_ == nullptr; }
  void push_back(RequestImpl& request) {
    request.next = nullptr;
    request.previous = last_;
    (last_ != nullptr ? last_->next : first_) = &request;
    last_ = &request;
    request.queued = true;
  }
  void push_front(RequestImpl& request) {
    request.previous = nullptr;
    request.next = first_;
    (first_ != nullptr ? first_->previous : last_) = &request;
    first_ = &request;
    request.queued = true;
  }
  void remove(RequestImpl& request) {
    (request.previous != nullptr ? request.previous->next : first_) = request.next;
    (request.next != nullptr ? request.next->previous : last_) = request.previous;
    request.next = request.previous = nullptr;
    request.queued = false;
  }

 private:
  RequestImpl* first_ = nullptr;
  RequestImpl* last_ = nullptr;
};

}  // namespace netmod
