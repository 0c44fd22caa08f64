// The doors into uGNI change nothing: by the public calls that they stand for, a job with every
// protocol has the same times, events and fingerprint.
#include <cstring>
#include <memory>
#include <tuple>
#include <utility>

#include "corespec/events/observer.h"
#include "netmod/mpi/environment/rank_tables.h"
#include "tests/netmod/job_support.h"

namespace castor_test {
namespace {

using netmod::GniCalls;

constexpr int ranks = 6;
constexpr int rounds = 3;
constexpr std::size_t window_bytes = 20000;

/// In the mailbox; through DMA buffers by FMA (with the settings below) and by the BTE; read;
/// written in chunks.
constexpr std::size_t sizes[] = {0, 8, 200, 300, 1000, 1500, 8191, 20000, 50001, 600000};
constexpr std::size_t largest = 600000;

/// Of the ranks, the same in all of a test's jobs: where it lies moves times, as on the real
/// machine.
struct Memory {
  struct OfRank {
    std::vector<std::byte> out = std::vector<std::byte>(largest);
    std::vector<std::byte> in = std::vector<std::byte>(rounds * largest);
    std::vector<std::byte> window = std::vector<std::byte>(window_bytes);
  };
  std::vector<OfRank> of = std::vector<OfRank>(ranks);
};

/// All that happens, but for the numbers of posts, and the calls that transfers are made of.
class Happened final : public corespec::Observer {
 public:
  using Fact = std::tuple<corespec::Occurrence::Kind, std::uint32_t, std::uint32_t, std::int32_t,
                          std::int64_t, std::int64_t, std::uint32_t, std::uint32_t, std::uint64_t>;
  void observe(const corespec::Occurrence& each) override {
    if (each.kind == corespec::Occurrence::Kind::call_begun ||
        each.kind == corespec::Occurrence::Kind::call_ended) {
      return;
    }
    facts.emplace_back(each.kind, each.place, each.part, each.rank, each.begin.ps(), each.end.ps(),
                       each.source, each.target, each.bytes);
  }
  std::vector<Fact> facts;
};

/// What a rank has posted: messages, descriptors for FMA and the BTE, CQ writes, credits.
using Posts = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;

struct Outcome {
  std::uint64_t fingerprint = 0, events = 0;
  std::int64_t time = 0;
  std::vector<Happened::Fact> happened;
  std::vector<Posts> posts = std::vector<Posts>(ranks);
  std::vector<netmod::DeviceStatistics> devices = std::vector<netmod::DeviceStatistics>(ranks);
};

std::uint64_t seed_of(int rank, std::size_t bytes) {
  return static_cast<std::uint64_t>(rank) * 1000003 + bytes;
}

/// Several messages of each size at once to the next rank and to one farther away, some of which
/// come before their receives.
void send_all_sizes(int rank, Memory::OfRank& memory) {
  for (const std::size_t bytes : sizes) {
    for (const int step : {1, 4}) {
      const int next = (rank + step) % ranks;
      const int last = (rank + ranks - step) % ranks;
      const auto count = static_cast<int>(bytes);
      fill(memory.out.data(), bytes, seed_of(rank, bytes));
      std::vector<MPI_Request> requests(2 * rounds);
      for (int i = 0; i < rounds; ++i) {
        MPI_Isend(memory.out.data(), count, MPI_BYTE, next, i, MPI_COMM_WORLD, &requests[i]);
      }
      compute_us(rank % 2 == 0 ? 1 : 60);
      for (int i = 0; i < rounds; ++i) {
        MPI_Irecv(memory.in.data() + static_cast<std::size_t>(i) * largest, count, MPI_BYTE, last,
                  i, MPI_COMM_WORLD, &requests[rounds + i]);
      }
      compute_us(30);
      MPI_Waitall(2 * rounds, requests.data(), MPI_STATUSES_IGNORE);
      for (std::size_t i = 0; i < rounds; ++i) {
        EXPECT_EQ(first_wrong(memory.in.data() + i * largest, bytes, seed_of(last, bytes)), bytes)
            << bytes << " bytes from " << last << " to " << rank;
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
}

/// Messages of many sizes without a pause: landing rings wrap and mailboxes run out of credits.
void send_many(int rank, Memory::OfRank& memory) {
  constexpr int messages = 60;
  const auto bytes_of = [](int i) { return static_cast<std::size_t>(i) * 997 % 8000; };
  const int next = (rank + 2) % ranks;
  const int last = (rank + ranks - 2) % ranks;
  fill(memory.out.data(), 8000, seed_of(rank, 1));
  std::vector<MPI_Request> requests(messages);
  for (int i = 0; i < messages; ++i) {
    MPI_Isend(memory.out.data(), static_cast<int>(bytes_of(i)), MPI_BYTE, next, 0, MPI_COMM_WORLD,
              &requests[static_cast<std::size_t>(i)]);
  }
  for (int i = 0; i < messages; ++i) {
    MPI_Recv(memory.in.data(), 8000, MPI_BYTE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(first_wrong(memory.in.data(), bytes_of(i), seed_of(last, 1)), bytes_of(i));
  }
  MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
}

void use_window(int rank, Memory::OfRank& memory) {
  const int next = (rank + 1) % ranks;
  const int last = (rank + ranks - 1) % ranks;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(memory.window.data(), window_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  fill(memory.out.data(), 10000, seed_of(rank, 2));
  MPI_Win_fence(0, window);
  MPI_Put(memory.out.data(), 10000, MPI_BYTE, next, 0, 10000, MPI_BYTE, window);
  MPI_Win_fence(0, window);
  EXPECT_EQ(first_wrong(memory.window.data(), 10000, seed_of(last, 2)), 10000U);
  MPI_Get(memory.in.data(), 5000, MPI_BYTE, next, 0, 5000, MPI_BYTE, window);
  MPI_Win_fence(0, window);
  EXPECT_EQ(first_wrong(memory.in.data(), 5000, seed_of(rank, 2)), 5000U);
  const std::int64_t one = 1;
  std::int64_t before = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Fetch_and_op(&one, &before, MPI_INT64_T, 0, 16000, MPI_SUM, window);
  MPI_Win_unlock(0, window);
  MPI_Win_free(&window);
}

Outcome run(const launch::JobRequest& request, GniCalls calls, Memory& memory) {
  Outcome outcome;
  testing::internal::CaptureStderr();
  launch::VirtualRun run(request);
  Happened happened;
  run.machine().set_observer(&happened);
  run.start([&](corespec::Process& process) {
    // As MPI_Init_thread does, which has no way to ask for other calls.
    process.set_state(
        corespec::Process::Slot::mpi,
        std::make_unique<netmod::RankTables>(process, netmod::ThreadLevel::single, calls));
    process.begin_library(corespec::Process::Slot::mpi);
    const int rank = process.rank();
    Memory::OfRank& own = memory.of[static_cast<std::size_t>(rank)];
    std::memset(own.window.data(), 0, window_bytes);
    send_all_sizes(rank, own);
    send_many(rank, own);
    use_window(rank, own);
    const Counts counts = counts_now();
    outcome.devices[static_cast<std::size_t>(rank)] = counts.device;
    const doors::NicStatistics& nic = counts.nic;
    outcome.posts[static_cast<std::size_t>(rank)] = {
        nic.messages, nic.fma_descriptors, nic.bte_descriptors, nic.cq_writes, nic.credit_returns};
    MPI_Finalize();
    return 0;
  });
  const corespec::VirtualMachine::Result machine = run.run();
  const std::string errors = testing::internal::GetCapturedStderr();
  for (const std::string& line : machine.stuck) ADD_FAILURE() << "deadlock: " << line;
  EXPECT_EQ(run.job().end().ended, ranks) << errors;
  outcome.fingerprint = machine.fingerprint;
  outcome.events = machine.events;
  outcome.time = machine.time.ps();
  outcome.happened = std::move(happened.facts);
  return outcome;
}

/// How often a job has used E0, E1, R0, R1, and messages within a node.
std::vector<std::uint64_t> protocols_of(const Outcome& outcome) {
  netmod::DeviceStatistics all;
  for (const netmod::DeviceStatistics& one : outcome.devices) {
    all.eager_mailbox += one.eager_mailbox;
    all.eager_buffered += one.eager_buffered;
    all.reads += one.reads;
    all.writes += one.writes;
    all.intra_node += one.intra_node;
  }
  return {all.eager_mailbox, all.eager_buffered, all.reads, all.writes, all.intra_node};
}

void expect_all_protocols(const Outcome& outcome) {
  for (const std::uint64_t count : protocols_of(outcome)) EXPECT_GT(count, 0U);
}

launch::JobRequest request_for(Design design, const char* vshort) {
  launch::JobRequest request = with_design(small_job(ranks, 2), design);
  request.nids = {0, 1, 21};  // two nodes of a Gemini, and one far away
  request = with(std::move(request), "MPICH_GNI_MAX_VSHORT_MSG_SIZE", vshort);
  return with(std::move(request), "MPICH_GNI_NDREG_MAXSIZE", "262144");
}

TEST(Doors, ArePublicCallsToTheFingerprint) {
  Memory memory;
  for (const Design design : all_designs) {
    SCOPED_TRACE(name_of(design));
    const launch::JobRequest request = request_for(design, "1024");
    const Outcome doors = run(request, GniCalls::doors, memory);
    const Outcome by_public_calls = run(request, GniCalls::public_transfers, memory);
    EXPECT_EQ(by_public_calls.fingerprint, doors.fingerprint);
    EXPECT_EQ(by_public_calls.events, doors.events);
    EXPECT_EQ(by_public_calls.time, doors.time);
    EXPECT_EQ(by_public_calls.posts, doors.posts);
    expect_all_protocols(doors);
    expect_all_protocols(by_public_calls);
  }
}

/// E1 by FMA as well. A post of GNI_PostFma keeps its number until its event is taken, the door's
/// until it is answered: later posts have other numbers, which a fingerprint knows. All else that
/// happens is the same, at the same times.
TEST(Doors, ArePublicCallsToAllThatHappensWithE1ByFma) {
  Memory memory;
  for (const Design design : all_designs) {
    SCOPED_TRACE(name_of(design));
    const launch::JobRequest request = request_for(design, "256");
    const Outcome doors = run(request, GniCalls::doors, memory);
    const Outcome by_public_calls = run(request, GniCalls::public_transfers, memory);
    EXPECT_TRUE(by_public_calls.happened == doors.happened);
    EXPECT_EQ(by_public_calls.events, doors.events);
    EXPECT_EQ(by_public_calls.time, doors.time);
    EXPECT_EQ(by_public_calls.posts, doors.posts);
    EXPECT_GT(doors.happened.size(), 10000U);
    expect_all_protocols(doors);
  }
}

/// A door looks at the node's present time, the public call at its thread's own, and the door at
/// datagrams is not charged: times shift, what is sent does not.
TEST(Doors, LookingByPublicCallsSendsTheSame) {
  Memory memory;
  for (const Design design : all_designs) {
    SCOPED_TRACE(name_of(design));
    const launch::JobRequest request = request_for(design, "1024");
    const Outcome doors = run(request, GniCalls::doors, memory);
    const Outcome by_public_calls = run(request, GniCalls::public_looks_too, memory);
    EXPECT_EQ(protocols_of(by_public_calls), protocols_of(doors));
    EXPECT_NE(by_public_calls.events, doors.events);
    EXPECT_NEAR(static_cast<double>(by_public_calls.time), static_cast<double>(doors.time),
                0.05 * static_cast<double>(doors.time));
  }
}

}  // namespace
}  // namespace castor_test
