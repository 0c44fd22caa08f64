// Phits and packets of every kind of transaction, as published and by hand.
#include "ugni_emu/gemini/format/phits.h"

#include <gtest/gtest.h>

namespace gemini {
namespace {

using ugni::TransactionKind;

const PacketFormat format{corespec::Parameters{}};

TEST(Phits, FullPacketsAsPublished) {
  EXPECT_EQ(format.request(TransactionKind::put, 64), (Weight{1, 32, 64}));
  EXPECT_EQ(format.response(TransactionKind::put, 64, true), (Weight{1, 3, 0}));
  EXPECT_EQ(format.request(TransactionKind::get, 64), (Weight{1, 8, 0}));
  EXPECT_EQ(format.response(TransactionKind::get, 64, true), (Weight{1, 27, 64}));
}

TEST(Phits, OneMegabytePut) {  // S0
  EXPECT_EQ(format.request(TransactionKind::put, 1 << 20), (Weight{16384, 524288, 1 << 20}));
  EXPECT_EQ(format.response(TransactionKind::put, 1 << 20, true), (Weight{16384, 49152, 0}));
}

TEST(Phits, TheLastPacketCountsByItsRealPayload) {
  EXPECT_EQ(format.request(TransactionKind::put, 1), (Weight{1, 11, 1}));
  EXPECT_EQ(format.request(TransactionKind::put, 3), (Weight{1, 11, 3}));
  EXPECT_EQ(format.request(TransactionKind::put, 4), (Weight{1, 12, 4}));
  EXPECT_EQ(format.request(TransactionKind::put, 63), (Weight{1, 31, 63}));
  EXPECT_EQ(format.request(TransactionKind::put, 65), (Weight{2, 32 + 11, 65}));
  EXPECT_EQ(format.response(TransactionKind::put, 65, true), (Weight{2, 6, 0}));
  EXPECT_EQ(format.request(TransactionKind::get, 65), (Weight{2, 16, 0}));
  EXPECT_EQ(format.response(TransactionKind::get, 65, true), (Weight{2, 27 + 6, 65}));
  EXPECT_EQ(format.request(TransactionKind::message, 100), (Weight{2, 32 + 22, 100}));
}

TEST(Phits, KindsWithoutDataAreOnePacket) {
  for (const TransactionKind kind : {TransactionKind::cq_write, TransactionKind::credit}) {
    EXPECT_EQ(format.request(kind, 0), (Weight{1, 13, 8}));
    EXPECT_EQ(format.response(kind, 0, true), (Weight{1, 3, 0}));
  }
  EXPECT_EQ(format.request(TransactionKind::atomic, 8), (Weight{1, 16, 16}));
  EXPECT_EQ(format.response(TransactionKind::atomic, 8, true), (Weight{1, 8, 8}));
  EXPECT_EQ(format.request(TransactionKind::collective, 0), (Weight{1, 18, 24}));
  EXPECT_EQ(format.response(TransactionKind::collective, 0, true), (Weight{1, 3, 0}));
  EXPECT_EQ(format.response(TransactionKind::collective, 0, false), (Weight{1, 3, 0}));
  EXPECT_EQ(format.request(TransactionKind::datagram, 0), (Weight{1, 10, 0}));
  EXPECT_EQ(format.request(TransactionKind::put, 0), (Weight{1, 10, 0}));
  EXPECT_EQ(format.request(TransactionKind::get, 0), (Weight{1, 8, 0}));
}

TEST(Phits, FailedRequestsAreAnsweredByHeaders) {
  EXPECT_EQ(format.response(TransactionKind::get, 128, false), (Weight{2, 10, 0}));
  EXPECT_EQ(format.response(TransactionKind::atomic, 8, false), (Weight{1, 5, 0}));
  EXPECT_EQ(format.response(TransactionKind::put, 128, false), (Weight{2, 6, 0}));
}

TEST(Phits, TheFormatComesFromTheParameters) {
  corespec::Parameters parameters;
  parameters.phit_bytes = 4;
  parameters.packet_payload = 32;
  parameters.put_header_phits = 7;
  const PacketFormat other(parameters);
  EXPECT_EQ(other.request(TransactionKind::put, 33), (Weight{2, 7 + 8 + 7 + 1, 33}));
}

}  // namespace
}  // namespace gemini
