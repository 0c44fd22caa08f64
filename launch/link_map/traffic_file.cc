// Reads what `aprun --counters FILE.json` has written.
#include "launch/link_map/traffic_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace launch {
namespace {

using nlohmann::json;

constexpr std::string_view format_name = "castor counters 1";

/// A value of the file and where it stands, such as /samples/0/geminis/3.
class Value {
 public:
  Value(const json& value, std::string path, const std::string& file)
      : value_(&value), path_(std::move(path)), file_(&file) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw TrafficFileError(fmt::format("{}: {}: {}", *file_, path_.empty() ? "/" : path_, what));
  }

  Value operator[](const char* key) const {
    if (!value_->is_object()) refuse("must be an object");
    const auto found = value_->find(key);
    if (found == value_->end()) refuse(fmt::format("'{}' is missing", key));
    return {*found, path_ + "/" + key, *file_};
  }

  std::vector<Value> items() const {
    if (!value_->is_array()) refuse("must be an array");
    std::vector<Value> all;
    for (std::size_t i = 0; i < value_->size(); ++i) {
      all.emplace_back((*value_)[i], fmt::format("{}/{}", path_, i), *file_);
    }
    return all;
  }

  const std::string& text() const {
    if (!value_->is_string()) refuse("must be a string");
    return value_->get_ref<const std::string&>();
  }

  std::uint64_t count() const {
    if (!value_->is_number_unsigned()) refuse("must be a count, 0 or more");
    return value_->get<std::uint64_t>();
  }

  double number() const {
    if (!value_->is_number() || !std::isfinite(value_->get<double>())) refuse("must be a number");
    return value_->get<double>();
  }

  TorusPlace place(const LinkTraffic& traffic) const {
    const std::vector<Value> parts = items();
    TorusPlace place{};
    if (parts.size() != place.size()) refuse("must be three coordinates");
    for (std::size_t d = 0; d < place.size(); ++d) {
      const int most = traffic.size()[d] - 1;
      const std::uint64_t at = parts[d].count();
      if (at > static_cast<std::uint64_t>(most)) {
        parts[d].refuse(fmt::format("{} is not in the torus: 0 to {}", at, most));
      }
      place[d] = static_cast<int>(at);
    }
    return place;
  }

 private:
  const json* value_;
  std::string path_;
  const std::string* file_;
};

/// "16x12x24 torus".
TorusPlace read_size(const Value& topology) {
  constexpr int most = 128;
  TorusPlace size{};
  int end = 0;
  const std::string& text = topology.text();
  if (text.ends_with(" dragonfly")) {
    topology.refuse(
        fmt::format("'{}' is no torus: link_map draws the links of a torus only", text));
  }
  if (std::sscanf(text.c_str(), "%dx%dx%d torus%n", &size[0], &size[1], &size[2], &end) != 3 ||
      static_cast<std::size_t>(end) != text.size() ||
      std::any_of(size.begin(), size.end(), [](int side) { return side < 1 || side > most; })) {
    topology.refuse(fmt::format("must be like \"16x12x24 torus\", each side 1 to {}", most));
  }
  return size;
}

class Reader {
 public:
  Reader(LinkTraffic& traffic) : traffic_(&traffic) {}

  void read_sample(const Value& sample) {
    const double from = sample["from"].number(), to = sample["to"].number();
    if (to < from) sample.refuse("'to' must not be before 'from'");
    traffic_->begin_sample(from, to);
    seen_.clear();
    for (const Value& gemini : sample["geminis"].items()) {
      const TorusPlace at = gemini["coordinates"].place(*traffic_);
      for (const Value& link : gemini["links"].items()) read_link(at, link);
    }
  }

 private:
  void read_link(const TorusPlace& at, const Value& link) {
    const std::size_t side = read_side(link["direction"]);
    const TorusPlace source = link["source"].place(*traffic_);
    if (source != traffic_->neighbour(at, side)) {
      link["source"].refuse(
          fmt::format("is not where {} of ({},{},{}) leads", kLinkWays[side], at[0], at[1], at[2]));
    }
    if (!seen_.insert({at, side}).second) link.refuse("this link stands before, too");
    const double speed = link["gbytes_per_second"].number();
    if (speed <= 0) link["gbytes_per_second"].refuse("must be above 0");
    // From the other end to this one, and back.
    LinkCounts& counts = traffic_->counts_of(opposite(side), source, speed);
    counts.vc0_phits = link["vc0_phits"].count();
    counts.vc1_phits = link["vc1_phits"].count();
    counts.vc0_packets = link["vc0_packets"].count();
    counts.vc1_packets = link["vc1_packets"].count();
    counts.input_stalls = link["inq_stalls"].count();
    traffic_->counts_of(side, at, speed).output_stalls = link["outq_stalls"].count();
  }

  static std::size_t read_side(const Value& direction) {
    const auto* const found = std::find(kLinkWays.begin(), kLinkWays.end(), direction.text());
    if (found == kLinkWays.end()) direction.refuse("must be X+, X-, Y+, Y-, Z+, Z- or HH");
    return static_cast<std::size_t>(found - kLinkWays.begin());
  }

  LinkTraffic* traffic_;
  std::set<std::pair<TorusPlace, std::size_t>> seen_;  ///< of this sample
};

/// Where the byte of a text stands.
std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const std::size_t line = before.rfind('\n') + 1;  // npos + 1: the first line
  return fmt::format("{}:{}", 1 + std::count(before.begin(), before.end(), '\n'),
                     before.size() - line + 1);
}

json parse(std::string_view text, const std::string& name) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    const std::size_t at = error.byte == 0 ? 0 : error.byte - 1;
    const char* const what = at >= text.size() ? "the text ends too early" : "this is not JSON";
    throw TrafficFileError(fmt::format("{}:{}: {}", name, line_and_column(text, at), what));
  }
}

}  // namespace

LinkTraffic read_traffic(std::string_view text, const std::string& name) {
  const json document = parse(text, name);
  const Value root(document, "", name);
  if (root["format"].text() != format_name) {
    root["format"].refuse(fmt::format("must be \"{}\"", format_name));
  }
  LinkTraffic traffic(root["system"].text(), read_size(root["topology"]));
  Reader reader(traffic);
  const std::vector<Value> samples = root["samples"].items();
  if (samples.empty()) root["samples"].refuse("there is none");
  for (const Value& sample : samples) reader.read_sample(sample);
  return traffic;
}

}  // namespace launch
