// The manual pages, made from the tables of options and parameters.
#include "launch/pages/manual.h"

#include <fmt/format.h>

#include "corespec/config/parameters.h"
#include "launch/description/option_table.h"
#include "launch/grid_order/grid_options.h"
#include "launch/link_map/link_map_options.h"
#include "launch/pages/roff.h"
#include "launch/rtr/rtr_options.h"

namespace launch {
namespace {

void add_options(ManualPage& page, Launcher launcher) {
  for (const Option& option : options_of(launcher)) {
    page.tagged(names_of(option.names), option.values, option.help);
  }
}

void add_refused_options(ManualPage& page, Launcher launcher) {
  for (const RefusedOption& option : refused_options_of(launcher)) {
    page.tagged(names_of(option.names), "", option.reason);
  }
}

void add_exit_status(ManualPage& page) {
  page.heading("Exit status");
  page.paragraph("That of the first rank whose code is not 0. Else:");
  page.tagged({"1"}, "", "A rank has aborted, a deadlock, or output that could not be written.");
  page.tagged({"2"}, "", "An option, a variable or a program that cannot be; nothing has run.");
  page.tagged({"124"}, "", "--limit has ended the run.");
  page.tagged({"128 + signal"}, "",
              "A signal has ended a rank or the launcher; 152 is the end by -t.");
}

}  // namespace

std::string aprun_page(std::string_view version) {
  ManualPage page("aprun", 1, version, "aprun, mpiexec, mpirun",
                  "run a program on a Cray XE6 in software");
  page.heading("Synopsis");
  page.example({"aprun [OPTIONS] PROGRAM [ARGUMENTS]", "mpiexec [OPTIONS] PROGRAM [ARGUMENTS]",
                "mpirun [OPTIONS] PROGRAM [ARGUMENTS]", "aprun --env-help [WORD ...]"});
  page.heading("Description");
  page.paragraph(
      "Starts PROGRAM on the ranks of a job. In virtual time, the default, all ranks run in one "
      "process on the modelled nodes, CPUs and network of a Cray XE6, and time is the machine's. "
      "Live (--clock live, or CASTOR_CLOCK=live) each rank is a process, on the host's clock.");
  page.paragraph(
      "PROGRAM is an ordinary executable, built with mpicc(1), mpicxx(1) or mpifort(1), or for "
      "MPICH. Options after its name are its own; -- ends the launcher's.");
  page.paragraph(
      "On standard error there is one line before the run (what runs on how many nodes, and "
      "whether it repeats) and one after it (virtual time, fingerprint, nodes). Lines that "
      "begin with \"aprun: warning:\" name variables without effect.");
  page.heading("Options of aprun");
  page.paragraph("Most of those of one letter are Cray's; -l is Slurm's.");
  add_options(page, Launcher::aprun);
  page.heading("Options of mpiexec and mpirun");
  page.paragraph(
      "By these names the program has options of MPICH's Hydra and Open MPI. Long ones take one "
      "dash or two.");
  add_options(page, Launcher::mpiexec);
  page.heading("Options that are refused");
  page.paragraph("Of Cray's aprun:");
  add_refused_options(page, Launcher::aprun);
  page.paragraph("Of other launchers, by mpiexec and mpirun:");
  add_refused_options(page, Launcher::mpiexec);
  add_exit_status(page);
  page.heading("Environment");
  page.paragraph("castor-variables(7) lists all variables; aprun --env-help prints them.");
  page.heading("Examples");
  page.example({"aprun -n 8192 -N 8 ./program", "mpiexec -np 4 -ppn 1 ./program",
                "aprun --clock live -n 4 -N 2 ./program",
                "MPICH_MAX_THREAD_SAFETY=multiple MPICH_NEMESIS_ASYNC_PROGRESS=SC aprun -n 2 -N 1 "
                "-r 1 ./program"});
  page.heading("See also");
  page.paragraph("mpicc(1), grid_order(1), castor-variables(7)");
  return page.text();
}

std::string grid_order_page(std::string_view version) {
  ManualPage page("grid_order", 1, version, "grid_order", "write an order of ranks for a grid");
  page.heading("Synopsis");
  page.example({"grid_order -R|-C -g N1,N2,... -c n1,n2,... [OPTIONS] >MPICH_RANK_ORDER"});
  page.heading("Description");
  page.paragraph(
      "Writes to standard output an order of ranks in which those of each cell of a grid stand "
      "together. With MPICH_RANK_REORDER_METHOD=3 aprun(1) reads it from the file "
      "MPICH_RANK_ORDER and places ranks so: a node gets a cell, and fewer neighbours are on "
      "other nodes.");
  page.heading("Options");
  for (const GridOption& option : grid_options) {
    page.tagged({std::string(option.name)}, option.values, option.help);
  }
  page.heading("Exit status");
  page.tagged({"1"}, "", "Standard output could not be written.");
  page.tagged({"2"}, "", "An option that cannot be.");
  page.heading("Examples");
  page.example({"grid_order -R -g 32,64,64 -c 2,2,4 >MPICH_RANK_ORDER",
                "MPICH_RANK_REORDER_METHOD=3 aprun -n 131072 -N 16 ./program"});
  page.heading("See also");
  page.paragraph("aprun(1), castor-variables(7)");
  return page.text();
}

std::string link_map_page(std::string_view version) {
  ManualPage page("link_map", 1, version, "link_map",
                  "draw what the links of a torus have carried");
  page.heading("Synopsis");
  page.example({"link_map [-o FILE] COUNTERS.json >links.html"});
  page.heading("Description");
  page.paragraph(
      "Reads what aprun --counters COUNTERS.json has counted and writes a page of HTML with a heat "
      "map of the links for each direction, and tables of the values. A browser shows it without "
      "a network: all that it needs is in the one file. COUNTERS.json may be -, standard input.");
  page.heading("Options");
  for (const LinkMapOption& option : link_map_options) {
    page.tagged({std::string(option.name)}, option.values, option.help);
  }
  page.heading("Exit status");
  page.tagged({"1"}, "", "The page could not be written.");
  page.tagged({"2"}, "", "An option that cannot be, or a file that cannot be read.");
  page.heading("Examples");
  page.example({"aprun --counters counters.json -n 1024 -N 4 ./program",
                "link_map counters.json -o links.html"});
  page.heading("See also");
  page.paragraph("aprun(1), rtr(1)");
  return page.text();
}

std::string rtr_page(std::string_view version) {
  ManualPage page("rtr", 1, version, "rtr", "print how the routers of a system are joined");
  page.heading("Synopsis");
  page.example({"rtr [--system SYSTEM] --interconnect >interconnect.txt"});
  page.heading("Description");
  page.paragraph(
      "On a torus: one line for each router tile that is joined to a tile of another Gemini: 40 to "
      "a Gemini, "
      "less where a ring has one Gemini only. The eight host tiles have none. A line has six "
      "words: a tile, the direction that it leads in, an arrow, the tile at the other end, "
      "\"LinkType:\", the type.");
  page.example({"c0-0c0s0g0l00[(0,0,0)] Z+ -> c0-0c0s1g0l32[(0,0,1)] LinkType: backplane"});
  page.paragraph(
      "c0-0c0s0g0 is a Gemini: column and row of the cabinet, cage, slot, Gemini of the blade; l00 "
      "is its tile in row 0 and column 0 (of 6 and 8); in brackets are the coordinates x, y, z.");
  page.paragraph(
      "Types: mezzanine (within a blade), backplane (within a cage), cable11x and cable11y (to the "
      "cabinet beside), cable18x and cable18y (beyond it), cable15z (between cages).");
  page.paragraph(
      "On a dragonfly: one line for each of a router's 48 tiles, as on a Cray XC. A line has four "
      "words: a tile, its colour (green within a chassis, black between the chassis of a group, "
      "blue between groups, ptile to the nodes), an arrow, and the tile at the other end, "
      "\"unused\" or \"processor\". In parentheses are group, chassis and slot.");
  page.example({"c0-0c0s0a0l00(0:0:0) green -> c0-0c0s1a0l00(0:0:1)"});
  page.heading("Options");
  for (const RtrOption& row : rtr_options()) page.tagged(names_of(row.names), row.values, row.help);
  page.heading("Exit status");
  page.tagged({"0"}, "", "All has been printed.");
  page.tagged({"1"}, "", "Output that could not be written.");
  page.tagged({"2"}, "", "An option or a system that cannot be.");
  page.heading("See also");
  page.paragraph("aprun(1)");
  return page.text();
}

std::string variables_page(std::string_view version) {
  ManualPage page("castor-variables", 7, version, "castor-variables",
                  "environment variables of Castor, a Cray XE6 in software");
  page.heading("Description");
  page.paragraph(
      "Every parameter, its default and where the default comes from; aprun --env-help prints the "
      "same, aprun --env-help WORD those that have WORD in name, unit or description.");
  page.paragraph(
      "A variable is set in the environment, or for one run with aprun -e NAME=VALUE. Sizes take "
      "K, M and G (powers of 1,024), times ps, ns, us, ms and s, rates KB/s, MB/s and GB/s (powers "
      "of 1,000). A value that does not parse or is out of range ends the run before it starts, "
      "with exit code 2; so does an unknown name that begins with CASTOR_. Other unknown names, "
      "and variables that such a run does not use, get a warning.");
  std::string group;
  for (const corespec::ParameterInfo& row : corespec::describe(corespec::Parameters())) {
    if (row.group != group) page.heading(row.group);
    group = row.group;
    page.tagged({row.env}, "", row.help);
    page.line(fmt::format("Default: {}{}{}; allowed: {}; {}{}{}.",
                          row.fallback.empty() ? "none" : row.fallback, row.unit.empty() ? "" : " ",
                          row.unit, row.allowed, row.basis, row.source.empty() ? "" : ": ",
                          row.source));
  }
  page.heading("See also");
  page.paragraph("aprun(1), mpicc(1)");
  return page.text();
}

std::string mpicc_page(std::string_view version,
                       const std::vector<std::pair<std::string, std::string>>& options) {
  ManualPage page("mpicc", 1, version, "mpicc, mpicxx, mpifort, mpif77, mpif90",
                  "compile and link programs for Castor");
  page.heading("Synopsis");
  page.example({"mpicc [OPTIONS] FILES", "mpicxx [OPTIONS] FILES", "mpifort [OPTIONS] FILES"});
  page.heading("Description");
  page.paragraph(
      "Call a compiler for C, C++ or Fortran, with what MPI programs need: headers, library and a "
      "run path. Other libraries are named: -larmci (ARMCI), -ldmapp (DMAPP), -lugni (uGNI), -lpmi "
      "(PMI).");
  page.heading("Options");
  page.paragraph("All others are the compiler's.");
  for (const auto& [name, what] : options) page.tagged({name}, "", what);
  page.heading("Environment");
  page.tagged(
      {"MPICH_CC", "MPICH_CXX", "MPICH_FC"}, "",
      "The compiler that mpicc, mpicxx and mpifort call, in place of the one that Castor was "
      "built with.");
  page.heading("Examples");
  page.example({"mpicc -O2 -o program program.c", "mpifort -O2 -o program program.f90",
                "mpicc -O2 -o program program.c -lugni -lpmi"});
  page.heading("See also");
  page.paragraph("aprun(1), castor-variables(7)");
  return page.text();
}

}  // namespace launch
