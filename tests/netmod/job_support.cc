// Runs MPI jobs on modelled nodes; collects what their devices counted and reported.
#include "tests/netmod/job_support.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <sstream>

#include "corespec/threads/thread.h"
#include "netmod/device/progress/device_impl.h"
#include "netmod/mpi/calls/rank_state.h"
#include "tests/support/live_job.h"

namespace castor_test {
namespace {

constexpr std::byte guard{0xA7};
constexpr std::size_t guard_bytes = 64;
constexpr std::string_view report_prefix = "MPICH progress stats rank ";

/// One 64-bit word of the stream of `seed` (splitmix64).
std::uint64_t word(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15ULL + (index + 1) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// "MPICH progress stats rank 3: interrupts 4 threads_woken 2 ..."
void read_report(const std::string& line, std::vector<std::map<std::string, double>>& report) {
  std::istringstream in(line.substr(report_prefix.size()));
  std::size_t rank = 0;
  char colon = 0;
  in >> rank >> colon;
  if (colon != ':' || rank >= report.size()) return;
  std::string name;
  double value = 0;
  while (in >> name >> value) report[rank][name] = value;
}

}  // namespace

Counts counts_now() {
  auto& device = static_cast<netmod::DeviceImpl&>(netmod::this_rank_or_null()->device());
  return {device.statistics(), doors::statistics(device.nic())};
}

void PrintTo(const Messages& messages, std::ostream* out) {
  *out << messages.between << " between nodes, " << messages.within << " within";
}

Messages messages_of(const std::function<void()>& call) {
  const netmod::DeviceStatistics before = counts_now().device;
  call();
  const netmod::DeviceStatistics after = counts_now().device;
  const std::uint64_t own[] = {after.eager_mailbox + after.eager_buffered + after.rts_sent -
                                   before.eager_mailbox - before.eager_buffered - before.rts_sent,
                               after.intra_node - before.intra_node};
  std::uint64_t all[2];
  MPI_Allreduce(own, all, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return {all[0], all[1]};
}

namespace {

void read_reports(MpiOutcome& outcome) {
  std::istringstream lines(outcome.errors);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(report_prefix, 0) == 0) read_report(line, outcome.report);
  }
}

/// The same body on processes. What they count stays theirs; their reports do not.
void run_mpi_live(const launch::JobRequest& request, const std::function<void(int rank)>& body,
                  int level, MpiOutcome& outcome) {
  LiveOutcome live = run_live(request, [&] {
    int provided = -1;
    int rank = -1;
    MPI_Init_thread(nullptr, nullptr, level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    body(rank);
    MPI_Finalize();
  });
  outcome.errors = std::move(live.output);
  outcome.job.end.status = live.status;
  outcome.job.end.aborted = live.status != 0;
  outcome.job.end.ended = live.is_rank || live.status == 0 ? request.ranks : 0;
  read_reports(outcome);
}

}  // namespace

MpiOutcome run_mpi_unchecked(const launch::JobRequest& request,
                             const std::function<void(int rank)>& body, int level) {
  MpiOutcome outcome;
  outcome.counts.resize(static_cast<std::size_t>(request.ranks));
  outcome.report.resize(static_cast<std::size_t>(request.ranks));
  if (live_clock()) {
    run_mpi_live(request, body, level, outcome);
    return outcome;
  }
  testing::internal::CaptureStderr();
  launch::VirtualRun run(on_test_wire(request));
  run.start([&](corespec::Process& process) {
    int provided = -1;
    MPI_Init_thread(nullptr, nullptr, level, &provided);
    body(process.rank());
    outcome.counts[static_cast<std::size_t>(process.rank())] = counts_now();
    MPI_Finalize();
    return 0;
  });
  outcome.job.machine = run.run();
  outcome.job.end = run.job().end();
  outcome.errors = testing::internal::GetCapturedStderr();
  read_reports(outcome);
  return outcome;
}

MpiOutcome run_mpi(const launch::JobRequest& request, const std::function<void(int rank)>& body,
                   int level) {
  MpiOutcome outcome = run_mpi_unchecked(request, body, level);
  for (const std::string& line : outcome.job.machine.stuck) ADD_FAILURE() << "deadlock: " << line;
  EXPECT_FALSE(outcome.job.end.aborted) << outcome.errors;
  EXPECT_EQ(outcome.job.end.ended, request.ranks) << outcome.errors;
  return outcome;
}

const char* name_of(Design design) {
  switch (design) {
    case Design::none:
      return "none";
    case Design::phase_one:
      return "phase one";
    case Design::phase_two:
      return "phase two";
    case Design::active:
      return "active";
  }
  return "?";
}

launch::JobRequest with_design(launch::JobRequest request, Design design) {
  request = with(std::move(request), "MPICH_GNI_ASYNC_PROGRESS_STATS", "1");
  if (design == Design::none) return request;
  request = with(std::move(request), "MPICH_MAX_THREAD_SAFETY", "multiple");
  switch (design) {
    case Design::phase_one:
      return with(std::move(request), "MPICH_NEMESIS_ASYNC_PROGRESS", "SC");
    case Design::phase_two:
      return with(std::move(request), "MPICH_NEMESIS_ASYNC_PROGRESS", "MC");
    default:
      return with(std::move(request), "MPICH_ASYNC_PROGRESS", "1");
  }
}

void fill(std::byte* data, std::size_t bytes, std::uint64_t seed) {
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    const std::uint64_t drawn = word(seed, at / sizeof drawn);
    std::memcpy(data + at, &drawn, std::min(sizeof drawn, bytes - at));
  }
}

std::size_t first_wrong(const std::byte* data, std::size_t bytes, std::uint64_t seed) {
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    const std::uint64_t drawn = word(seed, at / sizeof drawn);
    std::byte expected[sizeof drawn];
    std::memcpy(expected, &drawn, sizeof drawn);
    const std::size_t here = std::min(sizeof drawn, bytes - at);
    if (std::memcmp(data + at, expected, here) == 0) continue;
    return static_cast<std::size_t>(std::mismatch(data + at, data + at + here, expected).first -
                                    data);
  }
  return bytes;
}

