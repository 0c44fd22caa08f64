// How far fidelity message is from fidelity packet: pairs, open loops, bursts.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

#include "benchmarks/fidelity/network_load.h"

namespace {

using corespec::Time;
using fidelity::Load;
using fidelity::Outcome;

constexpr const char* usage =
    "usage: fidelity_error [options]\n"
    "Runs the same loads in both fidelities of the network and prints how far message is from\n"
    "packet, in percent, and by how much message's longest queue exceeds what tiles hold.\n\n"
    "     --torus XxYxZ   the network (4x4x16)\n"
    "     --csv           comma-separated values\n"
    "  -h --help          this text\n";

class Table {
 public:
  Table(std::string torus, bool csv) : torus_(std::move(torus)), csv_(csv) {
    print("kind", "load", "message_us", "packet_us", "error", "queue");
  }

  /// `of`: what is compared of the outcomes.
  void add(const std::string& kind, const std::string& name, const Load& load,
           Time Outcome::*compared) {
    const Outcome message = fidelity::run_load(torus_, "message", load);
    const Outcome packet = fidelity::run_load(torus_, "packet", load);
    const double in_message = (message.*compared).us(), in_packet = (packet.*compared).us();
    print(kind, name, fmt::format("{:.3f}", in_message), fmt::format("{:.3f}", in_packet),
          fmt::format("{:.2f}", (in_message - in_packet) / in_packet * 100),
          fmt::format("{:.2f}", message.queue_excess));
  }

 private:
  void print(const std::string& kind, const std::string& load, const std::string& message,
             const std::string& packet, const std::string& error, const std::string& queue) const {
    if (csv_) {
      fmt::print("{},{},{},{},{},{}\n", kind, load, message, packet, error, queue);
    } else {
      fmt::print("{:<10} {:<26} {:>12} {:>12} {:>9} {:>9}\n", kind, load, message, packet, error,
                 queue);
    }
    std::fflush(stdout);
  }

  std::string torus_;
  bool csv_;
};

void add_pairs(Table& table, const gemini::Torus& torus) {
  for (const fidelity::Pair& pair : fidelity::pairs_of(torus)) {
    for (const std::uint32_t bytes : {8U, 64U, 1024U, 16384U, 1048576U}) {
      table.add("pair", fmt::format("{} {} B", pair.name, bytes),
                fidelity::single(pair.from, pair.to, bytes), &Outcome::completion);
    }
  }
}

void add_open_loops(Table& table, const gemini::Torus& torus) {
  using fidelity::Pattern;
  constexpr std::uint32_t bytes = 1024;
  const Time time = Time::microseconds(60);
  for (const auto& [pattern, name] :
       {std::pair(Pattern::uniform, "uniform"), std::pair(Pattern::neighbour, "neighbour"),
        std::pair(Pattern::tornado, "tornado")}) {
    for (const double share : {0.05, 0.1, 0.2, 0.4, 0.6}) {
      table.add("open loop", fmt::format("{} {:.0f} %", name, share * 100),
                fidelity::open_loop(torus, pattern, share, bytes, time), &Outcome::mean_latency);
    }
  }
}

void add_bursts(Table& table, const gemini::Torus& torus) {
  constexpr int ranks = 16;
  for (const std::uint32_t bytes : {64U, 256U, 512U, 1024U, 2048U, 4096U}) {
    table.add("burst", fmt::format("halo {} B a face", bytes),
              fidelity::halo_burst(torus, ranks, bytes), &Outcome::completion);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string torus = "4x4x16";
  bool csv = false;
  for (int at = 1; at < argc; ++at) {
    const std::string option = argv[at];
    if (option == "-h" || option == "--help") {
      fmt::print("{}", usage);
      return 0;
    }
    if (option == "--csv") {
      csv = true;
    } else if (option == "--torus" && at + 1 < argc) {
      torus = argv[++at];
    } else {
      fmt::print(stderr, "fidelity_error: {}: not an option; see --help\n", option);
      return 2;
    }
  }
  try {
    const gemini::Torus shape = gemini::Torus::parse(torus);
    Table table(torus, csv);
    add_pairs(table, shape);
    add_open_loops(table, shape);
    add_bursts(table, shape);
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "fidelity_error: --torus {}: {}\n", torus, error.what());
    return 2;
  }
  return 0;
}
