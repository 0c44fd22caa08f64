// A profile as text for a terminal.
#include "launch/profile/profile_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace launch {
namespace {

/// Functions with less than this share of the time stand in one line together.
constexpr double least_percent = 0.05;

class Table {
 public:
  Table(const ProfileSummary& profile, std::string& to)
      : to_(to), ranks_(profile.ranks), whole_(profile.whole.mean > 0 ? profile.whole.mean : 1) {}

  void head() {
    fmt::format_to(std::back_inserter(to_), "{:>7} {:>13} {:>12} {:>6} {:>8} {:>13}  {}\n", "Time%",
                   "Time (s)", "Imb. (s)", "Imb.%", "Slowest", "Calls", "Function");
  }
  double percent(const OverRanks& time) const { return 100 * time.mean / whole_; }
  /// `calls`: of all ranks; negative: they mean nothing here.
  void row(const OverRanks& time, double calls, const std::string& name) {
    const std::string counted =
        calls < 0 ? "-" : fmt::format("{:.{}f}", calls / count(), whole_number(calls) ? 0 : 1);
    const bool balanced = ranks_ < 2;
    fmt::format_to(
        std::back_inserter(to_), "{:>6.1f}% {:>13.6f} {:>12} {:>6} {:>8} {:>13}  {}\n",
        percent(time), time.mean, balanced ? "-" : fmt::format("{:.6f}", time.imbalance_s()),
        balanced ? "-" : fmt::format("{:.1f}%", time.imbalance_percent(ranks_)),
        balanced || time.slowest < 0 ? "-" : std::to_string(time.slowest), counted, name);
  }

 private:
  double count() const { return static_cast<double>(std::max<std::size_t>(ranks_, 1)); }
  bool whole_number(double calls) const { return std::fmod(calls, count()) == 0; }

