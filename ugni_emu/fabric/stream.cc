// Streams: order, time, data, delivery.
#include "ugni_emu/fabric/stream.h"

#include <algorithm>
#include <new>
#include <utility>

namespace ugni::fabric {

using corespec::Time;

namespace {

bool is_direct(const RequestMessage& request) {
  return (request.head.flags & RequestMessage::direct) != 0;
}

ResponseUrgency urgency_of(const RequestMessage& request) {
  if ((request.head.flags & RequestMessage::patient) != 0) return ResponseUrgency::whenever;
  if ((request.head.flags & RequestMessage::quiet) != 0) return ResponseUrgency::soon;
  return ResponseUrgency::wakes;
}

bool is_get(const RequestMessage& request) {
  return request.transaction.kind == TransactionKind::get;
}

}  // namespace

Fault Incoming::Stream::fault_in_piece(const RequestMessage& request, bool last) {
  const Fault fault = open_                 ? fault_in_next(request, *open_)
                      : request.offset != 0 ? "a piece without its beginning"
                                            : nullptr;
  if (fault != nullptr) return fault;
  if (last) {
    open_.reset();
  } else {
    open_ = request;
  }
  return nullptr;
}

void Incoming::Stream::accept(const RequestMessage& request, std::span<const std::byte> data,
                              Time due) {
  if (!is_direct(request)) carrier_.delays.note(due, carrier_.now());
  if (requests_.empty() && carrier_.has_come(due) && !is_direct(request)) {
    Payload payload(carrier_.payloads, data);
    deliver({request, payload});
    return;
  }
  requests_.push_back({request, Payload(carrier_.payloads, data), due});
  step();
}

void Incoming::Stream::accept_later(const RequestMessage& request, Payload payload, Time due) {
  requests_.push_back({request, std::move(payload), due});
  // The first request has its event, or is being moved.
  if (requests_.size() == 1) schedule(std::max(due, carrier_.now()));
}

void Incoming::Stream::schedule(Time at) {
  if (expected_ && *expected_ <= at) return;
  expected_ = at;
  carrier_.domain.schedule(at, carrier_.source, *this, 0);
}

void Incoming::Stream::fire(std::uint64_t) {
  if (expected_ && carrier_.has_come(*expected_)) expected_.reset();
  step();
  carrier_.acknowledgements.flush();
}

void Incoming::Stream::step() {
  while (!requests_.empty() && !moving_) {
    Request& first = requests_.front();
    const bool direct = is_direct(first.message) && !first.moved;
    // A PUT's bytes may land early; a GET reads when its time has come.
    if (direct && !from_self() && !is_get(first.message) && !move_here(first)) return;
    if (!carrier_.has_come(first.due)) {
      schedule(first.due);
      return;
    }
    if (direct && from_self()) move_within(first);
    if (direct && !from_self() && is_get(first.message) && !move_there(first)) return;
    Request ready = std::move(first);
    requests_.pop_front();
    deliver({ready.message, ready.payload, ready.failed, ready.in_place});
  }
}

/// Fetches a PUT's data from its source: to its place, or into a payload where the client wants to
/// see it first (which also says what is wrong with it). True if there is nothing to wait for.
bool Incoming::Stream::move_here(Request& request) {
  const Transaction& transaction = request.message.transaction;
  const DirectMemory place = carrier_.client->target_memory(transaction);
  request.in_place = place.address != nullptr;
  if (request.in_place && (request.message.head.flags & RequestMessage::pushed) != 0) {
    carrier_.delays.note(request.due, carrier_.now());
    request.moved = true;
    return true;
  }
  if (!request.in_place && request.payload.empty()) {
    try {
      request.payload = Payload(transaction.length);
    } catch (const std::bad_alloc&) {
      return started(Outcome::failed, request);
    }
  }
  const std::span<std::byte> into =
      request.in_place ? std::span(place.address, transaction.length) : request.payload.bytes();
  return started(carrier_.links.read(rank_, into, request.message.memory, *this), request);
}

/// Brings a GET's data to its destination, if the client lets the wire do it.
bool Incoming::Stream::move_there(Request& request) {
  const Transaction& transaction = request.message.transaction;
  const DirectMemory place = carrier_.client->target_memory(transaction);
  request.in_place = place.address != nullptr;
  if (!request.in_place) return true;
  const std::span<const std::byte> data(place.address, transaction.length);
  return started(carrier_.links.write(rank_, data, request.message.memory, *this), request);
}

bool Incoming::Stream::started(Outcome outcome, Request& request) {
  switch (outcome) {
    case Outcome::done:
      moving_ = true;
      return false;
    case Outcome::moved:
      request.moved = true;
      if (!is_get(request.message)) carrier_.delays.note(request.due, carrier_.now());
      return true;
    case Outcome::again:
      if (!std::exchange(blocked_, true)) owner_.blocked_.push_back(this);
      return false;
    case Outcome::refused:
      return wish_for(request);
    case Outcome::failed:
      break;
  }
  return give_up(request);
}

bool Incoming::Stream::give_up(Request& request) const {
  request.moved = request.failed = true;
  request.in_place = false;
  return true;
}

/// This process may not touch the other one's memory: the data goes in messages. A GET's do so in
/// its response.
bool Incoming::Stream::wish_for(Request& request) {
  request.in_place = false;
  if (is_get(request.message)) {
    request.moved = true;
    return true;
  }
  try {
    request.payload = Payload(request.message.transaction.length);
  } catch (const std::bad_alloc&) {
    return give_up(request);
  }
  FetchMessage fetch;
  fetch.head = {MessageKind::fetch, 0, 0, carrier_.rank()};
  fetch.number = request.message.number;
  carrier_.links.send_fixed(rank_, fetch);
  fetched_ = 0;
  moving_ = true;
  return false;
}

Fault Incoming::Stream::take_data(const DataMessage& message, std::span<const std::byte> bytes) {
  if (!fetched_ || message.number != requests_.front().message.number) {
    return "data that was not wished for";
  }
  const bool gone = (message.head.flags & DataMessage::gone) != 0;
  const std::span<std::byte> rest =
      requests_.front().payload.bytes().subspan(static_cast<std::size_t>(*fetched_));
  if (message.offset != *fetched_ || bytes.size() > rest.size()) return "data out of order";
  std::copy(bytes.begin(), bytes.end(), rest.begin());
  *fetched_ += bytes.size();
  if (gone || bytes.size() == rest.size()) {
    fetched_.reset();
    ended(!gone);
  }
  return nullptr;
}

/// Source and target are this process's own.
void Incoming::Stream::move_within(Request& request) {
  Transaction& transaction = request.message.transaction;
  const DirectMemory source = carrier_.client->source_memory(transaction);
  const DirectMemory target = carrier_.client->target_memory(transaction);
  request.moved = true;
  request.in_place = source.address != nullptr && target.address != nullptr;
  const bool get = is_get(request.message);
  if (request.in_place) {
    std::memmove(get ? source.address : target.address, get ? target.address : source.address,
                 transaction.length);
  } else if (!get) {
    request.payload = Payload(transaction.length);
    carrier_.client->read_source(transaction, 0, request.payload.bytes());
  }
}

void Incoming::Stream::ended(bool well) {
  moving_ = false;
  if (requests_.empty()) return;
  Request& first = requests_.front();
  first.moved = true;
  first.failed = !well;
  if (!is_get(first.message)) carrier_.delays.note(first.due, carrier_.now());
  step();
}

void Incoming::Stream::drop() {
  if (fetched_) moving_ = false;  // nothing more comes
  fetched_.reset();
  while (requests_.size() > (moving_ ? 1U : 0U)) requests_.pop_back();
}

ResponseStatus Incoming::Stream::arrive(SegmentView& segment) {
  return carrier_.client->request_arrived({segment.transaction, segment.offset, segment.length,
                                           segment.last, segment.payload, ResponseStatus::ok,
                                           segment.in_place});
}

std::int64_t Incoming::Stream::response_due(const RequestMessage& request,
                                            std::uint64_t data) const {
  const Time left = carrier_.delays.injected(carrier_.now(), data);
  return (left + carrier_.delays.path(request.transaction.target, request.transaction.source)).ps();
}

ResponseMessage Incoming::Stream::response(const RequestMessage& request,
                                           std::uint64_t data) const {
  ResponseMessage response;
  response.head = {MessageKind::response, ResponseMessage::last, 0, carrier_.rank()};
  response.number = request.number;
  response.length = request.transaction.length;
  response.due = response_due(request, data);
  return response;
}

void Incoming::Stream::acknowledge(const RequestMessage& request, ResponseStatus status,
                                   ResponseUrgency urgency, std::uint8_t flags,
                                   std::uint64_t data) {
  owner_.acknowledge(rank_, {request.number, response_due(request, data), status, flags},
                     request.transaction.length, urgency);
}

void Incoming::Stream::deliver(const Delivery& request) {
  if (request.failed) {  // at the source: it is gone
    acknowledge(request.message, ResponseStatus::invalid_handle, ResponseUrgency::wakes);
  } else if (is_get(request.message)) {
    deliver_get(request);
  } else {
    deliver_put(request);
  }
}

void Incoming::Stream::deliver_put(const Delivery& request) {
  const RequestMessage& message = request.message;
  const bool last = (message.head.flags & RequestMessage::last) != 0;
  SegmentView segment{message.transaction, message.offset, message.length, last, request.payload};
  segment.in_place = request.in_place;
  const ResponseStatus status = arrive(segment);
  if (so_far_ == ResponseStatus::ok) so_far_ = status;
  if (!last) return;
  const ResponseStatus result = std::exchange(so_far_, ResponseStatus::ok);
  if (message.transaction.kind == TransactionKind::atomic && is_done(result)) {
    const ResponseMessage answer = response(message, request.payload.size());
    owner_.respond(rank_, answer, std::move(request.payload), urgency_of(message));
  } else {
    acknowledge(message, result, urgency_of(message));
  }
}

void Incoming::Stream::deliver_get(const Delivery& request) {
  const Transaction& transaction = request.message.transaction;
  const std::uint64_t room =
      from_self() ? transaction.length : carrier_.links.limit(rank_) - sizeof(ResponseMessage);
  const std::uint64_t piece = request.in_place ? transaction.length : room;
  std::uint64_t offset = 0;
  do {
    const std::uint64_t length = std::min(piece, transaction.length - offset);
    const bool last = offset + length == transaction.length;
    Payload data;
    SegmentView segment{transaction, offset, length, last, data};
    segment.in_place = request.in_place;
    const ResponseStatus status = arrive(segment);
    if (offset == 0 && data.empty() && (last || !is_done(status))) {
      acknowledge(request.message, status, urgency_of(request.message),
                  request.in_place ? ResponseMessage::in_place : std::uint8_t{0}, length);
      return;
    }
    ResponseMessage answer = response(request.message, length);
    answer.status = status;
    answer.offset = offset;
    answer.length = length;
    if (!is_done(status)) {
      answer.length = transaction.length - offset;
      owner_.respond(rank_, answer, {}, ResponseUrgency::wakes);
      return;
    }
    if (!last) answer.head.flags = 0;
    owner_.respond(rank_, answer, std::move(data), urgency_of(request.message));
    offset += length;
  } while (offset < transaction.length);
}

}  // namespace ugni::fabric
