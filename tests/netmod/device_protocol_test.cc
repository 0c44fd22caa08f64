// Which protocol carries a message, by size, limits, alignment and mode, and what it takes.
#include <tuple>

#include "tests/netmod/job_support.h"

namespace castor_test {
namespace {

/// What one message makes both sides do. Sender: e0, e1, rts, writes, send dones. Receiver: reads,
/// cts, receive dones.
struct Steps {
  std::uint64_t e0 = 0, e1 = 0, rts = 0, reads = 0, cts = 0, writes = 0, send_dones = 0,
                receive_dones = 0;
  bool operator==(const Steps&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Steps& s) {
  return out << "e0 " << s.e0 << " e1 " << s.e1 << " rts " << s.rts << " reads " << s.reads
             << " cts " << s.cts << " writes " << s.writes << " send_dones " << s.send_dones
             << " receive_dones " << s.receive_dones;
}

constexpr Steps e0{.e0 = 1};
constexpr Steps e1{.e1 = 1};
constexpr Steps r0{.rts = 1, .reads = 1, .receive_dones = 1};
/// In k chunks: k times CTS, write and send done; one receive done ends the sender's request.
constexpr Steps r1(std::uint64_t k) {
  return {.rts = 1, .cts = k, .writes = k, .send_dones = k, .receive_dones = 1};
}
/// A rendezvous without data: announced and acknowledged.
constexpr Steps empty_rendezvous{.rts = 1, .receive_dones = 1};

/// The steps of a job's messages from rank 0 to rank 1; each side must have done its own only.
Steps steps_of(const MpiOutcome& outcome) {
  const netmod::DeviceStatistics& sent = outcome.counts[0].device;
  const netmod::DeviceStatistics& received = outcome.counts[1].device;
  EXPECT_EQ(received.eager_mailbox + received.eager_buffered + received.rts_sent, 0u);
  EXPECT_EQ(received.writes + received.send_dones, 0u);
  EXPECT_EQ(sent.reads + sent.cts_sent + sent.receive_dones, 0u);
  return {sent.eager_mailbox, sent.eager_buffered, sent.rts_sent,   received.reads,
          received.cts_sent,  sent.writes,         sent.send_dones, received.receive_dones};
}

struct Case {
  std::size_t bytes;
  Steps expected;
};

void check(const launch::JobRequest& request, const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    const MpiOutcome outcome = run_mpi(request, [&](int rank) { one_message(rank, one.bytes); });
    EXPECT_EQ(steps_of(outcome), one.expected) << one.bytes << " bytes";
    // Without progress threads every transfer is one descriptor and no thread is woken.
    EXPECT_EQ(outcome.counts[0].device.data_descriptors, one.expected.writes);
    EXPECT_EQ(outcome.counts[1].device.data_descriptors, one.expected.reads);
    EXPECT_EQ(outcome.counts[0].device.cq_writes + outcome.counts[1].device.cq_writes, 0u);
  }
}

TEST(Protocol, ByDefaultSizesSelectE0E1R0R1) {
  // vshort 1,024: up to and including it in the mailbox. 8,192 and above is rendezvous; 524,288
  // and above a cooperative write in chunks of 524,288.
  check(small_job(2), {{0, e0},
                       {1, e0},
                       {1023, e0},
                       {1024, e0},
                       {1025, e1},
                       {8191, e1},
                       {8192, r0},
                       {8193, r0},
                       {524287, r0},
                       {524288, r1(1)},
                       {524289, r1(2)},
                       {1048576, r1(2)},
                       {1048577, r1(3)},
                       {4194304, r1(8)}});
}

TEST(Protocol, TheEagerLimitExcludesItsOwnSize) {
  check(with(small_job(2), "MPICH_GNI_MAX_EAGER_MSG_SIZE", "4096"),
        {{4095, e1}, {4096, r0}, {4097, r0}});
  check(with(small_job(2), "MPICH_GNI_MAX_EAGER_MSG_SIZE", "131072"), {{131071, e1}, {131072, r0}});
}

TEST(Protocol, AnEagerLimitBelowTheMailboxesWins) {
  check(with(small_job(2), "MPICH_GNI_MAX_EAGER_MSG_SIZE", "512"),
        {{511, e0}, {512, r0}, {513, r0}, {1024, r0}});
  check(with(small_job(2), "MPICH_GNI_MAX_EAGER_MSG_SIZE", "0"), {{0, empty_rendezvous}, {4, r0}});
}

TEST(Protocol, TheMailboxLimitIncludesItsOwnSize) {
  check(with(small_job(2), "MPICH_GNI_MAX_VSHORT_MSG_SIZE", "256"),
        {{255, e0}, {256, e0}, {257, e1}});
  check(with(small_job(2), "MPICH_GNI_MAX_VSHORT_MSG_SIZE", "8192"), {{8191, e0}, {8192, r0}});
}

TEST(Protocol, TheReadLimitIsAlsoTheChunk) {
  check(with(small_job(2), "MPICH_GNI_NDREG_MAXSIZE", "65536"),
        {{65535, r0}, {65536, r1(1)}, {65537, r1(2)}, {196608, r1(3)}, {196609, r1(4)}});
}

TEST(Protocol, ChunksUnderWayAtOnceDoNotChangeTheirNumber) {
  for (const char* at_once : {"1", "2", "3", "64"}) {
    launch::JobRequest request = with(small_job(2), "MPICH_GNI_NDREG_MAXSIZE", "16384");
    check(with(request, "CASTOR_LMT_CHUNKS", at_once), {{163840, r1(10)}, {163841, r1(11)}});
  }
}

TEST(Protocol, BuffersThatAreNotWordAlignedAreWrittenNotRead) {
  // A GET needs addresses that are multiples of 4 on both sides (uGNI); a PUT does not.
  for (std::size_t send_offset = 0; send_offset < 5; ++send_offset) {
    for (std::size_t receive_offset = 0; receive_offset < 5; ++receive_offset) {
      const MpiOutcome outcome = run_mpi(
          small_job(2), [&](int rank) { one_message(rank, 20000, send_offset, receive_offset); });
      const bool aligned = send_offset % 4 == 0 && receive_offset % 4 == 0;
      EXPECT_EQ(steps_of(outcome), aligned ? r0 : r1(1)) << send_offset << " " << receive_offset;
    }
  }
}

TEST(Protocol, BytesThatFillNoWordTravelWithTheAnnouncement) {
  for (std::size_t bytes = 8192; bytes < 8200; ++bytes) {
    const MpiOutcome outcome = run_mpi(small_job(2), [&](int rank) { one_message(rank, bytes); });
    EXPECT_EQ(steps_of(outcome), r0) << bytes;
  }
}

TEST(Protocol, SynchronousSendsAreRendezvousAtEverySize) {
  const auto ssend = [](std::size_t bytes) {
    return steps_of(run_mpi(small_job(2), [&](int rank) { one_message(rank, bytes, 0, 0, true); }));
  };
  EXPECT_EQ(ssend(0), empty_rendezvous);
  // Less than a word: it is all in the announcement, nothing is read.
  EXPECT_EQ(ssend(3), empty_rendezvous);
  EXPECT_EQ(ssend(4), r0);
  EXPECT_EQ(ssend(100), r0);
  EXPECT_EQ(ssend(1025), r0);
  EXPECT_EQ(ssend(600000), r1(2));
}

TEST(Protocol, ASynchronousSendEndsWithItsReceive) {
  for (std::size_t bytes : {std::size_t{0}, std::size_t{64}, std::size_t{20000}}) {
    for (int per_node : {1, 2}) {
      corespec::Time sent;
      run_mpi(small_job(2, per_node), [&](int rank) {
        if (rank == 1) compute_us(500);
        one_message(rank, bytes, 0, 0, true);
        if (rank == 0) sent = clock_now();
      });
      EXPECT_GT(sent, corespec::Time::microseconds(500)) << bytes << " " << per_node;
    }
  }
}

TEST(Protocol, StandardEagerSendsEndWithoutAReceive) {
  for (std::size_t bytes : {std::size_t{0}, std::size_t{1024}, std::size_t{8191}}) {
    for (int per_node : {1, 2}) {
      corespec::Time sent;
      run_mpi(small_job(2, per_node), [&](int rank) {
        if (rank == 1) compute_us(500);
        one_message(rank, bytes);
        if (rank == 0) sent = clock_now();
      });
      EXPECT_LT(sent, corespec::Time::microseconds(200)) << bytes << " " << per_node;
    }
  }
}

/// FMA and BTE descriptors that a message of `bytes` takes at the rank that moves its data.
std::pair<std::uint64_t, std::uint64_t> engines(std::size_t bytes, const char* threshold,
                                                std::size_t offset = 0) {
  const auto request = with(small_job(2), "MPICH_GNI_RDMA_THRESHOLD", threshold);
  const MpiOutcome outcome =
      run_mpi(request, [&](int rank) { one_message(rank, bytes, offset, 0); });
  const doors::NicStatistics& sender = outcome.counts[0].nic;
  const doors::NicStatistics& receiver = outcome.counts[1].nic;
  return {sender.fma_descriptors + receiver.fma_descriptors,
          sender.bte_descriptors + receiver.bte_descriptors};
}

TEST(Protocol, TheRdmaThresholdIncludesItsOwnSize) {
  const std::pair<std::uint64_t, std::uint64_t> neither{0, 0}, fma{1, 0}, bte{0, 1};
  // E0 needs no descriptor. Of E1 the message's own bytes count, not its header's.
  EXPECT_EQ(engines(1024, "1024"), neither);
  EXPECT_EQ(engines(1025, "1024"), bte);
  EXPECT_EQ(engines(4096, "4096"), fma);
  EXPECT_EQ(engines(4097, "4096"), bte);
  // R0 reads whole words: 16,387 bytes are a GET of 16,384.
  EXPECT_EQ(engines(16384, "16384"), fma);
  EXPECT_EQ(engines(16387, "16384"), fma);
  EXPECT_EQ(engines(16388, "16384"), bte);
  EXPECT_EQ(engines(8192, "0"), bte);
  // R1 (source not word-aligned) writes to the byte.
  EXPECT_EQ(engines(16384, "16384", 1), fma);
  EXPECT_EQ(engines(16385, "16384", 1), bte);
}

TEST(Protocol, MessagesWithinANodeNeedNoNic) {
  for (std::size_t bytes : {std::size_t{0}, std::size_t{1024}, std::size_t{8191}, std::size_t{8192},
                            std::size_t{1} << 20}) {
    const MpiOutcome outcome =
        run_mpi(small_job(2, 2), [&](int rank) { one_message(rank, bytes); });
    EXPECT_EQ(outcome.counts[0].device.intra_node, 1u) << bytes;
    EXPECT_EQ(steps_of(outcome), Steps{}) << bytes;
    for (const Counts& counts : outcome.counts) {
      EXPECT_EQ(counts.nic.fma_descriptors + counts.nic.bte_descriptors + counts.nic.messages, 0u);
    }
  }
}

}  // namespace
}  // namespace castor_test
