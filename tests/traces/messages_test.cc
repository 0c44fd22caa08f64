// Which messages a rank's trace has, and when they were sent or had been received.
#include "apps/traces/replay/messages.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "apps/traces/dumpi/trace_writer.h"

namespace {

using dumpi::Call;
using dumpi::Label;
using dumpi::Status;
using dumpi::Value;
using replay::Half;
using replay::Message;
using replay::messages_of;
using replay::RankMessages;

using Numbers = std::vector<std::int32_t>;
using Statuses = std::vector<Status>;

constexpr std::int64_t start = 1'400'000'000'000'000'000;
constexpr std::int32_t world = 2, byte = 5, any = -1;

/// Call n is entered at n us and returns 100 ns later.
RankMessages messages_of_calls(const std::vector<std::pair<Label, std::vector<Value>>>& calls) {
  std::ostringstream out;
  dumpi::TraceWriter writer(out, "trace", {0, 1'400'000'000});
  std::int64_t at = start;
  for (const auto& [label, values] : calls) {
    Call call;
    call.label = label;
    call.values = values;
    call.wall = dumpi::Span{at, at + 100};
    writer.write(call);
    at += 1000;
  }
  writer.finish({});
  return messages_of(dumpi::RankTrace("trace", out.str()));
}

void expect_message(const Message& message, Half half, std::int32_t peer, std::int32_t tag,
                    std::uint64_t call, std::optional<std::int64_t> ns, std::int32_t comm = 0) {
  EXPECT_EQ(message.half, half);
  EXPECT_EQ(message.peer, peer);
  EXPECT_EQ(message.tag, tag);
  EXPECT_EQ(message.call, call);
  EXPECT_EQ(message.comm, comm);
  EXPECT_EQ(message.time, ns ? std::optional(start + *ns) : std::nullopt);
}

TEST(Messages, ReceivesAreOverWhereTheirRequestIs) {
  const RankMessages found =
      messages_of_calls({{Label::Irecv, {8, byte, 4, 1, world, 2}},
                         {Label::Irecv, {8, byte, 5, 1, world, 3}},
                         {Label::Irecv, {8, byte, 6, 1, world, 4}},
                         {Label::Isend, {8, byte, 7, 2, world, 5}},
                         {Label::Test, {3, 0, Statuses{}}},
                         {Label::Test, {3, 1, Statuses{}}},
                         {Label::Waitall, {3, Numbers{2, 3, 5}, Statuses{}}},
                         {Label::Irecv, {8, byte, 4, 9, world, 2}}});  // the number is used again
  ASSERT_EQ(found.all.size(), 5U);
  EXPECT_EQ(found.of_unknown_sender, 0U);
  EXPECT_EQ(found.begin, start);
  expect_message(found.all[0], Half::receive, 4, 1, 0, 6100);
  expect_message(found.all[1], Half::receive, 5, 1, 1, 5100);
  expect_message(found.all[2], Half::receive, 6, 1, 2, std::nullopt);
  expect_message(found.all[3], Half::send, 7, 2, 3, 3000);
  expect_message(found.all[4], Half::receive, 4, 9, 7, std::nullopt);
}

TEST(Messages, TheStatusSaysWhoSentToAnyone) {
  const Status from_three{8, 3, 0, 0, 11};
  const RankMessages found = messages_of_calls(
      {{Label::Irecv, {8, byte, any, any, world, 2}},
       {Label::Irecv, {8, byte, any, 5, world, 3}},
       {Label::Irecv, {8, byte, any, any, world, 4}},
       {Label::Recv, {8, byte, any, any, world, Statuses{from_three}}},
       {Label::Waitany, {2, Numbers{2, 3}, 1, Statuses{from_three}}},
       {Label::Waitsome, {2, Numbers{2, 4}, 1, Numbers{0}, Statuses{from_three}}}});
  ASSERT_EQ(found.all.size(), 3U);
  expect_message(found.all[0], Half::receive, 3, 11, 0, 5100);
  expect_message(found.all[1], Half::receive, 3, 5, 1, 4100);
  expect_message(found.all[2], Half::receive, 3, 11, 3, 3100);
  EXPECT_EQ(found.of_unknown_sender, 1U);
}

TEST(Messages, EachStartOfAPersistentRequestIsOne) {
  const RankMessages found = messages_of_calls({{Label::Send_init, {8, byte, 1, 2, world, 2}},
                                                {Label::Recv_init, {8, byte, 3, 2, world, 3}},
                                                {Label::Startall, {2, Numbers{2, 3}}},
                                                {Label::Wait, {3, Statuses{}}},
                                                {Label::Start, {2}}});
  ASSERT_EQ(found.all.size(), 3U);
  expect_message(found.all[0], Half::send, 1, 2, 2, 2000);
  expect_message(found.all[1], Half::receive, 3, 2, 2, 3100);
  EXPECT_EQ(found.all[1].place, 1U);
  expect_message(found.all[2], Half::send, 1, 2, 4, 4000);
}

TEST(Messages, OfOtherCommunicatorsOnlyDuplicatesOfTheWorld) {
  const RankMessages found = messages_of_calls({{Label::Init, {std::vector<std::string>{"./a"}}},
                                                {Label::Comm_dup, {world, 4}},
                                                {Label::Comm_split, {world, 0, 0, 5}},
                                                {Label::Comm_dup, {4, 6}},
                                                {Label::Send, {8, byte, 1, 2, 4}},
                                                {Label::Send, {8, byte, 1, 2, 5}},
                                                {Label::Send, {8, byte, 1, 2, 6}},
                                                {Label::Comm_free, {4}},
                                                {Label::Comm_split, {world, 0, 0, 4}},
                                                {Label::Send, {8, byte, 1, 2, 4}},
                                                {Label::Send, {8, byte, -5, 2, world}}});
  ASSERT_EQ(found.all.size(), 2U);
  expect_message(found.all[0], Half::send, 1, 2, 4, 4000, 1);
  expect_message(found.all[1], Half::send, 1, 2, 6, 6000, 2);
  EXPECT_EQ(found.begin, start + 100);
}

TEST(Messages, SendrecvIsTwo) {
  const RankMessages found = messages_of_calls(
      {{Label::Sendrecv, {8, byte, 1, 2, 8, byte, 3, 4, world, Statuses{}}},
       {Label::Sendrecv_replace, {8, byte, 1, 2, any, any, world, Statuses{{8, 9, 0, 0, 7}}}}});
  ASSERT_EQ(found.all.size(), 4U);
  expect_message(found.all[0], Half::send, 1, 2, 0, 0);
  expect_message(found.all[1], Half::receive, 3, 4, 0, 100);
  expect_message(found.all[2], Half::send, 1, 2, 1, 1000);
  expect_message(found.all[3], Half::receive, 9, 7, 1, 1100);
}

}  // namespace
