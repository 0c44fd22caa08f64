// Checks of messages, by kind.
#include "ugni_emu/fabric/validate.h"

#include <limits>

namespace ugni::fabric {
namespace {

constexpr std::uint64_t largest_transfer = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint8_t most_injectors = 17;  // FMA, and as many BTE channels as a NIC may have
// Times may be added to each other without a look at their size.
constexpr std::int64_t latest = std::int64_t{1} << 61;

constexpr std::uint8_t request_flags = RequestHead::last | RequestHead::direct |
                                       RequestHead::patient | RequestHead::quiet |
                                       RequestHead::pushed;
constexpr std::uint8_t response_flags =
    ResponseMessage::last | ResponseMessage::in_place | ResponseMessage::patient;

bool is_time(std::int64_t ps) { return ps >= -latest && ps <= latest; }
bool is_rank(int rank, const Layout& layout) { return rank >= 0 && rank < layout.size(); }
/// A plan of faults has targets say that they cannot be reached.
bool is_status(ResponseStatus status) {
  return status <= ResponseStatus::other_reduction || status == ResponseStatus::unreachable;
}
std::uint8_t flags_of(const MessageHead& head) {
  return head.flags & static_cast<std::uint8_t>(~MessageHead::parcel);
}

Fault fault_in_length(const Transaction& transaction) {
  switch (transaction.kind) {
    case TransactionKind::put:
    case TransactionKind::get:
    case TransactionKind::message:
    case TransactionKind::datagram:
      return transaction.length > largest_transfer ? "a transaction's length" : nullptr;
    case TransactionKind::atomic:
      return transaction.length != 4 && transaction.length != 8 ? "an atomic operation's length"
                                                                : nullptr;
    case TransactionKind::cq_write:
    case TransactionKind::credit:
    case TransactionKind::collective:
      return transaction.length != 0 ? "the length of a transaction without data" : nullptr;
  }
  return "a transaction's kind";
}

/// Which bytes of the transaction it is about.
Fault fault_in_piece(const RequestMessage& request) {
  const std::uint64_t whole = request.transaction.length;
  const TransactionKind kind = request.transaction.kind;
  const std::uint8_t flags = flags_of(request.head);
  const bool direct = (flags & RequestHead::direct) != 0;
  const bool last = (flags & RequestHead::last) != 0;
  if (request.offset > whole || request.length > whole - request.offset) {
    return "a piece outside its transaction";
  }
  if (last != (request.offset + request.length == whole) || (request.length == 0 && !last)) {
    return "a piece that ends elsewhere than it says";
  }
  if ((direct || !carries(kind)) && request.length != whole) return "a piece of what comes whole";
  if (direct && (whole == 0 || (kind != TransactionKind::put && kind != TransactionKind::get))) {
    return "data that is to be fetched, of a transaction without";
  }
  if ((flags & RequestHead::pushed) != 0 && (!direct || kind != TransactionKind::put)) {
    return "data that is there, of a transaction without";
  }
  return nullptr;
}

Fault fault_in_request(std::span<const std::byte> message, const Layout& layout) {
  const auto* request = fixed_part<RequestMessage>(message);
  if (request == nullptr) return "a request that is too short";
  const Transaction& transaction = request->transaction;
  if ((flags_of(request->head) & ~request_flags) != 0) return "a request's flags";
  if (const Fault fault = fault_in_length(transaction)) return fault;
  if (const Fault fault = fault_in_piece(*request)) return fault;
  if (!is_time(request->due)) return "a request's time";
  if (transaction.injector >= most_injectors) return "a transaction's injector";
  if (transaction.source != static_cast<NicAddress>(layout.nid_of(request->head.rank))) {
    return "a transaction of another node";
  }
  if (transaction.target != static_cast<NicAddress>(layout.nid_of(layout.rank))) {
    return "a transaction for another node";
  }
  const bool brings = carries(transaction.kind) && (request->head.flags & RequestHead::direct) == 0;
  const std::uint64_t data = brings ? request->length : 0;
  const std::uint64_t behind = request->head.count * sizeof(Acknowledgement);
  return message.size() == sizeof *request + data + behind ? nullptr : "a request's size";
}

constexpr Fault not_asked = "a response of a rank that was not asked";

/// The data of a response to so many bytes.
Fault fault_in_data(std::uint8_t flags, ResponseStatus status, std::uint64_t length,
                    std::size_t data, const Asked& asked) {
  const TransactionKind kind = asked.transaction.kind;
  const bool in_place = (flags & ResponseMessage::in_place) != 0;
  if (in_place && (!asked.direct || kind != TransactionKind::get)) {
    return "data in place that was to come";
  }
  std::uint64_t expected = 0;
  if (is_done(status) && !in_place) {
    if (kind == TransactionKind::get) expected = length;
    if (kind == TransactionKind::atomic) expected = asked.transaction.length;
  }
  return data == expected ? nullptr : "a response's data";
}

Fault fault_in_response(std::span<const std::byte> message) {
  const auto* response = fixed_part<ResponseMessage>(message);
  if (response == nullptr) return "a response that is too short";
  if ((flags_of(response->head) & ~response_flags) != 0 || response->head.count != 0) {
    return "a response's flags";
  }
  if (!is_status(response->status)) return "a response's status";
  if (!is_time(response->due)) return "a response's time";
  return nullptr;
}

Fault fault_in_route(std::span<const std::byte> message, const Layout& layout) {
  const auto* route = fixed_part<RouteMessage>(message);
  if (route == nullptr || message.size() != sizeof *route) return "the size of a route";
  if (flags_of(route->head) != 0 || route->head.count != 0) return "a route's flags";
  if (route->rank != -1 && !is_rank(route->rank, layout)) return "a route to no rank";
  return nullptr;
}

Fault fault_in_fetch(std::span<const std::byte> message) {
  const auto* fetch = fixed_part<FetchMessage>(message);
  if (fetch == nullptr || message.size() != sizeof *fetch) return "the size of a wish for data";
  return flags_of(fetch->head) != 0 || fetch->head.count != 0 ? "the flags of a wish for data"
                                                              : nullptr;
}

Fault fault_in_data(std::span<const std::byte> message) {
  const auto* data = fixed_part<DataMessage>(message);
  if (data == nullptr) return "data without a beginning";
  const std::uint8_t flags = flags_of(data->head);
  if ((flags & ~DataMessage::gone) != 0 || data->head.count != 0) return "the flags of data";
  if (data->injector >= most_injectors) return "the injector of data";
  const bool is_empty = message.size() == sizeof *data;
  return is_empty == (flags == DataMessage::gone) ? nullptr : "the size of data";
}

Fault fault_at_start_up(std::span<const std::byte> message, const MessageHead& head) {
  if (head.count != 0) return "a start-up message's flags";
  if (head.kind == MessageKind::hello) {
    return head.flags == 0 && message.size() == sizeof head ? nullptr : "a greeting's size";
  }
  const auto* clock = fixed_part<ClockMessage>(message);
  if (clock == nullptr || message.size() != sizeof *clock) return "the size of a clock's message";
  if (head.flags > ClockMessage::done) return "what a clock's message asks for";
  return is_time(clock->asked) && is_time(clock->answered) ? nullptr : "a clock's time";
}

}  // namespace

Fault fault_in(std::span<const std::byte> message, const Layout& layout, int from, bool start_up) {
  const auto* head = fixed_part<MessageHead>(message);
  if (head == nullptr) return "less than a message";
  if (!is_rank(head->rank, layout) || head->rank == layout.rank) return "its sender's rank";
  if (from >= 0 && head->rank != from) return "the rank of another sender";
  const bool of_start_up = head->kind == MessageKind::hello || head->kind == MessageKind::clock;
  if (of_start_up != start_up) return "a message at another time than its own";
  switch (head->kind) {
    case MessageKind::hello:
    case MessageKind::clock:
      return fault_at_start_up(message, *head);
    case MessageKind::request:
      return fault_in_request(message, layout);
    case MessageKind::response:
      return fault_in_response(message);
    case MessageKind::acknowledgements:
      return flags_of(*head) == 0 &&
                     message.size() == sizeof *head + head->count * sizeof(Acknowledgement)
                 ? nullptr
                 : "the size of acknowledgements";
    case MessageKind::question:
    case MessageKind::answer:
      return fault_in_route(message, layout);
    case MessageKind::fetch:
      return fault_in_fetch(message);
    case MessageKind::data:
      return fault_in_data(message);
    case MessageKind::goodbye:
      return flags_of(*head) == 0 && head->count == 0 && message.size() == sizeof *head
                 ? nullptr
                 : "the size of a goodbye";
  }
  return "a message's kind";
}

Fault fault_in_next(const RequestMessage& next, const RequestMessage& before) {
  const Transaction& own = next.transaction;
  const Transaction& other = before.transaction;
  const bool same = own.kind == other.kind && own.length == other.length &&
                    own.target_instance == other.target_instance && own.cookie == other.cookie &&
                    own.ptag == other.ptag && own.source_instance == other.source_instance &&
                    own.remote_address == other.remote_address &&
                    own.remote_handle.qword1 == other.remote_handle.qword1 &&
                    own.immediate == other.immediate && next.number == before.number;
  if (!same) return "a transaction within another one";
  return next.offset == before.offset + before.length ? nullptr : "a piece out of order";
}

Fault fault_in_response(const ResponseMessage& response, std::size_t data, const Asked& asked) {
  const std::uint64_t whole = asked.transaction.length;
  if (response.head.rank != asked.rank) return not_asked;
  const bool last = (response.head.flags & ResponseMessage::last) != 0;
  if (response.offset != asked.answered || response.length > whole - asked.answered) {
    return "a response outside its request";
  }
  if (last != (response.offset + response.length == whole)) {
    return "a response that ends elsewhere than it says";
  }
  return fault_in_data(response.head.flags, response.status, response.length, data, asked);
}

Fault fault_in(const Acknowledgement& acknowledgement, int rank, const Asked& asked) {
  constexpr std::uint8_t last = ResponseMessage::last;
  if ((acknowledgement.flags & ~response_flags) != 0 || (acknowledgement.flags & last) == 0) {
    return "an acknowledgement's flags";
  }
  if (!is_status(acknowledgement.status)) return "an acknowledgement's status";
  if (!is_time(acknowledgement.due)) return "an acknowledgement's time";
  if (rank != asked.rank) return not_asked;
  const std::uint64_t rest = asked.transaction.length - asked.answered;
  return fault_in_data(acknowledgement.flags, acknowledgement.status, rest, 0, asked);
}

}  // namespace ugni::fabric
