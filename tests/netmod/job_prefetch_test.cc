// What is prefetched ahead of a turn: chains lead from what arrives to the memory
// that the rank who waits for it will touch, and end before the turn begins.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "corespec/events/prefetch_lines.h"
#include "corespec/threads/current_thread.h"
#include "corespec/virtual/turn_prefetch.h"
#include "corespec/virtual/turns.h"
#include "corespec/virtual/virtual_domain.h"
#include "tests/netmod/job_support.h"
#include "tests/support/test_clock.h"

namespace castor_test {
namespace {

using corespec::line_bytes;

/// A list that remembers.
class Named final : private corespec::LineRoom<4096>, public corespec::LineRequests {
 public:
  Named() : LineRequests(lines.data(), lines.size()) { lines.fill(nullptr); }
  bool holds(const void* at) const {
    return std::any_of(lines.begin(), lines.end(), [at](const void* line) {
      return reinterpret_cast<std::uintptr_t>(line) / line_bytes ==
             reinterpret_cast<std::uintptr_t>(at) / line_bytes;
    });
  }
};

/// What a third rank sees of a waiting one's domain while a message is on its way to it.
struct Seen {
  unsigned most_steps = 0;
  bool buffer = false;  ///< where the message goes was named
};

constexpr int onlooker = 16;  ///< in another domain than rank 0 and `from`

/// Rank `from` sends to rank 0.
Seen watch(int from, int ranks_per_node, int bytes) {
  Seen seen;
  corespec::VirtualDomain* domain = nullptr;
  std::vector<std::byte> received(static_cast<std::size_t>(bytes));
  const auto look = [&] {
    corespec::TurnPrefetch progress;
    Named named;
    unsigned steps = 0;
    for (; progress.chains != 0 && steps < 100; ++steps) {
      corespec::prefetch_turn(*domain, corespec::Time::nanoseconds(500), progress, named);
    }
    seen.most_steps = std::max(seen.most_steps, steps);
    seen.buffer = seen.buffer || named.holds(received.data());
  };
  const std::vector<std::byte> sent(received.size(), std::byte{7});
  run_mpi(small_job(24, ranks_per_node), [&](int rank) {
    if (rank == 0) {
      domain = static_cast<corespec::VirtualDomain*>(&corespec::this_thread().node().domain());
    }
    // The second message finds connections and cells that the first has made.
    for (int message = 0; message < 2; ++message) {
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 0) {
        MPI_Recv(received.data(), bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (rank == from) {
        compute_us(30);
        MPI_Send(sent.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      } else if (rank == onlooker) {
        // By then rank 0 waits, and has no event but what comes.
        compute_us(20);
        seen = {};
        for (int i = 0; i < 400; ++i) {
          compute(corespec::Time::nanoseconds(50));
          clock_now();
          look();
        }
      }
    }
  });
  EXPECT_EQ(received, sent);
  return seen;
}

/// The same, between nodes or within one, by mailbox and by buffer.
void expect_all_named(int from, int ranks_per_node) {
  for (const int bytes : {64, 1024, 4000}) {
    SCOPED_TRACE(bytes);
    const Seen seen = watch(from, ranks_per_node, bytes);
    EXPECT_TRUE(seen.buffer);
    EXPECT_LE(seen.most_steps, corespec::Turns::events_ahead);
  }
}

TEST(NamedMemory, OfAMessageBetweenNodesLeadsToWhereItGoes) {
  if (live_clock()) GTEST_SKIP() << "nothing is prefetched live";
  expect_all_named(8, 1);
}

TEST(NamedMemory, OfAMessageWithinANodeLeadsToWhereItGoes) {
  if (live_clock()) GTEST_SKIP() << "nothing is prefetched live";
  expect_all_named(1, 2);
}

}  // namespace
}  // namespace castor_test