  std::string& to_;
  std::size_t ranks_;
  double whole_;
};

void add_group(const ProfileSummary& profile, CallGroup group, Table& table) {
  OverRanks rest;
  rest.slowest = -1;
  double rest_calls = 0;
  int left_out = 0;
  for (const CallSummary& call : profile.calls) {
    if (call.group != group || call.calls == 0) continue;
    if (table.percent(call.time) < least_percent) {
      rest.mean += call.time.mean;
      rest.most += call.time.most;
      rest_calls += static_cast<double>(call.calls);
      ++left_out;
      continue;
    }
    table.row(call.time, static_cast<double>(call.calls), "    " + call.name);
  }
  if (left_out > 0) {
    table.row(rest, rest_calls,
              fmt::format("    ({} with less than {:.2f} % each)", left_out, least_percent));
  }
}

void add_losses(const std::array<OverRanks, losses>& lost, Table& table) {
  for (std::size_t i = 0; i < losses; ++i) {
    if (lost[i].total <= 0) continue;
    table.row(lost[i], -1, fmt::format("    by {}", name_of(static_cast<Loss>(i))));
  }
}

OverRanks sum(const std::array<OverRanks, losses>& lost) {
  OverRanks all;
  all.slowest = -1;
  for (const OverRanks& each : lost) {
    all.total += each.total;
    all.mean += each.mean;
    all.most += each.most;
  }
  return all;
}

void add_functions(const ProfileSummary& profile, std::string& text) {
  Table table(profile, text);
  table.head();
  double calls = 0;
  for (const std::uint64_t each : profile.group_calls) calls += static_cast<double>(each);
  table.row(profile.whole, calls, "Total");
  for (std::size_t i = 0; i < call_groups; ++i) {
    const auto group = static_cast<CallGroup>(i);
    if (profile.group_calls[i] == 0 && profile.groups[i].total <= 0) continue;
    table.row(profile.groups[i], static_cast<double>(profile.group_calls[i]),
              std::string("  ") + name_of(group));
    add_group(profile, group, table);
  }
  const OverRanks stolen = sum(profile.lost_computing);
  if (stolen.total > 0) {
    table.row(stolen, -1, "  STOLEN from USER");
    add_losses(profile.lost_computing, table);
  }
  const OverRanks inside = sum(profile.lost_in_calls);
  if (profile.lock_waits.total > 0 || inside.total > 0) {
    text += "  of which within calls\n";
    if (profile.lock_waits.total > 0) table.row(profile.lock_waits, -1, "    waiting for locks");
    add_losses(profile.lost_in_calls, table);
  }
  const bool others = std::any_of(profile.calls.begin(), profile.calls.end(), [](const auto& call) {
    return call.group == CallGroup::others && call.calls != 0;
  });
  if (!others) return;
  fmt::format_to(std::back_inserter(text), "  {} of the ranks, beside it\n",
                 name_of(CallGroup::others));
  add_group(profile, CallGroup::others, table);
}

void add_sizes(const ProfileSummary& profile, std::string& text) {
  std::uint64_t all = 0;
  for (const SizeHistogram& sizes : profile.sizes) all += sizes.messages();
  if (all == 0) return;
  const auto ranks = static_cast<double>(std::max<std::size_t>(profile.ranks, 1));
  text += "\nMessages that a rank sent, by bytes (mean of the ranks)\n";
  fmt::format_to(std::back_inserter(text), "{:>13}", "bytes");
  for (std::size_t kind = 0; kind < message_kinds; ++kind) {
    fmt::format_to(std::back_inserter(text), " {:>15}", name_of(static_cast<MessageKind>(kind)));
  }
  fmt::format_to(std::back_inserter(text), " {:>13}\n", "MB");
  for (std::size_t number = 0; number < SizeHistogram::classes; ++number) {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    for (const SizeHistogram& sizes : profile.sizes) {
      messages += sizes.messages(number);
      bytes += sizes.bytes(number);
    }
    if (messages == 0) continue;
    fmt::format_to(std::back_inserter(text), "{:>13}", size_class_text(number));
    for (const SizeHistogram& sizes : profile.sizes) {
      fmt::format_to(std::back_inserter(text), " {:>15.1f}",
                     static_cast<double>(sizes.messages(number)) / ranks);
    }
    fmt::format_to(std::back_inserter(text), " {:>13.3f}\n",
                   static_cast<double>(bytes) / ranks / 1e6);
  }
}

void add_protocols(const ProfileSummary& profile, std::string& text) {
  if (profile.protocols.empty()) return;
  text += "\nHow they went (all ranks)\n";
  fmt::format_to(std::back_inserter(text), "{:>13} {:>15} {:>15}\n", "protocol", "messages", "MB");
  for (const ProtocolStatistics& each : profile.protocols) {
    fmt::format_to(std::back_inserter(text), "{:>13} {:>15} {:>15.3f}\n", each.name, each.messages,
                   static_cast<double>(each.bytes) / 1e6);
  }
}

void add_service(const ProfileSummary& profile, std::string& text) {
  if (profile.service.turns == 0 && profile.service.received == 0 && profile.service.sent == 0) {
    return;
  }
  fmt::format_to(std::back_inserter(text),
                 "\nProgress and helper threads (all ranks): {} turns on a CPU, {:.6f} s of CPU "
                 "time, {} messages sent, {} received\n",
                 profile.service.turns, profile.service.cpu_time.s(), profile.service.sent,
                 profile.service.received);
}

/// What the CPUs gave the main threads: live, as the host counts.
void add_cpus(const ProfileSummary& profile, std::string& text) {
  if (profile.cpu_time.total <= 0) return;
  fmt::format_to(std::back_inserter(text),
                 "\nMain threads (mean): {:.6f} s on a CPU, {:.6f} s ready without one\n",
                 profile.cpu_time.mean, profile.without_cpu.mean);
}

}  // namespace

std::string short_bytes(std::uint64_t bytes) {
  static const char* const units[] = {"", "K", "M", "G", "T"};
  std::size_t unit = 0;
  while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < std::size(units)) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", bytes, units[unit]);
}

std::string size_class_text(std::size_t number) {
  if (number <= 1) return number == 0 ? "0" : "1";
  const std::uint64_t begin = SizeHistogram::begin_of(number);
  const std::uint64_t end = SizeHistogram::begin_of(number + 1);
  if (number + 1 == SizeHistogram::classes) return fmt::format(">= {}", short_bytes(begin));
  if (end <= 1024) return fmt::format("{} - {}", begin, end - 1);
  return fmt::format("{} - {}", short_bytes(begin), short_bytes(end));
}

std::string profile_text(const ProfileSummary& profile, const RunDescription& run) {
  std::string text =
      fmt::format("Profile of {} rank{}, their mean; {} time {:.6f} s\n", profile.ranks,
                  profile.ranks == 1 ? "" : "s", run.clock, run.time_s);
  add_functions(profile, text);
  add_sizes(profile, text);
  add_protocols(profile, text);
  add_cpus(profile, text);
  add_service(profile, text);
  return text;
}

}  // namespace launch
