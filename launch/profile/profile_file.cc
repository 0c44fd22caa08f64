// Profiles as JSON.
#include "launch/profile/profile_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "corespec/host/printable.h"

namespace launch {
namespace {

using corespec::Time;
using nlohmann::ordered_json;

constexpr const char* format_name = "castor profile 1";

ordered_json json_of(const OverRanks& time) {
  return {{"total", time.total},
          {"mean", time.mean},
          {"min", time.least},
          {"max", time.most},
          {"slowest_rank", time.slowest}};
}

/// Rows of [fewest bytes of the class, messages, bytes]; classes without messages are left out.
ordered_json json_of(const SizeHistogram& sizes) {
  ordered_json rows = ordered_json::array();
  for (std::size_t i = 0; i < SizeHistogram::classes; ++i) {
    if (sizes.messages(i) == 0) continue;
    rows.push_back({SizeHistogram::begin_of(i), sizes.messages(i), sizes.bytes(i)});
  }
  return rows;
}

SizeHistogram histogram_of(const ordered_json& rows) {
  SizeHistogram made;
  for (const auto& row : rows) {
    made.add(SizeHistogram::class_of(row.at(0).get<std::uint64_t>()), row.at(1), row.at(2));
  }
  return made;
}

ordered_json json_of(const ProtocolStatistics& protocol) {
  return {{"name", protocol.name}, {"messages", protocol.messages}, {"bytes", protocol.bytes}};
}

template <typename Name>
ordered_json json_of(const std::array<OverRanks, losses>& lost, const Name& name) {
  ordered_json made;
  for (std::size_t i = 0; i < losses; ++i) made[name(i)] = json_of(lost[i]);
  return made;
}

ordered_json calls_json(const ProfileSummary& summary) {
  ordered_json calls = ordered_json::array();
  for (const CallSummary& call : summary.calls) {
    calls.push_back({{"name", call.name},
                     {"group", name_of(call.group)},
                     {"calls", call.calls},
                     {"seconds", json_of(call.time)},
                     {"imbalance_percent", call.time.imbalance_percent(summary.ranks)},
                     {"longest_call", call.longest_s},
                     {"messages", call.messages},
                     {"bytes", call.bytes},
                     {"sizes", json_of(call.sizes)}});
  }
  return calls;
}

ordered_json time_json(const ProfileSummary& summary) {
  const auto loss_name = [](std::size_t i) { return name_of(static_cast<Loss>(i)); };
  ordered_json groups;
  for (std::size_t i = 0; i < call_groups; ++i) {
    groups[name_of(static_cast<CallGroup>(i))] = json_of(summary.groups[i]);
  }
  return {{"whole", json_of(summary.whole)},
          {"groups", groups},
          {"lost_computing", json_of(summary.lost_computing, loss_name)},
          {"lost_in_calls", json_of(summary.lost_in_calls, loss_name)},
          {"waiting_for_locks", json_of(summary.lock_waits)},
          {"cpu", json_of(summary.cpu_time)},
          {"without_cpu", json_of(summary.without_cpu)}};
}

/// One row for each rank; what its columns are stands beside them.
ordered_json ranks_json(const ProfileData& data) {
  ordered_json columns = {"rank", "nid", "begin", "end"};
  for (std::size_t i = 0; i < call_groups; ++i) {
    columns.push_back(name_of(static_cast<CallGroup>(i)));
  }
  for (const char* const part : {"lost_computing", "lost_in_calls"}) {
    for (std::size_t i = 0; i < losses; ++i) {
      columns.push_back(fmt::format("{}: {}", part, name_of(static_cast<Loss>(i))));
    }
  }
  for (const char* const each :
       {"waiting_for_locks", "cpu", "without_cpu", "messages", "bytes", "service_cpu",
        "service_turns", "service_sent", "service_received"}) {
    columns.push_back(each);
  }
  ordered_json rows = ordered_json::array();
  for (const RankProfile& rank : data.ranks) {
    std::array<Time, call_groups> groups{};
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < rank.calls.size(); ++i) {
      const CallGroup group = group_of(data.calls[i]);
      if (group != CallGroup::others) groups[static_cast<std::size_t>(group)] += rank.calls[i].time;
      messages += rank.calls[i].messages;
      bytes += rank.calls[i].bytes;
    }
    groups[static_cast<std::size_t>(CallGroup::computing)] = rank.computing;
    ordered_json row = {rank.rank, rank.nid, rank.begin.s(), rank.end.s()};
    for (const Time time : groups) row.push_back(time.s());
    for (const Time time : rank.lost_computing) row.push_back(time.s());
    for (const Time time : rank.lost_in_calls) row.push_back(time.s());
    row.push_back(rank.lock_waits.s());
    row.push_back(rank.cpu_time.s());
    row.push_back(rank.without_cpu.s());
    row.push_back(messages);
    row.push_back(bytes);
    row.push_back(rank.service.cpu_time.s());
    row.push_back(rank.service.turns);
    row.push_back(rank.service.sent);
    row.push_back(rank.service.received);
    rows.push_back(std::move(row));
  }
  return {{"columns", columns}, {"rows", rows}};
}

std::string reason(const std::string& file, const std::string& why) {
  return fmt::format("{}: {}", corespec::printable(file), why);
}

}  // namespace

