// What has arrived at routers in each of equal intervals of time.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "corespec/time/time.h"
#include "ugni_emu/gemini/format/channels.h"
#include "ugni_emu/gemini/topology/topology.h"

namespace gemini {

/// What has arrived at a router within [number, number + 1) intervals, by port: its links, then the
/// host port.
struct CounterSample {
  std::uint32_t number = 0;
  std::vector<LinkCounters> ports;
};

/// A router's samples belong to its domain. An interval in which nothing arrived has none.
class CounterSeries {
 public:
  /// `every`: the interval; 0: there are no samples.
  CounterSeries(corespec::Time every, const Topology& topology)
      : every_(every),
        ports_(topology.links_per_router() + 1),
        samples_(is_kept() ? topology.routers() : 0) {}

  bool is_kept() const { return every_ > corespec::Time(); }
  corespec::Time every() const { return every_; }

  void add(Port port, corespec::Time now, const LinkCounters& arriving) {
    if (!is_kept()) return;
    std::vector<CounterSample>& samples = samples_[port.router];
    const auto number = static_cast<std::uint32_t>(now.ps() / every_.ps());
    if (samples.empty() || samples.back().number != number) {
      samples.push_back({number, std::vector<LinkCounters>(ports_)});
    }
    samples.back().ports[port.link] += arriving;
  }

  /// Another part of the machine has it.
  void add(RouterId router, CounterSample sample) {
    samples_.at(router).push_back(std::move(sample));
  }

  /// In order of time.
  const std::vector<CounterSample>& of(RouterId router) const { return samples_.at(router); }

 private:
  corespec::Time every_;
  std::size_t ports_;
  std::vector<std::vector<CounterSample>> samples_;  ///< by router
};

}  // namespace gemini
