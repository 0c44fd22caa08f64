// What the Geminis of a run have counted, as text and as JSON.
#include "launch/virtual_launcher/counter_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "corespec/host/output_file.h"
#include "corespec/host/printable.h"
#include "launch/virtual_run/virtual_run.h"
#include "ugni_emu/gemini/links/link_bandwidth.h"

namespace launch {
namespace {

using corespec::Time;
using gemini::LinkCounters;
using gemini::Port;
using gemini::RouterId;
using gemini::Topology;

/// What arrives at the Geminis' ports: in all, or within an interval.
class Reporter {
 public:
  explicit Reporter(VirtualRun& run)
      : parameters_(run.parameters()),
        topology_(run.network().topology()),
        counters_(run.network().counters()->tiles) {
    for (const int nid : run.nids()) {
      own_.insert(topology_.router_of(static_cast<gemini::Nid>(nid)));
    }
  }

  CounterReportSample whole(Time end) const {
    CounterReportSample sample{Time(), end, {}};
    for (RouterId router = 0; router < topology_.routers(); ++router) {
      std::vector<LinkCounters> ports;
      ports.reserve(topology_.links_per_router() + 1);
      for (const Port port : ports_of(router)) ports.push_back(counters_.link(port));
      ports.push_back(counters_.host(router));
      add(sample, router, ports);
    }
    return sample;
  }

  std::vector<CounterReportSample> intervals(Time end) const {
    const gemini::CounterSeries& series = counters_.series();
    std::map<std::uint32_t, CounterReportSample> samples;
    for (RouterId router = 0; router < topology_.routers(); ++router) {
      for (const gemini::CounterSample& sample : series.of(router)) {
        CounterReportSample& all = samples[sample.number];
        all.from = series.every() * std::int64_t{sample.number};
        // Routers may be ahead of where the run ends.
        all.to = std::max(all.from, std::min(end, all.from + series.every()));
        add(all, router, sample.ports);
      }
    }
    // Shares are of the whole run's time, so quiet times are samples, too: one each, however long.
    std::vector<CounterReportSample> in_order;
    const auto be_quiet_until = [&](Time next) {
      const Time last = in_order.empty() ? Time() : in_order.back().to;
      if (last < next) in_order.push_back({last, next, {}});
    };
    for (auto& [number, sample] : samples) {
      be_quiet_until(sample.from);
      in_order.push_back(std::move(sample));
    }
    be_quiet_until(end);
    return in_order;
  }

 private:
  /// Its links' ends.
  std::vector<Port> ports_of(RouterId router) const {
    std::vector<Port> ports(topology_.links_per_router());
    for (std::size_t link = 0; link < ports.size(); ++link) {
      ports[link] = {router, static_cast<std::uint8_t>(link)};
    }
    return ports;
  }

  /// `ports`: of the router's links, then of the host port.
  void add(CounterReportSample& sample, RouterId router,
           const std::vector<LinkCounters>& ports) const {
    const auto counted = [](const LinkCounters& port) { return port != LinkCounters(); };
    if (!own_.contains(router) && std::none_of(ports.begin(), ports.end(), counted)) return;
    CountedGemini gemini{router, {}};
    for (const Port port : ports_of(router)) {
      if (!topology_.has_link(port)) continue;
      gemini.links.push_back(
          {std::string(topology_.link_name(port.link)), topology_.far_end(port).router,
           gemini::link_bandwidth(parameters_, topology_, port), ports[port.link]});
    }
    gemini.links.push_back({"HH", router, gemini::host_bandwidth(parameters_), ports.back()});
    sample.geminis.push_back(std::move(gemini));
  }