ordered_json run_json(const RunDescription& run) {
  ordered_json parameters = ordered_json::array();
  for (const ChangedParameter& each : run.parameters) {
    parameters.push_back({{"name", each.name}, {"value", each.value}, {"default", each.fallback}});
  }
  return {{"command", run.command},    {"program", run.program},         {"clock", run.clock},
          {"system", run.system},      {"machine", run.machine},         {"ranks", run.ranks},
          {"nodes", run.nodes},        {"nid_of_rank", run.nid_of_rank}, {"parameters", parameters},
          {"seconds", run.time_s},     {"fingerprint", run.fingerprint}, {"measured", run.measured},
          {"exit_code", run.exit_code}};
}

ordered_json profile_json(const ProfileData& data, const ProfileSummary& summary,
                          const RunDescription& run) {
  ordered_json sizes;
  for (std::size_t i = 0; i < message_kinds; ++i) {
    sizes[name_of(static_cast<MessageKind>(i))] = json_of(summary.sizes[i]);
  }
  ordered_json protocols = ordered_json::array();
  for (const ProtocolStatistics& each : summary.protocols) protocols.push_back(json_of(each));
  return {{"format", format_name},
          {"run", run_json(run)},
          {"time", time_json(summary)},
          {"calls", calls_json(summary)},
          {"sizes", sizes},
          {"protocols", protocols},
          {"service",
           {{"seconds", json_of(summary.service_time)},
            {"turns", summary.service.turns},
            {"sent", summary.service.sent},
            {"received", summary.service.received}}},
          {"ranks", ranks_json(data)}};
}

ordered_json rank_calls_json(const ProfileData& data, const ProfileSummary& summary) {
  constexpr std::size_t most = 10;
  std::vector<const CallSummary*> longest;
  for (const CallSummary& call : summary.calls) {
    if (call.time.total > 0 && call.group != CallGroup::others) longest.push_back(&call);
  }
  std::stable_sort(longest.begin(), longest.end(), [](const CallSummary* a, const CallSummary* b) {
    return a->time.total > b->time.total;
  });
  if (longest.size() > most) longest.resize(most);
  ordered_json names = ordered_json::array();
  ordered_json seconds = ordered_json::array();
  for (const CallSummary* const call : longest) {
    const auto number = static_cast<std::size_t>(
        std::find(data.calls.begin(), data.calls.end(), call->name) - data.calls.begin());
    ordered_json row = ordered_json::array();
    for (const RankProfile& rank : data.ranks) {
      row.push_back(number < rank.calls.size() ? rank.calls[number].time.s() : 0.0);
    }
    names.push_back(call->name);
    seconds.push_back(std::move(row));
  }
  return {{"names", names}, {"seconds", seconds}};
}

