// The plot scripts: pictures from CSV files, one line for files that are something else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/benchmarks/run_command.h"

namespace benchmarks {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string plot = std::string(CASTOR_SOURCE_DIR) + "/benchmarks/plot/";

TEST(AvailabilityPlot, DrawsEachDesignBothSidesAndThePapersPoints) {
  const Outcome outcome = run_command(
      "set -e; cd $(mktemp -d); trap 'rm -rf \"$PWD\"' EXIT\n"
      "echo side,msgsize,iterations,iter_t,work_t,overhead,base_t,avail >a.csv\n"
      "for side in send recv; do for size in 1024 16384 1048576; do\n"
      "  echo $side,$size,100,1.0,0.5,0.5,1.0,50.0 >>a.csv\n"
      "done; done\n" +
      plot + "availability.sh o.svg a.csv a.csv a.csv; cat o.svg");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* text :
       {"no progression", "phase one", "phase two", "published", "sender: avail", "receiver: avail",
        "sender: overhead", "receiver: overhead", "mailbox", "DMA", "reads", "coop."}) {
    EXPECT_THAT(outcome.out, HasSubstr(text));
  }
  EXPECT_THAT(outcome.out, HasSubstr("</svg>"));
}

TEST(AvailabilityPlot, NamesOnlyProtocolsThatASizeTakes) {
  const std::string begin =
      "set -e; cd $(mktemp -d); trap 'rm -rf \"$PWD\"' EXIT\n"
      "echo side,msgsize,iterations,iter_t,work_t,overhead,base_t,avail >a.csv\n"
      "for side in send recv; do for size in 1024 16384; do\n"
      "  echo $side,$size,100,1.0,0.5,0.5,1.0,50.0 >>a.csv\n"
      "done; done\n" +
      plot + "availability.sh o.svg a.csv a.csv a.csv --protocols ";
  const Outcome outcome = run_command(begin + "1024,512,65536; cat o.svg");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Not(HasSubstr("DMA")));
  EXPECT_THAT(outcome.out, HasSubstr("reads"));
  const Outcome bad = run_command(begin + "8K,2,3");
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("--protocols 8K,2,3"));
}

TEST(AvailabilityPlot, RefusesOtherFiles) {
  const Outcome outcome = run_command(plot + "availability.sh /dev/null " + plot +
                                      "availability.sh nowhere.csv nowhere.csv");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
}

TEST(CurvesPlot, SelectsRowsAndRefusesUnknownColumns) {
  const std::string begin =
      "set -e; cd $(mktemp -d); trap 'rm -rf \"$PWD\"' EXIT\n"
      "printf 'engine,msgsize,latency\\nfma,8,1\\nfma,16,2\\nbte,8,3\\n' >a.csv\n";
  const Outcome good =
      run_command(begin + plot + "curves.sh o.svg latency a.csv:engine=fma@FMA >&2; cat o.svg");
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("FMA"));
  const Outcome bad = run_command(begin + plot + "curves.sh o.svg latency a.csv:motor=fma@FMA");
  EXPECT_EQ(bad.code, 2);
}

TEST(ArmciPlot, DrawsEveryWayAndTheThesis) {
  const Outcome outcome = run_command(
      "set -e; cd $(mktemp -d); trap 'rm -rf \"$PWD\"' EXIT\n"
      "for wait in polling blocked; do for place in shared reserved; do\n"
      "  printf 'h\\ntarget,NbPut,eager,8,1,1,1,1,1,100,90\\n' >target_${wait}_$place.csv\n"
      "done; done\n"
      "for way in eager rendezvous helper_get eager_get direct_put direct_get; do\n"
      "  printf 'h\\nPut,x,8,2,5,1.5,2,1,1\\nPut,x,512,2,5,1.6,2,1,1\\n' >latency_$way.csv\n"
      "done\n"
      "for name in get_2K put_2K put_10K; do\n"
      "  printf '16,2,3\\n256,50,55\\n' >transpose_$name.csv\n"
      "done\n"
      "printf '32,21,0\\n256,24,22\\n' >speed_up.csv\n"
      "gnuplot -e \"output_file='o.svg'; results='./'\" " +
      std::string(CASTOR_SOURCE_DIR) + "/benchmarks/armci/draw.gp >&2; cat o.svg");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");  // no file or column is missing
  for (const char* shown :
       {"polling, reserved CPU", "blocked, shared CPU", "put, rendezvous", "get, eager",
        "get, direct", "put, 10K, thesis", "graph 4-3", "</svg>"}) {
    EXPECT_THAT(outcome.out, HasSubstr(shown));
  }
}

