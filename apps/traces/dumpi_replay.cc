// Replays a DUMPI trace: each rank makes its recorded calls again.
//   aprun -n RANKS dumpi_replay [options] TRACE     (PREFIX.meta; PREFIX-NNNN.bin are beside it)
//   aprun -n RANKS dumpi_replay --ti-gflops G [options] TRACE      (SimGrid's, ti_trace.h)
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "apps/traces/dumpi/trace_file.h"
#include "apps/traces/dumpi/trace_text.h"
#include "apps/traces/replay/matching.h"
#include "apps/traces/replay/messages.h"
#include "apps/traces/replay/replayer.h"
#include "apps/traces/ti/ti_trace.h"
#include "benchmarks/common/program.h"
#include "corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

namespace {

const char* const name = "dumpi_replay";
const char* const purpose =
    "Replays a DUMPI trace: each rank makes its recorded calls again, on memory without data. "
    "Use:\n"
    "  aprun -n RANKS dumpi_replay [options] TRACE.meta\n"
    "  aprun -n RANKS dumpi_replay --ti-gflops G [options] TRACE";

constexpr double us = 1e6;

/// How the clocks of a trace's ranks are taken to differ.
enum class Clocks { messages, first_call, as_recorded };

struct Settings {
  int csv = 0, json = 0, help = 0, per = -1;
  int timing = static_cast<int>(replay::Timing::exact);
  int clocks = static_cast<int>(Clocks::messages);
  double skew_us = 0;
  double ti_gflops = -1;  // 10^9 flop/s; less than 0: the trace is DUMPI's
  std::string trace;
};

/// A call of one rank, as rank 0 gets it.
struct Row {
  double rank, label, trace_begin, trace_time, begin, time, shift;
};

/// What a rank has come to; of a job the sum.
struct Sum {
  double calls, late, left_out, trace_seconds, seconds;
};

std::vector<Row> gather_rows(std::vector<Row> rows) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr int doubles = sizeof(Row) / sizeof(double);
  const int own = static_cast<int>(rows.size()) * doubles;
  if (rank != 0) {
    MPI_Send(&own, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Send(rows.data(), own, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    return {};
  }
  for (int other = 1; other < ranks; ++other) {
    int count = 0;
    MPI_Recv(&count, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const std::size_t before = rows.size();
    rows.resize(before + static_cast<std::size_t>(count / doubles));
    MPI_Recv(rows.data() + before, count, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return rows;
}

void print_calls(const Settings& use, const std::vector<Row>& rows) {
  const column columns[] = {{"rank", "rank", 6, 0},
                            {"call", "call", 18, -1},
                            {"trace_start_us", "trace start", 14, 3},
                            {"trace_us", "us", 12, 3},
                            {"start_us", "replay start", 14, 3},
                            {"us", "us", 12, 3},
                            {"shift_us", "shift", 12, 3}};
  row_printer printer = {chosen_format(use.csv, use.json), 1, name, columns, 7, 0};
  print_rows_begin(&printer);
  for (const Row& row : rows) {
    const auto label = static_cast<dumpi::Label>(static_cast<int>(row.label));
    const std::string call(dumpi::layout_of(label).name());
    const cell cells[] = {{nullptr, row.rank},
                          {call.c_str(), 0},
                          {nullptr, row.trace_begin * us},
                          {nullptr, row.trace_time * us},
                          {nullptr, row.begin * us},
                          {nullptr, row.time * us},
                          {nullptr, row.shift * us}};
    print_row(&printer, cells);
  }
  print_rows_end(&printer);
}

void print_job(const Settings& use, int ranks, const Sum& sum, double shift, double end) {
  const column columns[] = {{"ranks", "ranks", 7, 0},
                            {"calls", "calls", 10, 0},
                            {"late", "late", 10, 0},
                            {"left_out", "left out", 10, 0},
                            {"trace_ms", "in calls: trace ms", 20, 3},
                            {"replay_ms", "replay ms", 14, 3},
                            {"shift_us", "largest shift us", 18, 3},
                            {"end_ms", "end ms", 12, 3}};
  const cell cells[] = {{nullptr, static_cast<double>(ranks)},
                        {nullptr, sum.calls},
                        {nullptr, sum.late},
                        {nullptr, sum.left_out},
                        {nullptr, sum.trace_seconds * 1e3},
                        {nullptr, sum.seconds * 1e3},
                        {nullptr, shift * us},
                        {nullptr, end * 1e3}};
  print_table(name, chosen_format(use.csv, use.json), columns, 8, cells, 1);
}

/// The same everywhere: whether all ranks can go on. The first one that cannot says why.
bool all_can(const std::string& fault) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int first = fault.empty() ? ranks : rank;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == rank) fmt::print(stderr, "{}: rank {}: {}\n", name, rank, fault);
  return first == ranks;
}

void check_ranks(const std::string& file, int ranks, int of_job) {
  if (ranks == of_job) return;
  throw std::runtime_error(fmt::format("{}: the trace has {} ranks, the job {} (aprun -n {})", file,
                                       ranks, of_job, ranks));
}

/// Null, and `fault` says why, if the rank's trace cannot be replayed by this job.
std::unique_ptr<dumpi::RankTrace> read_trace(const Settings& use, int rank, int ranks,
                                             std::string& fault) {
  try {
    if (use.ti_gflops >= 0) {
      const ti::Files files = ti::find_files(use.trace);
      check_ranks(use.trace, files.ranks, ranks);
      return std::make_unique<dumpi::RankTrace>(ti::read_rank(files, rank, use.ti_gflops * 1e9));
    }
    const dumpi::Meta meta = dumpi::read_meta(use.trace);
    dumpi::check_all_present(meta);
    check_ranks(meta.prefix + ".meta", meta.ranks, ranks);
    return std::make_unique<dumpi::RankTrace>(dumpi::read_rank(dumpi::rank_path(meta, rank)));
  } catch (const std::exception& error) {
    fault = error.what();
    return nullptr;
  }
}

/// A fixed spread over the ranks, so that a run repeats: 0 to 1.
double spread(int rank) {
  constexpr unsigned golden_ratio = 2654435761U;
  constexpr unsigned steps = 1000;
  return (static_cast<unsigned>(rank) * golden_ratio >> 8) % steps / (steps - 1.0);
}

/// All ranks call it together.
replay::TimeLine time_line(const Settings& use, std::int64_t first_call,
                           const replay::Clock& clock) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::int64_t offset = 0;
  if (static_cast<Clocks>(use.clocks) == Clocks::messages) offset = clock.offset_ns;
  std::int64_t begin = first_call - offset;
  // A rank without messages begins with the others.
  const bool is_alone = static_cast<Clocks>(use.clocks) == Clocks::messages && !clock.is_known;
  if (is_alone) begin = std::numeric_limits<std::int64_t>::max();
  MPI_Allreduce(MPI_IN_PLACE, &begin, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
  begin += offset;
  if (is_alone || static_cast<Clocks>(use.clocks) == Clocks::first_call) begin = first_call;
  return {begin, use.skew_us / us * spread(rank)};
}

int replay_trace(const Settings& use) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::string fault;
  const std::unique_ptr<dumpi::RankTrace> trace = read_trace(use, rank, ranks, fault);
  if (!all_can(fault)) return exit_failed;
  replay::RankMessages messages;
  try {
    messages = replay::messages_of(*trace);
  } catch (const std::exception& error) {
    fault = error.what();
  }
  if (!all_can(fault)) return exit_failed;

  const bool per_call = use.per == 1 || (use.per < 0 && (use.csv != 0 || use.json != 0));
  std::vector<Row> rows;
  Sum sum{};
  double shift = 0, end = 0;
  try {
    replay::Matching matching = replay::match(messages);
    const replay::TimeLine line = time_line(use, messages.begin, matching.clock);
    const auto left_out = static_cast<double>(matching.left_out.size());
    messages = {};
    replay::Replayer replayer(*trace, static_cast<replay::Timing>(use.timing), line,
                              std::move(matching));
    replayer.run([&](const replay::Timed& timed) {
      if (!per_call) return;
      rows.push_back({static_cast<double>(rank), static_cast<double>(timed.call.label),
                      timed.trace_begin, timed.trace_time, timed.begin, timed.time, timed.shift});
    });
    sum = {static_cast<double>(replayer.calls()), static_cast<double>(replayer.late()), left_out,
           replayer.trace_seconds_in_calls(), replayer.seconds_in_calls()};
    shift = replayer.shift();
    end = replayer.end();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: rank {}: {}\n", name, rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, exit_failed);
  }
  if (per_call) {
    rows = gather_rows(std::move(rows));
    if (rank == 0) print_calls(use, rows);
    return exit_ok;
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, sizeof sum / sizeof(double), MPI_DOUBLE, MPI_SUM,
                MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &shift, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) print_job(use, ranks, sum, shift, end);
  return exit_ok;
}

int run(int argc, char** argv) {
  Settings use;
  const option options[] = {
      {'\0', "exact", option_flag, &use.timing, static_cast<int>(replay::Timing::exact), nullptr,
       "calls begin when the trace says, or at once if that is over (default)"},
      {'\0', "time-shift", option_flag, &use.timing, static_cast<int>(replay::Timing::shift),
       nullptr, "what is late makes all later calls of its rank as much later"},
      {'\0', "gaps", option_flag, &use.timing, static_cast<int>(replay::Timing::gaps), nullptr,
       "calls begin as long after the last one's return as in the trace"},
      {'\0', "clocks", option_word, &use.clocks, 0, "messages|first-call|as-recorded",
       "how the clocks of the trace's ranks are set together (messages)"},
      {'\0', "skew-us", option_factor, &use.skew_us, 0, "F", "and up to so much apart again (0)"},
      {'\0', "ti-gflops", option_factor, &use.ti_gflops, 0, "G",
       "a time-independent trace of SimGrid, whose flops take 1/FLOPS s; has --gaps, and no "
       "clocks"},
      {'\0', "per", option_word, &use.per, 0, "job|call",
       "what a row is (call with --csv and --json, else job)"},
      FORMAT_OPTIONS(use),
      HELP_OPTION('h', use)};
  const int count = static_cast<int>(sizeof options / sizeof options[0]);
  // The trace's name is the one argument that is no option or option's value.
  std::vector<char*> others{argv[0]};
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool is_value = std::any_of(options, options + count, [&](const option& each) {
      return each.kind != option_flag && argv[i - 1] == std::string("--") + each.name;
    });
    if (!is_value && use.trace.empty() && !argument.empty() && argument[0] != '-') {
      use.trace = argument;
    } else {
      others.push_back(argv[i]);
    }
  }
  const int code = read_options(name, purpose, options, count, &use.help,
                                static_cast<int>(others.size()), others.data());
  if (code != exit_done) return code;
  if (use.trace.empty()) return refuse(name, "which trace? TRACE.meta is missing");
  if (use.ti_gflops >= 0) {
    // Its calls take no time of their own, and there is one clock.
    use.timing = static_cast<int>(replay::Timing::gaps);
    use.clocks = static_cast<int>(Clocks::as_recorded);
  }
  return replay_trace(use);
}

}  // namespace

int main(int argc, char** argv) { return run_program(run, argc, argv); }