Buffer::Buffer(std::size_t bytes, std::size_t offset)
    : storage_(bytes + offset + 3 * guard_bytes, guard), bytes_(bytes) {
  const std::size_t misfit = reinterpret_cast<std::uintptr_t>(storage_.data()) % guard_bytes;
  data_ = storage_.data() + (2 * guard_bytes - misfit) + offset;
}

bool Buffer::untouched_from(std::size_t bytes) const {
  const auto is_guard = [](std::byte b) { return b == guard; };
  const std::byte* begin = storage_.data();
  return std::all_of(begin, static_cast<const std::byte*>(data_), is_guard) &&
         std::all_of(static_cast<const std::byte*>(data_) + bytes, begin + storage_.size(),
                     is_guard);
}

std::vector<std::int64_t> gathered(std::int64_t own) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<std::int64_t> all(static_cast<std::size_t>(size));
  MPI_Allgather(&own, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
  return all;
}

corespec::Time clock_now() { return corespec::this_thread().now(); }

void compute(corespec::Time duration) {
  corespec::charge(duration);
  if (!live_clock()) return;
  for (const corespec::Time end = clock_now() + duration; clock_now() < end;) {
  }
}

void one_message(int rank, std::size_t bytes, std::size_t send_offset, std::size_t receive_offset,
                 bool synchronous) {
  constexpr int tag = 5;
  constexpr std::uint64_t seed = 77;
  if (rank == 0) {
    Buffer buffer(bytes, send_offset);
    buffer.fill(seed);
    (synchronous ? MPI_Ssend : MPI_Send)(buffer.data(), static_cast<int>(bytes), MPI_BYTE, 1, tag,
                                         MPI_COMM_WORLD);
  } else if (rank == 1) {
    Buffer buffer(bytes, receive_offset);
    MPI_Status status;
    MPI_Recv(buffer.data(), static_cast<int>(bytes), MPI_BYTE, 0, tag, MPI_COMM_WORLD, &status);
    int count = -1;
    MPI_Get_count(&status, MPI_BYTE, &count);
    EXPECT_EQ(count, static_cast<int>(bytes));
    EXPECT_EQ(status.MPI_SOURCE, 0);
    EXPECT_EQ(status.MPI_TAG, tag);
    EXPECT_EQ(first_wrong(buffer.data(), bytes, seed), bytes);
    EXPECT_TRUE(buffer.guards_intact());
  }
}

}  // namespace castor_test