/// Rows as compare.sh prints them with --csv, and where they are.
const std::string tables =
    "set -e; cd $(mktemp -d); trap 'rm -rf \"$PWD\"' EXIT\n"
    "cat >s.csv <<'END'\n"
    "row,quantity,published,ours,deviation,verdict,setup,command\n"
    "s3d_table,\"seconds per step, progression disabled, 14 threads\",4.77 s,4.6099 s,-3.4 "
    "%,PASS,,\n"
    "s3d_table,\"seconds per step, many interrupts, 16 threads\",,3.1234 s,,SHOWN,,\n"
    "s3d_table,profile of 16 threads: MPI_Waitall,23.7 %,33.0 %,+9.3 points,OUTSIDE,,\n"
    "END\n"
    "(cat s.csv; cat <<'END'\n"
    "milc_table,\"seconds of a run, phase one, -r 1, 8,192 ranks\",1072 s,1163.4 s,+8.5 %,PASS,,\n"
    "milc_table,\"seconds of a run, phase two, -r 1, 4,096 ranks\",3782 s,2323.2 s,-38.6 "
    "%,OUTSIDE,,\n"
    "milc_table,\"1,024 ranks with as much to do as 8,192, no progression\",,\"1177.5 s, "
    "waits\",,SHOWN,,\n"
    "END\n"
    ") >m.csv\n";

TEST(ApplicationsPlot, DrawsPublishedBesideOurs) {
  const Outcome outcome = run_command(tables + plot + "applications.sh o.svg m.csv >&2; cat o.svg");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* shown : {"published", "ours", "4.77", "4.61", "14 threads", "1072", "1163",
                            "3782", "2323", "phase two,", "</svg>"}) {
    EXPECT_THAT(outcome.out, HasSubstr(shown));
  }
  for (const char* left_out : {"3.12", "1177", "33.0", "MPI_Waitall"}) {
    EXPECT_THAT(outcome.out, Not(HasSubstr(left_out)));
  }
}

TEST(ApplicationsPlot, RefusesOtherFiles) {
  for (const char* files : {"s.csv", "nowhere.csv", "m.csv s.csv", ""}) {
    const Outcome outcome = run_command(tables + plot + "applications.sh o.svg " + files);
    EXPECT_EQ(outcome.code, 2) << files;
    EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
  }
}

/// Rows as compare.sh --row minighost_table --csv prints them; `mappings`: of these.
std::string minighost(const std::string& mappings) {
  return "set -e; cd $(mktemp -d); trap 'rm -rf \"$PWD\"' EXIT\n"
         "echo row,quantity,published,ours,deviation,verdict,setup,command >t.csv\n"
         "for mapping in " +
         mappings +
         "; do\n"
         "  for ranks in 1,024 131,072; do\n"
         "    echo \"minighost_table,\\\"$mapping, $ranks ranks: MB that a Gemini injects (mean, "
         "largest), ms\\\",,54.7 65.6 73.9 100.0,,SHOWN,here,aprun\" >>t.csv\n"
         "    echo \"minighost_table,\\\"No-Remap over $mapping, $ranks ranks: "
         "bytes\\\",,9.87,,SHOWN,"
         ",\" >>t.csv\n"
         "  done\n"
         "done\n" +
         plot + "minighost.sh o.svg t.csv >&2; cat o.svg";
}

TEST(MinighostPlot, DrawsEachMappingAndSize) {
  const Outcome outcome = run_command(minighost("No-Remap Remap Random"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");  // no file or column is missing
  for (const char* shown :
       {"No-Remap", "Remap", "Random", "1,024", "131,072", "Time of a step", "</svg>"}) {
    EXPECT_THAT(outcome.out, HasSubstr(shown));
  }
}

TEST(MinighostPlot, RefusesATableWithoutAMapping) {
  const Outcome outcome = run_command(minighost("No-Remap Remap"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("t.csv has no rows of Random"));
  EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
}

/// Rows as compare.sh --row ppt_fig6 --row ppt_fig7 --csv prints them; without those of `size`.
std::string interconnect(const std::string& size) {
  return "set -e; cd $(mktemp -d); trap 'rm -rf \"$PWD\"' EXIT\n"
         "{ echo row,quantity,published,ours,deviation,verdict,setup,command\n"
         "for costs in \"Castor's costs\" \"S2's costs\"; do\n"
         "  for run in \"$costs, message\" \"$costs, packet\"; do\n"
         "    echo \"ppt_fig6,\\\"histogram: nodes in bins of 0.25 us, the first around 1.375 us "
         "($run)\\\",,13 104 305,,SHOWN,here,aprun\"\n"
         "    for size in '8 B' '64 KB'; do for way in \"PPT's tree\" 'the library'; do\n"
         "      echo \"ppt_fig7,\\\"us of $size, $way, 2, 4 nodes ($run)\\\",,4.7 "
         "9.5,,SHOWN,here,\"\n"
         "    done; done\n"
         "  done\n"
         "done; } | grep -v 'us of " +
         size + ",' >t.csv\n" + plot + "ppt.sh o.svg t.csv >&2; cat o.svg";
}

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(PptPlot, DrawsEachSetOfCostsAndEachFidelity) {
  const Outcome outcome = run_command(interconnect("nothing"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");  // no file or column is missing
  for (const char* shown :
       {"<text>Castor's costs, message</text>", "<text>Castor's costs, packet</text>",
        "<text>S2's costs, message</text>", "<text>S2's costs, packet</text>"}) {
    EXPECT_EQ(count_of(outcome.out, shown), 3) << shown;  // once in each of three
  }
  EXPECT_THAT(outcome.out, Not(HasSubstr("library")));
}

TEST(PptPlot, RefusesATableWithoutASize) {
  const Outcome outcome = run_command(interconnect("64 KB"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("t.csv has no rows of ppt_fig7"));
  EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
}

}  // namespace
}  // namespace benchmarks
