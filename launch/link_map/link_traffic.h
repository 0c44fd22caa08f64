// What the links of a torus have carried.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace launch {

using TorusPlace = std::array<int, 3>;

/// The ways in which links carry: towards X+, X-, Y+, Y-, Z+, Z-, and from the hosts of a Gemini to
/// its router.
constexpr std::size_t kHostWay = 6;
constexpr std::array<const char*, 7> kLinkWays{"X+", "X-", "Y+", "Y-", "Z+", "Z-", "HH"};

/// The way back.
constexpr std::size_t opposite(std::size_t way) { return way == kHostWay ? way : way ^ 1U; }

/// A link in one direction.
struct TorusLink {
  std::size_t way = 0;
  TorusPlace from{};
  double gbytes_per_second = 0;
};

/// What a link has carried, and how long packets waited at its end and at its beginning.
struct LinkCounts {
  std::uint64_t vc0_phits = 0, vc1_phits = 0, vc0_packets = 0, vc1_packets = 0;
  std::uint64_t input_stalls = 0, output_stalls = 0;

  bool operator==(const LinkCounts&) const = default;
};

/// What was counted in one piece of time.
struct TrafficSample {
  double from = 0, to = 0;         ///< seconds
  std::vector<LinkCounts> counts;  ///< by link
};

class LinkTraffic {
 public:
  LinkTraffic(std::string system, const TorusPlace& size);

  const std::string& system() const { return system_; }
  const TorusPlace& size() const { return size_; }
  const std::vector<TorusLink>& links() const { return links_; }
  const std::vector<TrafficSample>& samples() const { return samples_; }

  bool has(const TorusPlace& place) const;
  TorusPlace neighbour(const TorusPlace& place, std::size_t way) const;

  void begin_sample(double from, double to);
  /// The counts of a link in the sample that was begun last; all zeros at first. The link comes to
  /// be with this bandwidth if there is none yet.
  LinkCounts& counts_of(std::size_t way, const TorusPlace& from, double gbytes_per_second);

 private:
  std::string system_;
  TorusPlace size_;
  std::vector<TorusLink> links_;
  std::vector<std::size_t> number_of_;  ///< by way and place: one more than the link's number
  std::vector<TrafficSample> samples_;
};

}  // namespace launch
