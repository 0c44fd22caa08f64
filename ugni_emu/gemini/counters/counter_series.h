// What has arrived at routers in each of equal intervals of time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
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
    sample(port.router, now).ports[port.link] += arriving;
  }

  /// A stall from one time to another, each interval's part in its sample.
  void add_stall(Port port, bool input, corespec::Time from, corespec::Time to) {
    while (is_kept() && from < to) {
      const corespec::Time end = std::min(to, every_ * (from / every_ + 1));
      LinkCounters& at = sample(port.router, from).ports[port.link];
      (input ? at.input_stall : at.output_stall) += end - from;
      from = end;
    }
  }

  /// Another part of the machine has it.
  void add(RouterId router, CounterSample sample) {
    samples_.at(router).push_back(std::move(sample));
  }

  /// In order of time.
  const std::vector<CounterSample>& of(RouterId router) const { return samples_.at(router); }

 private:
  /// Of the interval in which `time` is; seldom an earlier one than the last.
  CounterSample& sample(RouterId router, corespec::Time time) {
    std::vector<CounterSample>& samples = samples_[router];
    const auto number = static_cast<std::uint32_t>(time / every_);
    auto at = samples.end();
    while (at != samples.begin() && std::prev(at)->number > number) --at;
    if (at != samples.begin() && std::prev(at)->number == number) return *std::prev(at);
    return *samples.insert(at, {number, std::vector<LinkCounters>(ports_)});
  }

  corespec::Time every_;
  std::size_t ports_;
  std::vector<std::vector<CounterSample>> samples_;  ///< by router
};

}  // namespace gemini
