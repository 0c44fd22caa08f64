// The initiator's side of the wire.
#include "ugni_emu/wire/fabric/outgoing.h"

#include <algorithm>
#include <utility>

namespace ugni::fabric {

using corespec::Time;

namespace {

/// Kinds whose data goes to the target.
bool carries(TransactionKind kind) {
  return kind == TransactionKind::put || kind == TransactionKind::message ||
         kind == TransactionKind::datagram;
}

std::uint64_t carried_bytes(const Transaction& transaction) {
  return carries(transaction.kind) ? transaction.length : 0;
}

}  // namespace

Outgoing::Post& Outgoing::take(const Transaction& transaction, int rank) {
  if (free_.empty()) {
    Post& fresh = posts_.emplace_back();
    fresh.owner = this;
    fresh.index = static_cast<std::uint32_t>(posts_.size() - 1);
    free_.push_back(fresh.index);
  }
  Post& post = posts_[free_.back()];
  free_.pop_back();
  ++post.generation;  // never 0 in use, so no number is
  post.rank = rank;
  post.live = true;
  post.awaits_sent = false;
  post.ended = false;
  post.transaction = transaction;
  return post;
}

void Outgoing::give_back(Post& post) {
  post.live = false;
  post.payload = {};
  free_.push_back(post.index);
}

Outgoing::Post* Outgoing::find(std::uint64_t number) {
  const auto index = static_cast<std::uint32_t>(number);
  if (index >= posts_.size()) return nullptr;
  Post& post = posts_[index];
  return post.live && post.generation == number >> 32 ? &post : nullptr;
}

void Outgoing::schedule(Time at, Post& post, Post::Firing what) {
  carrier_->domain.schedule(at, carrier_->source, post, number_of(post) << 1 | what);
}

void Outgoing::launch(int rank, const Transaction& transaction, Payload payload) {
  const Time left = carrier_->delays.injected(carrier_->now(), carried_bytes(transaction));
  RequestMessage request;
  request.head = {MessageKind::request, RequestMessage::last, 0, carrier_->rank()};
  request.due = (left + carrier_->delays.path(transaction.source, transaction.target)).ps();
  request.length = transaction.length;
  request.transaction = transaction;
  // Nobody waits for what has no number at its initiator: credits, datagrams.
  const bool awaits_sent = carrier_->client->awaits_sent(transaction);
  const bool awaited = transaction.initiator_key != 0 || awaits_sent;
  Post* post = nullptr;
  if (awaited) {
    post = &take(transaction, rank);
    post->awaits_sent = awaits_sent;
    request.number = number_of(*post);
    const ResponseUrgency urgency = carrier_->client->response_urgency(transaction);
    post->patient = !awaits_sent && urgency == ResponseUrgency::whenever;
    if (post->patient) request.head.flags |= RequestMessage::patient;
    if (urgency != ResponseUrgency::wakes) request.head.flags |= RequestMessage::quiet;
  }
  const bool unreachable = rank < 0 || (rank != carrier_->rank() && carrier_->links.is_lost(rank));
  if (unreachable) {
    if (post != nullptr) fail(*post);
    return;
  }
  const bool put = carries(transaction.kind);
  const bool captured = !payload.empty() || transaction.length == 0;
  if (rank == carrier_->rank()) {
    to_self(request, std::move(payload));
    if (put && !captured) return;  // left when its data has been moved
  } else if (put && !captured && transaction.length >= direct_from && send_direct(rank, request)) {
    return;  // the source may be reused when the target has answered
  } else if (put) {
    send_pieces(rank, request, std::move(payload));
  } else if (transaction.kind != TransactionKind::get || transaction.length < direct_from ||
             !send_direct(rank, request)) {
    send_fixed(rank, request);
  }
  // Through the queue even if it is now: submit() calls nothing but read_source().
  if (awaits_sent) schedule(left, *post, Post::sent);
}

/// One message that says where the data is, or goes; false if it is not in registered memory.
bool Outgoing::send_direct(int rank, RequestMessage& request) {
  const DirectMemory memory = carrier_->client->source_memory(request.transaction);
  if (memory.address == nullptr ||
      !carrier_->links.remote(rank, memory.registration, memory.address, request.memory)) {
    return false;
  }
  request.head.flags |= RequestMessage::direct;
  // While nobody there polls its CPU is the program's: this side moves the data.
  const std::span<const std::byte> data(memory.address, request.transaction.length);
  if (request.transaction.kind == TransactionKind::put && memory.ahead &&
      carrier_->links.push(rank, request.transaction, data)) {
    request.head.flags |= RequestMessage::pushed;
    if (memory.unnoticed) answer_by_itself(request);
  }
  send_fixed(rank, request);
  return true;
}

/// The data is at its target, which took it as its registered memory stands: the target hears of it
/// when it next looks, and answers nothing.
void Outgoing::answer_by_itself(RequestMessage& request) {
  Post& post = *find(std::exchange(request.number, 0));
  request.head.flags |= RequestMessage::patient;
  const Time arrived = Time::picoseconds(request.due);
  const Transaction& transaction = request.transaction;
  post.last = {};
  post.last.head.flags = ResponseMessage::last;
  post.last.due = (arrived + carrier_->delays.path(transaction.target, transaction.source)).ps();
  post.last.length = transaction.length;
  post.ended = true;
  schedule(Time::picoseconds(post.last.due), post, Post::response);
}

void Outgoing::send_fixed(int rank, RequestMessage& request) {
  Buffer& buffer = carrier_->links.compose(rank);
  buffer.size = sizeof request;
  send(rank, request, buffer);
}

/// What there is to be acknowledged to that rank goes along, behind the data.
void Outgoing::send(int rank, RequestMessage& request, Buffer& buffer) {
  const bool wakes_for_them = carrier_->acknowledgements.wake(rank);
  request.head.count = carrier_->acknowledgements.append(rank, buffer);
  put_fixed(buffer.bytes, request);
  carrier_->links.send(rank, buffer, wakes_for_them || wakes(rank, request));
}

/// False for what only changes what the target finds at its next look: credits, data that is there
/// already, and messages into mailboxes where nobody sleeps for them, if nobody here waits for the
/// response.
bool Outgoing::wakes(int rank, const RequestMessage& request) {
  if (request.transaction.kind == TransactionKind::credit) return false;
  const bool patient = (request.head.flags & RequestMessage::patient) != 0;
  if (patient && (request.head.flags & RequestMessage::pushed) != 0) return false;
  return request.transaction.kind != TransactionKind::message || !patient ||
         carrier_->links.wakes(rank, request.transaction);
}

void Outgoing::send_pieces(int rank, RequestMessage& request, Payload payload) {
  const std::uint64_t length = request.transaction.length;
  const std::uint64_t piece = carrier_->links.limit(rank) - sizeof request;
  const std::uint8_t flags = request.head.flags & ~RequestMessage::last;
  do {
    request.length = std::min(piece, length - request.offset);
    const bool last = request.offset + request.length == length;
    request.head.flags = flags | (last ? RequestMessage::last : 0);
    Buffer& buffer = carrier_->links.compose(rank);
    std::byte* const data = buffer.bytes + sizeof request;
    if (!payload.empty()) {
      std::memcpy(data, payload.bytes().data() + request.offset, request.length);
    } else if (request.length != 0) {
      carrier_->client->read_source(request.transaction, request.offset, {data, request.length});
    }
    buffer.size = sizeof request + request.length;
    send(rank, request, buffer);
    request.offset += request.length;
  } while (request.offset < length);
}

void Outgoing::to_self(RequestMessage& request, Payload payload) {
  const bool moves = payload.empty() && request.transaction.length != 0 &&
                     (request.transaction.kind == TransactionKind::get ||
                      request.transaction.kind == TransactionKind::put);
  if (moves) request.head.flags |= RequestMessage::direct;
  incoming_->from_self(request, std::move(payload));
}

void Outgoing::fail(Post& post) {
  ResponseMessage& none = post.last;
  none = {};
  none.head.flags = ResponseMessage::last;
  none.due = carrier_->domain.now().ps();
  none.length = post.transaction.length;
  none.status = ResponseStatus::no_such_domain;
  post.ended = true;
  schedule(carrier_->domain.now(), post, Post::response);
}

void Outgoing::answered(const ResponseMessage& response, Payload payload) {
  Post* const post = find(response.number);
  if (post == nullptr || post->ended) return;
  const bool brought = !payload.empty() || (response.head.flags & ResponseMessage::in_place) != 0;
  if ((response.head.flags & ResponseMessage::last) == 0) {
    // Bytes may land early; the end is what waits for its time.
    SegmentView piece{post->transaction, response.offset, response.length, false, payload};
    carrier_->client->response_arrived(piece);
    return;
  }
  post->last = response;
  post->payload = std::move(payload);
  post->ended = true;
  const Time due =
      carrier_->delays.ejected(Time::picoseconds(response.due), brought ? response.length : 0);
  if (post->rank != carrier_->rank() && !post->patient) carrier_->delays.note(due, carrier_->now());
  if (carrier_->has_come(due)) {
    end(*post);
  } else {
    schedule(due, *post, Post::response);
  }
}

void Outgoing::acknowledged(ResponseMessage response) {
  const Post* const post = find(response.number);
  if (post == nullptr) return;
  response.length = post->transaction.length;
  answered(response, {});
}

void Outgoing::end(Post& post) {
  const Transaction transaction = post.transaction;
  const ResponseMessage last = post.last;
  Payload payload = std::move(post.payload);
  const bool awaits_sent = std::exchange(post.awaits_sent, false);
  give_back(post);
  if (awaits_sent) carrier_->client->request_sent(transaction);
  if (last.status == ResponseStatus::no_such_domain && missed_) missed_(transaction);
  SegmentView segment{transaction, last.offset, last.length, true, payload, last.status};
  segment.in_place = (last.head.flags & ResponseMessage::in_place) != 0;
  carrier_->client->response_arrived(segment);
}

void Outgoing::Post::fire(std::uint64_t arg) {
  // The number's highest bit is lost to the shift; generations differ in the others.
  if (!live || (number_of(*this) << 1 | (arg & 1)) != arg) return;
  if ((arg & 1) == response) {
    owner->end(*this);
  } else if (std::exchange(awaits_sent, false)) {
    const Transaction copy = transaction;
    owner->carrier_->client->request_sent(copy);
  }
}

void Outgoing::lost(int rank) {
  for (Post& post : posts_) {
    if (post.live && post.rank == rank && !post.ended) fail(post);
  }
}

}  // namespace ugni::fabric
