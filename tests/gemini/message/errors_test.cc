// Errors: statuses that come back, targets that are not there, calls that are refused.
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/gemini/test_machine.h"

namespace gemini_test {
namespace {

using ugni::ResponseStatus;
using ugni::TransactionKind;

TEST(Errors, TheTargetsAnswerComesBackWithoutData) {
  for (const ResponseStatus answer : {ResponseStatus::invalid_handle, ResponseStatus::permission,
                                      ResponseStatus::out_of_bounds}) {
    Machine machine("2x2x2");
    machine.nic(3).answer = answer;
    machine.get(0, 3, 20000);
    machine.put(0, 3, 100);
    machine.run();
    ASSERT_EQ(machine.nic(0).responses.size(), 3U);
    for (const Call& call : machine.nic(0).responses) {
      EXPECT_EQ(call.status, answer);
      EXPECT_EQ(call.payload, 0U);
    }
  }
}

TEST(Errors, AFailedGetCountsHeadersOnly) {
  Machine machine("2x1x1");
  machine.nic(2).answer = ResponseStatus::permission;
  machine.get(0, 2, 128);
  machine.run();
  EXPECT_EQ(machine.injected(0), (gemini::LinkCounters{{16, 0}, {2, 0}}));
  EXPECT_EQ(machine.injected(1), (gemini::LinkCounters{{0, 10}, {0, 2}}));
}

TEST(Errors, ANodeWithoutNicAnswersAfterTheNormalTravelTime) {
  Machine machine("4x1x1");
  auto put = machine.make(TransactionKind::put, 0, 2, 8);
  const Bytes bytes = random_bytes(8, 1);
  machine.network().submit(put, ugni::Payload(std::span(bytes)));
  machine.run();
  ASSERT_EQ(machine.nic(0).responses.size(), 1U);
  EXPECT_EQ(machine.nic(0).responses[0].status, ResponseStatus::no_such_domain);
  EXPECT_EQ(machine.nic(0).responses[0].at.ps(), 2 * (559000 + 105000) + (13 + 3) * 320);
}

TEST(Errors, ATargetOutsideTheTorusAnswersWithoutLeavingTheNic) {
  Machine machine("2x2x2");
  for (const Nid target : {16U, 0xffffffffU}) {
    machine.network().submit(machine.make(TransactionKind::cq_write, 0, target, 0), {});
  }
  machine.run();
  ASSERT_EQ(machine.nic(0).responses.size(), 2U);
  for (const Call& call : machine.nic(0).responses) {
    EXPECT_EQ(call.status, ResponseStatus::no_such_domain);
  }
  EXPECT_TRUE(machine.nic(0).requests.empty());
  EXPECT_EQ(machine.injected(0), gemini::LinkCounters{});
}

TEST(Errors, StatusDoesNotStickToReusedSegments) {
  Machine machine("2x2x2");
  machine.nic(3).answer = ResponseStatus::permission;
  machine.put(0, 3, 100);
  machine.run();
  machine.nic(3).answer = ResponseStatus::ok;
  machine.put(0, 3, 100);
  machine.run();
  EXPECT_EQ(machine.nic(0).responses.back().status, ResponseStatus::ok);
}

TEST(Errors, AttachRefusesWhatDoesNotFit) {
  Machine machine("2x2x2");
  RecordingNic nic(machine.queue());
  gemini::Network& network = machine.network();
  EXPECT_THROW(network.attach(16, nic, machine.domain(0)), std::invalid_argument);
  EXPECT_THROW(network.attach(2, nic, machine.domain(0)), std::invalid_argument);
  network.attach(2, nic, machine.domain(1));
  EXPECT_THROW(network.attach(2, nic, machine.domain(1)), std::invalid_argument);
}

TEST(Errors, SubmitRefusesWhatDoesNotFit) {
  Machine machine("2x2x2");
  gemini::Network& network = machine.network();
  ugni::Transaction put;
  put.source = 4;  // no NIC
  EXPECT_THROW(network.submit(put, {}), std::invalid_argument);
  put.source = 99;
  EXPECT_THROW(network.submit(put, {}), std::invalid_argument);
  put = machine.make(TransactionKind::put, 0, 1, 10);
  EXPECT_THROW(network.submit(put, ugni::Payload(11)), std::invalid_argument);
  put.length = std::uint64_t{1} << 32;
  EXPECT_THROW(network.submit(put, {}), std::invalid_argument);
  machine.run();
  EXPECT_TRUE(machine.nic(0).responses.empty());
}

}  // namespace
}  // namespace gemini_test