std::string text_of(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string lines_of(const ordered_json& object) {
  std::string text;
  for (const auto& [key, value] : object.items()) {
    text += fmt::format("{}{}:{}", text.empty() ? "{" : ",\n", text_of(key), text_of(value));
  }
  return text + "}\n";
}

ordered_json read_profile(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw std::invalid_argument(reason(file, std::strerror(errno)));
  ordered_json read;
  try {
    read = ordered_json::parse(stream);
  } catch (const nlohmann::json::exception&) {
    throw std::invalid_argument(reason(file, "no JSON; it must be a file of aprun --profile"));
  }
  if (!read.is_object() || read.value("format", "") != format_name) {
    throw std::invalid_argument(
        reason(file, fmt::format("no \"{}\"; it must be a file of aprun --profile", format_name)));
  }
  return read;
}

// ---- on the way to the launcher

std::string pack_profile(const ProfileData& data) {
  ordered_json ranks = ordered_json::array();
  const auto times = [](const auto& lost) {
    ordered_json made = ordered_json::array();
    for (const Time time : lost) made.push_back(time.ps());
    return made;
  };
  for (const RankProfile& rank : data.ranks) {
    ordered_json calls = ordered_json::array();
    for (const CallStatistics& call : rank.calls) {
      calls.push_back({call.calls, call.time.ps(), call.longest.ps(), call.messages, call.bytes});
    }
    ranks.push_back({rank.rank, rank.nid, rank.begin.ps(), rank.end.ps(), rank.computing.ps(),
                     rank.lock_waits.ps(), times(rank.lost_computing), times(rank.lost_in_calls),
                     rank.service.cpu_time.ps(), rank.service.turns, rank.service.sent,
                     rank.service.received, rank.cpu_time.ps(), rank.without_cpu.ps(), calls});
  }
  ordered_json sizes = ordered_json::array();
  for (const SizeHistogram& each : data.sizes) sizes.push_back(json_of(each));
  ordered_json kinds = ordered_json::array();
  for (const SizeHistogram& each : data.sizes_by_kind) kinds.push_back(json_of(each));
  ordered_json protocols = ordered_json::array();
  for (const ProtocolStatistics& each : data.protocols) {
    protocols.push_back({each.name, each.messages, each.bytes});
  }
  return ordered_json{{"calls", data.calls},
                      {"sizes", sizes},
                      {"kinds", kinds},
                      {"protocols", protocols},
                      {"ranks", ranks}}
      .dump();
}

ProfileData unpack_profile(std::string_view text) {
  try {
    const ordered_json packed = ordered_json::parse(text);
    ProfileData data;
    data.calls = packed.at("calls").get<std::vector<std::string>>();
    for (const auto& each : packed.at("sizes")) data.sizes.push_back(histogram_of(each));
    for (std::size_t i = 0; i < message_kinds; ++i) {
      data.sizes_by_kind[i] = histogram_of(packed.at("kinds").at(i));
    }
    if (data.sizes.size() != data.calls.size()) throw std::runtime_error("sizes without calls");
    for (const auto& each : packed.at("protocols")) {
      data.protocols.push_back({each.at(0), each.at(1), each.at(2)});
    }
    const auto time = [](const ordered_json& ps) {
      return Time::picoseconds(ps.get<std::int64_t>());
    };
    for (const auto& row : packed.at("ranks")) {
      RankProfile& rank = data.ranks.emplace_back();
      rank.rank = row.at(0);
      rank.nid = row.at(1);
      rank.begin = time(row.at(2));
      rank.end = time(row.at(3));
      rank.computing = time(row.at(4));
      rank.lock_waits = time(row.at(5));
      for (std::size_t i = 0; i < losses; ++i) {
        rank.lost_computing[i] = time(row.at(6).at(i));
        rank.lost_in_calls[i] = time(row.at(7).at(i));
      }
      rank.service = {time(row.at(8)), row.at(9), row.at(10), row.at(11)};
      rank.cpu_time = time(row.at(12));
      rank.without_cpu = time(row.at(13));
      for (const auto& call : row.at(14)) {
        rank.calls.push_back(
            {call.at(0), time(call.at(1)), time(call.at(2)), call.at(3), call.at(4)});
      }
      if (rank.calls.size() > data.calls.size()) throw std::runtime_error("calls without names");
    }
    return data;
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(error.what());
  }
}

}  // namespace launch
