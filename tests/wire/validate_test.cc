// The validator: what processes send passes, and each field that cannot be is found.
#include "ugni_emu/fabric/validate.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "tests/wire/job_of_processes.h"

namespace ugni::fabric {
namespace {

constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();

/// Rank 1 of three, on nodes 4, 5 and 6; the others send.
const Layout& layout() {
  static const Layout made{1, {4, 5, 6}, {0, 0, 1}};
  return made;
}

/// A message as it arrives: aligned.
struct Arrived {
  alignas(message_alignment) std::byte bytes[Buffer::room] = {};
  std::size_t size = 0;
  template <typename Fixed>
  explicit Arrived(const Fixed& fixed, std::size_t behind = 0) : size(sizeof fixed + behind) {
    put_fixed(bytes, fixed);
  }
  Fault fault(int from = -1, bool start_up = false) const {
    return fault_in({bytes, size}, layout(), from, start_up);
  }
};

RequestMessage request(TransactionKind kind, std::uint64_t length = 0) {
  RequestMessage made;
  made.head = {MessageKind::request, RequestMessage::last, 0, 2};
  made.number = 1;
  made.length = length;
  made.transaction.kind = kind;
  made.transaction.length = length;
  made.transaction.source = 6;
  made.transaction.target = 5;
  return made;
}

TEST(Validate, WhatProcessesSendPasses) {
  for (const auto kind : {TransactionKind::put, TransactionKind::message}) {
    EXPECT_EQ(Arrived(request(kind, 100), 100).fault(2), nullptr);
    RequestMessage piece = request(kind, 1000);
    piece.head.flags = RequestMessage::quiet;
    piece.length = 100;
    piece.head.count = 3;
    EXPECT_EQ(Arrived(piece, 100 + 3 * sizeof(Acknowledgement)).fault(), nullptr);
  }
  EXPECT_EQ(Arrived(request(TransactionKind::datagram, 0)).fault(), nullptr);
  EXPECT_EQ(Arrived(request(TransactionKind::get, 1 << 20)).fault(), nullptr);
  EXPECT_EQ(Arrived(request(TransactionKind::atomic, 8)).fault(), nullptr);
  EXPECT_EQ(Arrived(request(TransactionKind::cq_write)).fault(), nullptr);
  EXPECT_EQ(Arrived(request(TransactionKind::credit)).fault(), nullptr);
  EXPECT_EQ(Arrived(request(TransactionKind::collective)).fault(), nullptr);
  RequestMessage direct = request(TransactionKind::put, 1 << 20);
  direct.head.flags |= RequestMessage::direct | RequestMessage::pushed;
  EXPECT_EQ(Arrived(direct).fault(), nullptr);
  ResponseMessage response;
  response.head = {MessageKind::response, ResponseMessage::last, 0, 0};
  EXPECT_EQ(Arrived(response, 100).fault(0), nullptr);
  const MessageHead acknowledged{MessageKind::acknowledgements, 0, 2, 0};
  EXPECT_EQ(Arrived(acknowledged, 2 * sizeof(Acknowledgement)).fault(0), nullptr);
  RouteMessage route;
  for (const auto kind : {MessageKind::question, MessageKind::answer}) {
    route.head = {kind, 0, 0, 0};
    EXPECT_EQ(Arrived(route).fault(0), nullptr);
  }
  FetchMessage fetch;
  fetch.head = {MessageKind::fetch, 0, 0, 0};
  EXPECT_EQ(Arrived(fetch).fault(0), nullptr);
  DataMessage data;
  data.head = {MessageKind::data, 0, 0, 0};
  EXPECT_EQ(Arrived(data, 100).fault(0), nullptr);
  data.head.flags = DataMessage::gone;
  EXPECT_EQ(Arrived(data).fault(0), nullptr);
  EXPECT_EQ(Arrived(MessageHead{MessageKind::goodbye, 0, 0, 0}).fault(0), nullptr);
  EXPECT_EQ(Arrived(MessageHead{MessageKind::hello, 0, 0, 0}).fault(0, true), nullptr);
  ClockMessage clock;
  clock.head = {MessageKind::clock, ClockMessage::pong, 0, 2};
  EXPECT_EQ(Arrived(clock).fault(-1, true), nullptr);
}

/// Every one that differs in one field from one that passes.
TEST(Validate, EachFieldOfARequestIsLookedAt) {
  const std::vector<std::function<void(RequestMessage&)>> changes = {
      [](auto& r) { r.head.rank = -1; },
      [](auto& r) { r.head.rank = 3; },
      [](auto& r) { r.head.rank = 1; },  // itself
      [](auto& r) { r.head.rank = 0; },  // whose node is another one
      [](auto& r) { r.head.kind = static_cast<MessageKind>(77); },
      [](auto& r) { r.head.kind = MessageKind::hello; },
      [](auto& r) { r.head.kind = MessageKind::clock; },
      [](auto& r) { r.head.flags |= 32; },
      [](auto& r) { r.head.flags = 0; },
      [](auto& r) { r.head.flags |= RequestMessage::pushed; },
      [](auto& r) { r.head.flags |= RequestMessage::direct; },  // and yet its data is there
      [](auto& r) { r.head.count = 1; },
      [](auto& r) { r.due = std::numeric_limits<std::int64_t>::max(); },
      [](auto& r) { r.due = std::numeric_limits<std::int64_t>::min(); },
      [](auto& r) { r.offset = 1; },
      [](auto& r) { r.offset = huge; },
      [](auto& r) { r.offset = huge - 99; },  // the sum is 1
      [](auto& r) { r.length = 101; },
      [](auto& r) { r.length = huge; },
      [](auto& r) { r.length = 99; },
      [](auto& r) { r.transaction.length = 99; },
      [](auto& r) { r.transaction.length = huge; },
      [](auto& r) { r.transaction.kind = static_cast<TransactionKind>(8); },
      [](auto& r) { r.transaction.kind = TransactionKind::get; },  // and yet there is data
      [](auto& r) { r.transaction.kind = TransactionKind::atomic; },
      [](auto& r) { r.transaction.kind = TransactionKind::cq_write; },
      [](auto& r) { r.transaction.kind = TransactionKind::credit; },
      [](auto& r) { r.transaction.kind = TransactionKind::collective; },
      [](auto& r) { r.transaction.injector = 17; },
      [](auto& r) { r.transaction.source = 5; },
      [](auto& r) { r.transaction.target = 6; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    RequestMessage changed = request(TransactionKind::put, 100);
    changes[i](changed);
    EXPECT_NE(Arrived(changed, 100).fault(), nullptr) << i;
  }
  const Arrived well(request(TransactionKind::put, 100), 100);
  EXPECT_EQ(well.fault(2), nullptr);
  EXPECT_NE(well.fault(0), nullptr) << "it came by rank 0's queue";
  EXPECT_NE(well.fault(2, true), nullptr) << "too early";
}

TEST(Validate, NothingIsShorterOrLongerThanItSays) {
  const auto any_other_size = [](Arrived arrived, bool start_up, const char* what) {
    const std::size_t right = arrived.size;
    for (std::size_t size = 0; size < right + 40; ++size) {
      arrived.size = size;
      EXPECT_EQ(arrived.fault(-1, start_up) == nullptr, size == right) << what << ' ' << size;
    }
  };
  any_other_size(Arrived(request(TransactionKind::put, 10), 10), false, "put");
  any_other_size(Arrived(request(TransactionKind::get, 10)), false, "get");
  RouteMessage route;
  route.head = {MessageKind::question, 0, 0, 0};
  any_other_size(Arrived(route), false, "question");
  route.head.kind = MessageKind::answer;
  any_other_size(Arrived(route), false, "answer");
  const MessageHead head{MessageKind::acknowledgements, 0, 1, 0};
  any_other_size(Arrived(head, sizeof(Acknowledgement)), false, "acknowledgements");
  FetchMessage fetch;
  fetch.head = {MessageKind::fetch, 0, 0, 0};
  any_other_size(Arrived(fetch), false, "fetch");
  any_other_size(Arrived(MessageHead{MessageKind::goodbye, 0, 0, 0}), false, "goodbye");
  DataMessage gone;
  gone.head = {MessageKind::data, DataMessage::gone, 0, 0};
  any_other_size(Arrived(gone), false, "data that is not there");
  any_other_size(Arrived(MessageHead{MessageKind::hello, 0, 0, 0}), true, "hello");
  ClockMessage clock;
  clock.head = {MessageKind::clock, ClockMessage::ping, 0, 0};
  any_other_size(Arrived(clock), true, "clock");
}

TEST(Validate, DataThatWasWishedForIsAsItSays) {
  DataMessage data;
  data.head = {MessageKind::data, 0, 0, 0};
  EXPECT_EQ(Arrived(data, 100).fault(0), nullptr);
  EXPECT_NE(Arrived(data).fault(0), nullptr) << "none, and not said to be gone";
  const std::vector<std::function<void(DataMessage&)>> changes = {
      [](auto& d) { d.head.flags = DataMessage::gone; },  // and yet there is some
      [](auto& d) { d.head.flags = 2; },
      [](auto& d) { d.head.count = 1; },
      [](auto& d) { d.injector = 17; },
      [](auto& d) { d.injector = huge; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    DataMessage changed = data;
    changes[i](changed);
    EXPECT_NE(Arrived(changed, 100).fault(0), nullptr) << i;
  }
  FetchMessage fetch;
  fetch.head = {MessageKind::fetch, 1, 0, 0};
  EXPECT_NE(Arrived(fetch).fault(0), nullptr);
  fetch.head = {MessageKind::fetch, 0, 1, 0};
  EXPECT_NE(Arrived(fetch).fault(0), nullptr);
}

TEST(Validate, PiecesGoOnWhereTheOneBeforeEnded) {
  RequestMessage first = request(TransactionKind::put, 1000);
  first.length = 400;
  RequestMessage next = first;
  next.offset = 400;
  EXPECT_EQ(fault_in_next(next, first), nullptr);
  const std::vector<std::function<void(RequestMessage&)>> changes = {
      [](auto& r) { r.offset = 0; },
      [](auto& r) { r.offset = 500; },
      [](auto& r) { r.number = 2; },
      [](auto& r) { r.transaction.length = 900; },
      [](auto& r) { r.transaction.kind = TransactionKind::message; },
      [](auto& r) { r.transaction.remote_address = 8; },
      [](auto& r) { r.transaction.source_instance = 8; },
      [](auto& r) { r.transaction.target_instance = 8; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    RequestMessage changed = next;
    changes[i](changed);
    EXPECT_NE(fault_in_next(changed, first), nullptr) << i;
  }
}

TEST(Validate, ResponsesFitWhatWasAsked) {
  Transaction get;
  get.kind = TransactionKind::get;
  get.length = 100;
  const Asked asked{get, 2, 40, false};
  ResponseMessage response;
  response.head = {MessageKind::response, 0, 0, 2};
  response.offset = 40;
  response.length = 20;
  EXPECT_EQ(fault_in_response(response, 20, asked), nullptr);
  EXPECT_NE(fault_in_response(response, 21, asked), nullptr);
  EXPECT_NE(fault_in_response(response, 0, asked), nullptr);
  const std::vector<std::function<void(ResponseMessage&)>> changes = {
      [](auto& r) { r.head.rank = 0; },
      [](auto& r) { r.head.flags = ResponseMessage::last; },
      [](auto& r) { r.head.flags = ResponseMessage::in_place; },
      [](auto& r) { r.offset = 0; },
      [](auto& r) { r.offset = 90; },
      [](auto& r) { r.offset = huge; },
      [](auto& r) { r.length = huge; },
      [](auto& r) { r.length = 60; },                          // all, and does not say so
      [](auto& r) { r.status = ResponseStatus::permission; },  // with data
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    ResponseMessage changed = response;
    changes[i](changed);
    EXPECT_NE(fault_in_response(changed, 20, asked), nullptr) << i;
  }
  const Asked direct{get, 2, 0, true};
  Acknowledgement whole{1, 0, ResponseStatus::ok,
                        ResponseMessage::last | ResponseMessage::in_place};
  EXPECT_EQ(fault_in(whole, 2, direct), nullptr);
  EXPECT_NE(fault_in(whole, 0, direct), nullptr);
  EXPECT_NE(fault_in(whole, 2, asked), nullptr) << "its data is to come in messages";
  whole.flags = ResponseMessage::last;
  EXPECT_NE(fault_in(whole, 2, direct), nullptr) << "and where is the data?";
  whole.status = ResponseStatus::out_of_bounds;
  EXPECT_EQ(fault_in(whole, 2, asked), nullptr);
  whole.status = ResponseStatus::other_reduction;
  EXPECT_EQ(fault_in(whole, 2, asked), nullptr);
  whole.status = static_cast<ResponseStatus>(9);
  EXPECT_NE(fault_in(whole, 2, asked), nullptr);
}

/// Parcels: sizes that do not add up are found, and nothing outside is looked at.
TEST(Validate, DamagedParcelsAreFound) {
  Buffer buffer;
  Parcel parcel;
  Buffer message;
  const MessageHead head{MessageKind::acknowledgements, 0, 0, 0};
  put_fixed(buffer.bytes, head);
  put_fixed(message.bytes, head);
  buffer.size = message.size = sizeof head;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(parcel.add(buffer, message, Buffer::room));
  parcel.close(buffer);
  const auto count = [](std::span<const std::byte> bytes, int& seen) {
    bool well = true;
    const bool whole = Parcel::for_each(bytes, [&](auto each) {
      ++seen;
      well = well && fault_in(each, layout(), 0) == nullptr;  // its size
    });
    return whole && well;
  };
  int seen = 0;
  EXPECT_TRUE(count({buffer.bytes, buffer.size}, seen));
  EXPECT_EQ(seen, 6);
  for (std::size_t size = 0; size < buffer.size; ++size) {
    EXPECT_FALSE(count({buffer.bytes, size}, seen)) << size;
  }
  const std::size_t numbers = 7 * sizeof(std::uint16_t);
  for (std::size_t at = buffer.size - numbers; at < buffer.size; ++at) {
    for (const int change : {1, 2, 64, 128}) {
      const std::byte before = buffer.bytes[at];
      buffer.bytes[at] ^= static_cast<std::byte>(change);
      EXPECT_FALSE(count({buffer.bytes, buffer.size}, seen)) << at << ' ' << change;
      buffer.bytes[at] = before;
    }
  }
}

}  // namespace
}  // namespace ugni::fabric
