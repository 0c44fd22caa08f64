// Two runs beside each other.
#include "launch/profile/compare_profiles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace launch {
namespace {

using nlohmann::ordered_json;

/// A quantity of both runs, in seconds of a rank (mean).
struct Pair {
  std::string name;
  double first = 0, second = 0;
  double first_calls = -1, second_calls = -1;  ///< of a rank; negative: none
  double change() const { return second - first; }
};

double mean_of(const ordered_json& time) { return time.at("mean").get<double>(); }

double ranks_of(const ordered_json& profile) {
  return std::max(1.0, profile.at("run").at("ranks").get<double>());
}

std::string words(const ordered_json& run) {
  return fmt::format("{}", fmt::join(run.at("command").get<std::vector<std::string>>(), " "));
}

class Comparison {
 public:
  Comparison(const ordered_json& first, const ordered_json& second)
      : first_(first), second_(second) {}

  std::string text() {
    add_runs();
    add_parameters();
    add_times();
    add_calls();
    return std::move(text_);
  }

 private:
  template <typename... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    text_ += '\n';
  }

  void add_runs() {
    line("A: {}", words(first_.at("run")));
    line("B: {}", words(second_.at("run")));
    for (const char* const what : {"clock", "system", "ranks", "nodes"}) {
      const ordered_json& a = first_.at("run").at(what);
      const ordered_json& b = second_.at("run").at(what);
      if (a != b) line("{}: {} in A, {} in B", what, a.dump(), b.dump());
    }
    add_machine("A", first_, second_);
    add_machine("B", second_, first_);
  }

  /// What only this run's machine has.
  void add_machine(const char* which, const ordered_json& of, const ordered_json& other) {
    const auto others = other.at("run").at("machine").get<std::vector<std::string>>();
    for (const std::string& each : of.at("run").at("machine").get<std::vector<std::string>>()) {
      if (std::find(others.begin(), others.end(), each) == others.end()) {
        line("machine of {}: {}", which, each);
      }
    }
  }

  static std::map<std::string, std::string> parameters_of(const ordered_json& profile,
                                                          const char* which) {
    std::map<std::string, std::string> all;
    for (const auto& each : profile.at("run").at("parameters")) {
      all[each.at("name")] = each.at(which).get<std::string>();
    }
    return all;
  }

  void add_parameters() {
    const auto a = parameters_of(first_, "value");
    const auto b = parameters_of(second_, "value");
    auto fallback = parameters_of(first_, "default");
    fallback.merge(parameters_of(second_, "default"));
    for (const auto& [name, value] : fallback) {
      const auto in_a = a.find(name);
      const auto in_b = b.find(name);
      const std::string& of_a = in_a == a.end() ? value : in_a->second;
      const std::string& of_b = in_b == b.end() ? value : in_b->second;
      if (of_a != of_b) line("{}: {} in A, {} in B", name, of_a, of_b);
    }
  }

  void head(const char* what) {
    line("\n{:>13} {:>13} {:>13} {:>8} {:>12} {:>12}  {}", "A (s)", "B (s)", "B - A (s)", "B / A",
         "A calls", "B calls", what);
  }

  void row(const Pair& pair) {
    const auto calls = [](double number) {
      return number < 0 ? std::string("-")
                        : fmt::format("{:.{}f}", number, number == std::floor(number) ? 0 : 1);
    };
    // Less than half of the last digit is no minus.
    const double change = std::abs(pair.change()) < 5e-7 ? 0 : pair.change();
    line("{:>13.6f} {:>13.6f} {:>+13.6f} {:>8} {:>12} {:>12}  {}", pair.first, pair.second, change,
         pair.first > 0 ? fmt::format("{:.3f}", pair.second / pair.first) : "-",
         calls(pair.first_calls), calls(pair.second_calls), pair.name);
  }

  Pair of_time(const char* name, const char* part, const char* key) const {
    const auto value = [&](const ordered_json& profile) {
      const ordered_json& time = profile.at("time").at(part);
      return mean_of(key == nullptr ? time : time.at(key));
    };
    return {name, value(first_), value(second_)};
  }

  void add_times() {
    head("a rank's time (mean)");
    row(of_time("whole", "whole", nullptr));
    for (const auto& [name, time] : first_.at("time").at("groups").items()) {
      const Pair pair = of_time(name.c_str(), "groups", name.c_str());
      if (pair.first > 0 || pair.second > 0) row(pair);
    }
    for (const char* const part : {"lost_computing", "lost_in_calls"}) {
      for (const auto& [name, time] : first_.at("time").at(part).items()) {
        Pair pair = of_time(name.c_str(), part, name.c_str());
        if (pair.first <= 0 && pair.second <= 0) continue;
        const bool computing = part == std::string_view("lost_computing");
        pair.name = fmt::format("{} by {}", computing ? "stolen from USER" : "lost in calls", name);
        row(pair);
      }
    }
    const Pair locks = of_time("waiting for locks, in calls", "waiting_for_locks", nullptr);
    if (locks.first > 0 || locks.second > 0) row(locks);
  }

  void add_calls() {
    std::vector<Pair> pairs;
    const auto pair_of = [&](const std::string& name) -> Pair& {
      for (Pair& each : pairs) {
        if (each.name == name) return each;
      }
      return pairs.emplace_back(Pair{name, 0, 0, 0, 0});
    };
    for (const auto& call : first_.at("calls")) {
      Pair& pair = pair_of(call.at("name"));
      pair.first = mean_of(call.at("seconds"));
      pair.first_calls = call.at("calls").get<double>() / ranks_of(first_);
    }
    for (const auto& call : second_.at("calls")) {
      Pair& pair = pair_of(call.at("name"));
      pair.second = mean_of(call.at("seconds"));
      pair.second_calls = call.at("calls").get<double>() / ranks_of(second_);
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
      return std::abs(a.change()) > std::abs(b.change());
    });
    head("function, by how much it changed");
    for (const Pair& pair : pairs) row(pair);
  }

  const ordered_json& first_;
  const ordered_json& second_;
  std::string text_;
};

}  // namespace

std::string compare_profiles(const ordered_json& first, const ordered_json& second) {
  return Comparison(first, second).text();
}

}  // namespace launch