  const corespec::Parameters& parameters_;
  const Topology& topology_;
  const gemini::TileCounters& counters_;
  std::set<RouterId> own_;  ///< of the job's nodes
};

std::string position_text(const Topology& topology, RouterId router) {
  return fmt::format("({})", fmt::join(topology.position(router), ", "));
}

/// Figure 4's line of a link. `cycle`: in which stalls are counted.
std::string line_of(const Topology& topology, const CountedLink& link, Time cycle) {
  const LinkCounters& counted = link.counters;
  return fmt::format("{}\t{}\t{:.2f}\t{}\t{}\t{}\t{}\t{}\t{}\n", link.direction,
                     position_text(topology, link.source), link.bytes_per_second * 1e-9,
                     counted.phits[0], counted.phits[1], counted.packets[0], counted.packets[1],
                     counted.input_stall / cycle, counted.output_stall / cycle);
}

nlohmann::ordered_json json_of(const Topology& topology, const CountedLink& link, Time cycle) {
  return {{"direction", link.direction},
          {"source", topology.position(link.source)},
          {"gbytes_per_second", std::round(link.bytes_per_second * 1e-3) / 1e6},
          {"vc0_phits", link.counters.phits[0]},
          {"vc1_phits", link.counters.phits[1]},
          {"vc0_packets", link.counters.packets[0]},
          {"vc1_packets", link.counters.packets[1]},
          {"inq_stalls", link.counters.input_stall / cycle},
          {"outq_stalls", link.counters.output_stall / cycle}};
}

double bytes_of(const corespec::Parameters& parameters, const LinkCounters& counters) {
  return static_cast<double>((counters.phits[0] + counters.phits[1]) *
                             static_cast<std::uint64_t>(parameters.phit_bytes));
}

/// What a run has counted in all.
struct Totals {
  struct Busiest {
    double bytes = 0, share = 0;  ///< of the time in which it could have moved as many
    std::string link;
  };
  double injected = 0, over_links = 0;
  Busiest busiest;
};

Totals totals_of(VirtualRun& run, const std::vector<CounterReportSample>& samples) {
  const Topology& topology = run.network().topology();
  Totals totals;
  std::map<std::pair<RouterId, std::string>, std::pair<double, const CountedLink*>> links;
  Time time;
  for (const CounterReportSample& sample : samples) {
    time = std::max(time, sample.to);
    for (const CountedGemini& gemini : sample.geminis) {
      for (const CountedLink& link : gemini.links) {
        const double bytes = bytes_of(run.parameters(), link.counters);
        (link.direction == "HH" ? totals.injected : totals.over_links) += bytes;
        if (link.direction == "HH") continue;
        auto& [sum, first] = links[{gemini.number, link.direction}];
        sum += bytes;
        first = &link;
      }
    }
  }
  for (const auto& [place, link] : links) {
    const auto& [bytes, counted] = link;
    const double share = bytes / (counted->bytes_per_second * time.s());
    if (share <= totals.busiest.share) continue;
    totals.busiest = {bytes, share,
                      fmt::format("from {} to {}", position_text(topology, counted->source),
                                  position_text(topology, place.first))};
  }
  return totals;
}

bool is_json(const std::string& name) { return name.ends_with(".json"); }

}  // namespace

std::vector<CounterReportSample> counter_report(VirtualRun& run, Time end) {
  const Reporter reporter(run);
  if (run.network().counters()->tiles.series().is_kept()) return reporter.intervals(end);
  return {reporter.whole(end)};
}

std::string counter_text(VirtualRun& run, const std::vector<CounterReportSample>& samples) {
  const Topology& topology = run.network().topology();
  const bool intervals = run.network().counters()->tiles.series().is_kept();
  const Time cycle = run.parameters().router_cycle;
  std::string text =
      "#\tDEST_COORD\n"
      "#\tSRC_COORD\tGB/s\tVC0_PHITS\tVC1_PHITS\tVC0_PKTS\tVC1_PKTS\tINQ_STALLS\tOUTQ_STALLS\n";
  for (const CounterReportSample& sample : samples) {
    if (intervals) text += fmt::format("#\t{:.9f}\t{:.9f}\n", sample.from.s(), sample.to.s());
    for (const CountedGemini& gemini : sample.geminis) {
      text += fmt::format("\t{}\n", position_text(topology, gemini.number));
      for (const CountedLink& link : gemini.links) text += line_of(topology, link, cycle);
    }
  }
  return text;
}

nlohmann::ordered_json counter_json(VirtualRun& run,
                                    const std::vector<CounterReportSample>& samples) {
  const Topology& topology = run.network().topology();
  nlohmann::ordered_json report{{"format", "castor counters 1"},
                                {"system", topology.name()},
                                {"topology", topology.title()},
                                {"samples", nlohmann::ordered_json::array()}};
  const Time cycle = run.parameters().router_cycle;
  for (const CounterReportSample& sample : samples) {
    nlohmann::ordered_json geminis = nlohmann::ordered_json::array();
    for (const CountedGemini& gemini : sample.geminis) {
      nlohmann::ordered_json links = nlohmann::ordered_json::array();
      for (const CountedLink& link : gemini.links) links.push_back(json_of(topology, link, cycle));
      geminis.push_back({{"coordinates", topology.position(gemini.number)}, {"links", links}});
    }
    report["samples"].push_back(
        {{"from", sample.from.s()}, {"to", sample.to.s()}, {"geminis", std::move(geminis)}});
  }
  return report;
}

std::string counter_summary(VirtualRun& run, const std::vector<CounterReportSample>& samples) {
  const Totals totals = totals_of(run, samples);
  if (totals.injected == 0) return {};
  constexpr double megabyte = 1e6;
  std::string text = fmt::format("{:.3f} MB injected, {:.3f} MB over links ({:.2f} hops a byte)",
                                 totals.injected / megabyte, totals.over_links / megabyte,
                                 totals.over_links / totals.injected);
  if (totals.busiest.bytes > 0) {
    text +=
        fmt::format("; the busiest, {}, {:.3f} MB, {:.1f} % of what it can", totals.busiest.link,
                    totals.busiest.bytes / megabyte, totals.busiest.share * 100);
  }
  return text;
}

CounterFiles::CounterFiles(const std::vector<std::string>& names, double patience_s) {
  for (const std::string& name : names) {
    files_.push_back({name, corespec::open_output("--counters", name, patience_s)});
  }
}

CounterFiles::~CounterFiles() {
  for (const File& file : files_) std::fclose(file.stream);
}

void CounterFiles::write(VirtualRun& run, const std::vector<CounterReportSample>& samples) {
  for (const File& file : files_) {
    const std::string text =
        is_json(file.name) ? counter_json(run, samples).dump() + "\n" : counter_text(run, samples);
    if (std::fputs(text.c_str(), file.stream) < 0 || std::fflush(file.stream) != 0) {
      refuse(file.name);
    }
  }
}

void CounterFiles::refuse(const std::string& name) {
  throw std::runtime_error(
      fmt::format("--counters {}: {}", corespec::printable(name), std::strerror(errno)));
}

}  // namespace launch
