// The initiator's side of the wire.
#include "ugni_emu/fabric/outgoing.h"

#include <algorithm>
#include <new>
#include <utility>

#include "ugni_emu/wire/observed.h"

namespace ugni::fabric {

using corespec::Time;

namespace {

/// Acknowledgements that wait for an idle moment, at most.
constexpr std::size_t most_set_aside = 64;

std::uint64_t carried_bytes(const Transaction& transaction) {
  return carries(transaction.kind) ? transaction.length : 0;
}

}  // namespace

Submission& Outgoing::prepare(Performer& performer) {
  if (free_ == nullptr) {
    free_ = &posts_.emplace_back();
    free_->owner = this;
    free_->index = static_cast<std::uint32_t>(posts_.size() - 1);
  }
  Post& post = *std::exchange(free_, free_->next_free);
  ++post.generation;  // never 0 in use, so no number is
  post.performer = &performer;
  return post;
}

void Outgoing::give_back(Post& post) {
  post.live = false;
  post.payload = {};
  post.next_free = std::exchange(free_, &post);
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

void Outgoing::launch(int rank, Submission& submission) {
  auto& post = static_cast<Post&>(submission);
  const Transaction& transaction = post.transaction;
  const Time left = carrier_->delays.injected(carrier_->now(), carried_bytes(transaction));
  corespec::observe(carrier_->domain, [&] {
    corespec::Occurrence made =
        observed(corespec::Occurrence::Kind::injected, transaction, transaction.source,
                 transaction.length, carrier_->now(), left);
    made.part = transaction.injector;
    return made;
  });
  RequestHead request;
  request.head = {MessageKind::request, RequestHead::last, 0, carrier_->rank()};
  request.due = (left + carrier_->delays.path(transaction.source, transaction.target)).ps();
  request.length = transaction.length;
  // No thread waits for what has no number at its initiator: credits, datagrams.
  const bool awaits_sent = carrier_->client->awaits_sent(transaction);
  const bool awaited = transaction.initiator_key != 0 || awaits_sent;
  post.rank = rank;
  post.live = true;
  post.awaits_sent = awaits_sent;
  post.patient = post.ended = post.direct = false;
  post.answered = 0;
  if (awaited) {
    request.number = number_of(post);
    const ResponseUrgency urgency = carrier_->client->response_urgency(transaction);
    post.patient = !awaits_sent && urgency == ResponseUrgency::whenever;
    if (post.patient) request.head.flags |= RequestHead::patient;
    if (urgency != ResponseUrgency::wakes) request.head.flags |= RequestHead::quiet;
  }
  const bool unreachable = rank < 0 || (rank != carrier_->rank() && carrier_->links.is_lost(rank));
  if (unreachable) {
    if (awaited) {
      fail(post);
    } else {
      give_back(post);
    }
    return;
  }
  const bool has_left = set_out(post, request);
  // Through the queue even if it is now: perform() calls nothing but read_source().
  if (has_left && awaits_sent) schedule(left, post, Post::sent);
  if (!awaited) give_back(post);
}

/// False if the source may be reused only when the target has answered: its data stays there.
bool Outgoing::set_out(Post& post, RequestHead& request) {
  const Transaction& transaction = post.transaction;
  const bool put = carries(transaction.kind);
  const bool captured = !post.payload.empty() || transaction.length == 0;
  if (post.rank == carrier_->rank()) {
    to_self(post, request);
    return !put || captured;
  }
  const bool large = transaction.length >= direct_from;
  if (put) {
    if (!captured && large && send_direct(post, request)) return false;
    send_pieces(post, request);
  } else if (transaction.kind != TransactionKind::get || !large ||
             !(fetched(post, request) || send_direct(post, request))) {
    send_fixed(post, request);
  }
  return true;
}

/// Reads a GET's data where they lie in this host's memory: the target, which may be computing or
/// without a CPU, hears nothing of it. False if it has to be asked.
bool Outgoing::fetched(Post& post, const RequestHead& request) {
  const Transaction& transaction = post.transaction;
  const DirectMemory memory = carrier_->client->source_memory(transaction);
  const std::span<std::byte> into(memory.address, transaction.length);
  if (memory.address == nullptr || !memory.unnoticed ||
      !carrier_->links.pull(post.rank, transaction, into)) {
    return false;
  }
  const Time answered = Time::picoseconds(request.due) +
                        carrier_->delays.bytes_time(transaction.length) +
                        carrier_->delays.path(transaction.target, transaction.source);
  const Time due = carrier_->delays.ejected(answered, transaction.length);
  carrier_->delays.note(due, carrier_->now());
  answered_at(due, post);
  post.last.head.flags |= ResponseMessage::in_place;
  return true;
}

/// One message that says where the data is, or goes; false if it is not in registered memory.
bool Outgoing::send_direct(Post& post, RequestHead& request) {
  const DirectMemory memory = carrier_->client->source_memory(post.transaction);
  if (memory.address == nullptr ||
      !carrier_->links.remote(post.rank, memory.registration, memory.address, request.memory)) {
    return false;
  }
  request.head.flags |= RequestHead::direct;
  post.direct = true;
  // While no thread there polls its CPU is the program's: this side moves the data.
  const std::span<const std::byte> data(memory.address, post.transaction.length);
  if (post.transaction.kind == TransactionKind::put && memory.ahead &&
      carrier_->links.push(post.rank, post.transaction, data)) {
    request.head.flags |= RequestHead::pushed;
    if (memory.unnoticed) answer_by_itself(post, request);
  }
  send_fixed(post, request);
  return true;
}

/// The data is at its target, which took it as its registered memory stands: the target hears of it
/// when it next looks, and answers nothing.
void Outgoing::answer_by_itself(Post& post, RequestHead& request) {
  request.number = 0;
  request.head.flags |= RequestHead::patient;
  const Time arrived = Time::picoseconds(request.due);
  const Transaction& transaction = post.transaction;
  answered_at(arrived + carrier_->delays.path(transaction.target, transaction.source), post);
}

/// The response to all of it will be here at `due`, without a message.
void Outgoing::answered_at(Time due, Post& post) {
  post.last = {};
  post.last.head.flags = ResponseMessage::last;
  post.last.due = due.ps();
  post.last.offset = post.answered;  // a peer may end between two pieces of its answer
  post.last.length = post.transaction.length - post.answered;
  post.ended = true;
  schedule(due, post, Post::response);
}

void Outgoing::send_fixed(const Post& post, RequestHead& request) {
  Buffer& buffer = carrier_->links.compose(post.rank);
  buffer.size = sizeof(RequestMessage);
  send(post, request, buffer);
}

/// What there is to be acknowledged to that rank goes along, behind the data.
void Outgoing::send(const Post& post, RequestHead& request, Buffer& buffer) {
  const bool wakes_for_them = carrier_->acknowledgements.wake(post.rank);
  request.head.count = carrier_->acknowledgements.append(post.rank, buffer);
  new (buffer.bytes) RequestMessage{request, post.transaction};
  carrier_->links.send(post.rank, buffer, wakes_for_them || wakes(post, request));
}

/// False for what only changes what the target finds at its next look: credits, data that is there
/// already, and messages into mailboxes for which no thread sleeps, if none here waits for the
/// response.
bool Outgoing::wakes(const Post& post, const RequestHead& request) {
  const TransactionKind kind = post.transaction.kind;
  if (kind == TransactionKind::credit) return false;
  const bool patient = (request.head.flags & RequestHead::patient) != 0;
  if (patient && (request.head.flags & RequestHead::pushed) != 0) return false;
  return kind != TransactionKind::message || !patient ||
         carrier_->links.wakes(post.rank, post.transaction);
}

void Outgoing::send_pieces(Post& post, RequestHead& request) {
  const std::uint64_t length = post.transaction.length;
  const std::uint64_t piece = carrier_->links.limit(post.rank) - sizeof(RequestMessage);
  const std::uint8_t flags = request.head.flags & ~RequestHead::last;
  do {
    request.length = std::min(piece, length - request.offset);
    const bool last = request.offset + request.length == length;
    request.head.flags = flags | (last ? RequestHead::last : 0);
    Buffer& buffer = carrier_->links.compose(post.rank);
    std::byte* const data = buffer.bytes + sizeof(RequestMessage);
    if (!post.payload.empty()) {
      post.payload.copy_to(request.offset, {data, request.length});
    } else if (request.length != 0) {
      carrier_->client->read_source(post.transaction, request.offset, {data, request.length});
    }
    buffer.size = sizeof(RequestMessage) + request.length;
    send(post, request, buffer);
    request.offset += request.length;
  } while (request.offset < length);
  post.payload = {};
}

void Outgoing::fetch(const FetchMessage& wish) {
  const Post* const post = find(wish.number);
  if (post == nullptr || post->ended) return;  // it was given up
  const Transaction& transaction = post->transaction;
  if (post->rank != wish.head.rank || !post->direct || transaction.kind != TransactionKind::put) {
    carrier_->faults.faulty(wish.head.rank, "a wish for data that it was not offered");
    return;
  }
  const DirectMemory memory = carrier_->client->source_memory(transaction);
  DataMessage message;
  message.head = {MessageKind::data, 0, 0, carrier_->rank()};
  message.number = wish.number;
  message.injector = transaction.injector;
  if (memory.address == nullptr) {
    message.head.flags = DataMessage::gone;
    carrier_->links.send_fixed(post->rank, message);
    return;
  }
  const std::uint64_t piece = carrier_->links.limit(post->rank) - sizeof message;
  while (message.offset < transaction.length) {
    const std::uint64_t length = std::min(piece, transaction.length - message.offset);
    Buffer& buffer = carrier_->links.compose(post->rank);
    put_fixed(buffer.bytes, message);
    std::copy_n(memory.address + message.offset, length, buffer.bytes + sizeof message);
    buffer.size = sizeof message + length;
    carrier_->links.send(post->rank, buffer);
    message.offset += length;
  }
}

void Outgoing::to_self(Post& post, RequestHead& request) {
  const bool moves = post.payload.empty() && post.transaction.length != 0 &&
                     (post.transaction.kind == TransactionKind::get ||
                      post.transaction.kind == TransactionKind::put);
  if (moves) request.head.flags |= RequestHead::direct;
  incoming_->from_self({request, post.transaction}, std::move(post.payload));
}

void Outgoing::fail(Post& post) {
  answered_at(carrier_->domain.now(), post);
  post.last.status = ResponseStatus::no_such_domain;
}

void Outgoing::answered(const ResponseMessage& response, Payload payload) {
  Post* const post = find(response.number);
  if (post == nullptr || post->ended) return;  // it was given up
  if (const Fault fault = fault_in_response(response, payload.size(), asked(*post))) {
    carrier_->faults.faulty(response.head.rank, fault);
    return;
  }
  take(*post, response, std::move(payload));
}

void Outgoing::answered_here(const ResponseMessage& response, Payload payload) {
  Post* const post = find(response.number);
  if (post != nullptr && !post->ended) take(*post, response, std::move(payload));
}

void Outgoing::take(Post& post, const ResponseMessage& response, Payload payload) {
  const bool brought = !payload.empty() || (response.head.flags & ResponseMessage::in_place) != 0;
  if ((response.head.flags & ResponseMessage::last) == 0) {
    // Bytes may land early; the end is what waits for its time.
    post.answered += response.length;
    SegmentView piece{post.transaction, response.offset, response.length, false, payload};
    carrier_->client->response_arrived(piece);
    return;
  }
  post.last = response;
  post.payload = std::move(payload);
  post.ended = true;
  const Time due =
      carrier_->delays.ejected(Time::picoseconds(response.due), brought ? response.length : 0);
  if (post.rank != carrier_->rank() && !post.patient) carrier_->delays.note(due, carrier_->now());
  if (carrier_->has_come(due)) {
    end(post);
  } else {
    schedule(due, post, Post::response);
  }
}

void Outgoing::acknowledged(const Acknowledgement& acknowledgement, int rank) {
  if ((acknowledgement.flags & ResponseMessage::patient) != 0) {
    set_aside_.push_back({acknowledgement, rank});
    if (set_aside_.size() >= most_set_aside) take_set_aside();
  } else {
    take_in({acknowledgement, rank});
  }
}

void Outgoing::take_set_aside() {
  // What the client hears of may bring more.
  for (std::size_t i = 0; i < set_aside_.size(); ++i) take_in(SetAside(set_aside_[i]));
  set_aside_.clear();
}

void Outgoing::take_in(const SetAside& arrived) {
  const Acknowledgement& acknowledgement = arrived.acknowledgement;
  Post* const post = find(acknowledgement.number);
  if (post == nullptr || post->ended) return;
  if (const Fault fault = fault_in(acknowledgement, arrived.rank, asked(*post))) {
    carrier_->faults.faulty(arrived.rank, fault);
    return;
  }
  ResponseMessage response;
  response.head.flags = acknowledgement.flags;
  response.number = acknowledgement.number;
  response.due = acknowledgement.due;
  response.status = acknowledgement.status;
  response.offset = post->answered;
  response.length = post->transaction.length - post->answered;
  take(*post, response, {});
}

/// The post is the client's until the last call: its number finds nothing any more.
void Outgoing::end(Post& post) {
  post.live = false;
  const Transaction& transaction = post.transaction;
  const ResponseMessage& last = post.last;
  if (std::exchange(post.awaits_sent, false)) carrier_->client->request_sent(transaction);
  const bool missed = last.status == ResponseStatus::no_such_domain ||
                      last.status == ResponseStatus::invalid_handle;
  if (missed && missed_) missed_(transaction);
  SegmentView segment{transaction, last.offset, last.length, true, post.payload, last.status};
  segment.in_place = (last.head.flags & ResponseMessage::in_place) != 0;
  carrier_->client->response_arrived(segment);
  give_back(post);
}

void Outgoing::Post::fire(std::uint64_t arg) {
  // The number's highest bit is lost to the shift; generations differ in the others.
  if (!live || (number_of(*this) << 1 | (arg & 1)) != arg) return;
  if ((arg & 1) == response) {
    owner->end(*this);
  } else if (std::exchange(awaits_sent, false)) {
    owner->carrier_->client->request_sent(transaction);
  }
}

void Outgoing::lost(int rank) {
  take_set_aside();  // what it had taken in is done
  for (Post& post : posts_) {
    if (post.live && post.rank == rank && !post.ended) fail(post);
  }
}

}  // namespace ugni::fabric
