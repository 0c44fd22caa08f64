// LULESH's skeleton: its calls and bytes against formulas, by a trace of it; its time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apps/traces/dumpi/trace_file.h"
#include "tests/benchmarks/program_runs.h"
#include "tests/support/test_folder.h"

namespace benchmarks {
namespace {

using dumpi::Label;

constexpr const char* header = "ranks,size,sync,iterations,time,cycle,rate,ok";
enum Column { ranks, size, sync_time, iterations, seconds, cycle, rate, ok, columns };

std::vector<std::string> run(const std::string& options, const std::string& arguments) {
  const auto rows = rows_of(aprun(options, "lulesh --csv " + arguments), header);
  if (rows.size() != 1) return std::vector<std::string>(columns);
  EXPECT_EQ(rows[0][ok], "yes");
  return rows[0];
}

struct Sum {
  long calls = 0;
  long bytes = 0;
  bool operator==(const Sum&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Sum& sum) {
  return out << sum.calls << " calls, " << sum.bytes << " bytes";
}
/// By label and tag (0: none).
using Sums = std::map<std::pair<Label, int>, Sum>;

Sums sums_of(const std::string& prefix) {
  Sums sums;
  const dumpi::Meta meta = dumpi::read_meta(prefix);
  for (int rank = 0; rank < meta.ranks; ++rank) {
    const dumpi::RankTrace trace = dumpi::RankTrace::read(dumpi::rank_path(meta, rank));
    const std::vector<std::uint32_t>& sizes = trace.sections().type_sizes;
    for (const dumpi::Call& call : trace.calls()) {
      const dumpi::Layout& layout = dumpi::layout_of(call.label);
      Sum& sum = sums[{call.label, layout.place_of("tag") ? call.number("tag") : 0}];
      ++sum.calls;
      if (!layout.place_of("datatype")) continue;
      sum.bytes += static_cast<long>(call.number("count")) *
                   sizes.at(static_cast<std::size_t>(call.number("datatype")));
    }
  }
  return sums;
}

constexpr long cube(long x) { return x * x * x; }

/// `side` ranks and `points` elements along a side.
Sums expected(long side, long points, long cycles, bool syncs) {
  const long all = cube(side);
  // In each dimension a rank has a plane of the mesh in common with itself, and a line of it less
  // with each of two neighbours, where there are any.
  const long nodes = points + 1;
  const long node_messages = cube(3 * side - 2) - all;
  const long node_values = cube(side * nodes + 2 * (side - 1)) - cube(side * nodes);
  const long face_messages = 3 * side * side * 2 * (side - 1);
  const long face_values = face_messages * points * points;
  const Sum forces{(cycles + 1) * node_messages, 8 * (1 + 3 * cycles) * node_values};
  const Sum motion{cycles * node_messages / 2, 8 * 6 * cycles * node_values / 2};
  const Sum gradients{cycles * face_messages, 8 * 3 * cycles * face_values};
  Sums sums;
  long messages = 0;
  const auto both_ways = [&](int tag, const Sum& sum) {
    sums[{Label::Isend, tag}] = sums[{Label::Irecv, tag}] = sum;
    messages += sum.calls;
  };
  both_ways(1024, forces);
  if (syncs) both_ways(2048, motion);
  both_ways(3072, gradients);
  const long exchanges = 1 + cycles * (syncs ? 3 : 2);
  sums[{Label::Wait, 0}].calls = messages;
  sums[{Label::Waitall, 0}].calls = all * exchanges;
  sums[{Label::Comm_rank, 0}].calls = all * (2 + 3 * exchanges);
  sums[{Label::Allreduce, 0}] = {all * (cycles - 1), 8 * all * (cycles - 1)};
  sums[{Label::Reduce, 0}] = {all, 8 * all};
  sums[{Label::Wtime, 0}].calls = 2 * all;
  for (const Label label : {Label::Init, Label::Finalize, Label::Comm_size, Label::Barrier}) {
    sums[{label, 0}].calls = all;
  }
  return sums;
}

/// A run's trace.
Sums recorded(long side, const std::string& arguments) {
  const castor_test::TestFolder folder;
  const std::string prefix = folder / "trace";
  run("-n " + std::to_string(cube(side)) + " -N 8 -e LD_PRELOAD=" + RECORDER +
          " -e DUMPI_RECORD_PREFIX=" + prefix,
      arguments);
  return sums_of(prefix);
}

TEST(Lulesh, MakesTheCallsOfTheRealProgram) {
  EXPECT_EQ(recorded(2, "-s 10 -i 12"), expected(2, 10, 12, true));
  EXPECT_EQ(recorded(3, "-s 7 -i 3 --sync early"), expected(3, 7, 3, true));
  EXPECT_EQ(recorded(3, "-s 1 -i 2 --sync late"), expected(3, 1, 2, true));
  EXPECT_EQ(recorded(3, "-s 20 -i 4 --sync none"), expected(3, 20, 4, false));
}

// S2's section 7: what it counts in the run of its figure 11.
TEST(Lulesh, MakesTheCallsThatS2Counts) {
  Sums sums = recorded(4, "-s 2 -i 100 --sync none");
  const auto calls = [&](Label label) {
    return sums[{label, 0}].calls + sums[{label, 1024}].calls + sums[{label, 3072}].calls;
  };
  for (const Label label : {Label::Isend, Label::Irecv, Label::Wait}) {
    EXPECT_EQ(calls(label), 123'336);
  }
  EXPECT_EQ(calls(Label::Waitall), 12'864);
  EXPECT_EQ(calls(Label::Allreduce), 6'336);
  EXPECT_EQ(calls(Label::Barrier), 64);
  EXPECT_EQ(calls(Label::Reduce), 64);
}

TEST(Lulesh, ChecksItsDataInTheSameTime) {
  for (const std::string sync : {"early", "late", "none"}) {
    const std::string arguments = "-s 9 -i 3 --sync " + sync;
    EXPECT_EQ(run("-n 27 -N 4", arguments + " --data"), run("-n 27 -N 4", arguments));
  }
}

TEST(Lulesh, ComputesForEachElement) {
  const auto time = [](const std::string& arguments) {
    return number(run("-n 1", "-s 20 " + arguments)[seconds]);
  };
  constexpr double elements = 8000;
  EXPECT_NEAR(time("-i 5"), 5 * elements * 4400e-9, 2e-5);
  EXPECT_NEAR(time("-i 5 --force-ns 3000 --node-ns 1000 --kinematics-ns 100 --gradient-ns 200 "
                   "--material-ns 300 --constraint-ns 400"),
              5 * elements * 5000e-9, 2e-5);
  // The slowest of many has nearly all that there can be.
  const double even = number(run("-n 64 -N 16", "-s 20 -i 2")[seconds]);
  const double uneven = number(run("-n 64 -N 16", "-s 20 -i 2 --imbalance 0.5")[seconds]);
  EXPECT_GT(uneven, 1.4 * even);
  EXPECT_LT(uneven, 1.5 * even);
  EXPECT_GT(number(run("-n 64 -N 16", "-s 20 -i 2 --variation 0.5")[seconds]), 1.1 * even);
}

TEST(Lulesh, RefusesWhatItCannotDo) {
  expect_refusal(aprun("-n 12", "lulesh"), "lulesh: 12 ranks: must be a cube, like 8");
  expect_refusal(aprun("-n 1", "lulesh --size 1001"), "lulesh: --size: at most 1000");
  expect_refusal(aprun("-n 1", "lulesh --imbalance 1.5"),
                 "lulesh: --imbalance and --variation: at most 1");
  expect_refusal(aprun("-n 1", "lulesh --csv --json"), "lulesh: --csv or --json, not both");
}

}  // namespace
}  // namespace benchmarks
