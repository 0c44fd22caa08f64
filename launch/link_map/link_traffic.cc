// What the links of a torus have carried.
#include "launch/link_map/link_traffic.h"

#include <utility>

namespace launch {

LinkTraffic::LinkTraffic(std::string system, const TorusPlace& size)
    : system_(std::move(system)), size_(size) {
  std::size_t geminis = 1;
  for (const int side : size) geminis *= static_cast<std::size_t>(side);
  number_of_.resize(kLinkWays.size() * geminis);
}

bool LinkTraffic::has(const TorusPlace& place) const {
  for (std::size_t d = 0; d < place.size(); ++d) {
    if (place[d] < 0 || place[d] >= size_[d]) return false;
  }
  return true;
}

TorusPlace LinkTraffic::neighbour(const TorusPlace& place, std::size_t way) const {
  TorusPlace other = place;
  if (way == kHostWay) return other;
  const std::size_t d = way / 2;
  const int step = way % 2 == 0 ? 1 : size_[d] - 1;
  other[d] = (place[d] + step) % size_[d];
  return other;
}

void LinkTraffic::begin_sample(double from, double to) {
  samples_.push_back({from, to, std::vector<LinkCounts>(links_.size())});
}

LinkCounts& LinkTraffic::counts_of(std::size_t way, const TorusPlace& from,
                                   double gbytes_per_second) {
  std::size_t place = way;
  for (std::size_t d = 0; d < from.size(); ++d) {
    place = place * static_cast<std::size_t>(size_[d]) + static_cast<std::size_t>(from[d]);
  }
  std::size_t& number = number_of_.at(place);
  if (number == 0) {
    links_.push_back({way, from, gbytes_per_second});
    number = links_.size();
    for (TrafficSample& sample : samples_) sample.counts.resize(links_.size());
  }
  return samples_.back().counts[number - 1];
}

}  // namespace launch
