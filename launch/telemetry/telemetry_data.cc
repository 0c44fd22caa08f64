// From a run's logs to paths that people can read.
#include "launch/telemetry/telemetry_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "corespec/host/check.h"

namespace launch {
namespace {

using corespec::Time;
using telemetry::Component;
using telemetry::MarkedCommand;
using telemetry::Taking;

const char* kind_name(ugni::TransactionKind kind) {
  switch (kind) {
    case ugni::TransactionKind::put:
      return "put";
    case ugni::TransactionKind::get:
      return "get";
    case ugni::TransactionKind::cq_write:
      return "cq_write";
    case ugni::TransactionKind::message:
      return "message";
    case ugni::TransactionKind::credit:
      return "credit";
    case ugni::TransactionKind::datagram:
      return "datagram";
    case ugni::TransactionKind::atomic:
      return "atomic";
    case ugni::TransactionKind::collective:
      return "collective";
  }
  CASTOR_NEVER("a kind of transaction without a name");
}

/// Data, or an old value, comes back to the command's own endpoint.
bool brings_back(ugni::TransactionKind kind) {
  return kind == ugni::TransactionKind::get || kind == ugni::TransactionKind::atomic;
}

std::string position_text(const gemini::Topology& topology, std::uint32_t router) {
  std::string text;
  for (const unsigned each : topology.position(router)) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", each);
  }
  return text;
}

class Gathering {
 public:
  explicit Gathering(const TelemetrySources& sources)
      : sources_(sources), sites_([&sources](int rank, corespec::ContextNumber context) {
          return sources.endpoints->places(rank, context);
        }) {
    data_.choice = sources.choice;
    data_.ranks = sources.ranks;
  }

  TelemetryData gather() {
    read_endpoints();
    read_components();
    JoinSettings settings;
    settings.skew = sources_.clock_skew;
    settings.longest_link = sources_.longest_link;
    for (JoinedPath& path : join_paths(logs_, issued_, settings)) add(path);
    // By time, as people look for them.
    std::stable_sort(
        data_.paths.begin(), data_.paths.end(),
        [](const TelemetryPath& a, const TelemetryPath& b) { return a.issued < b.issued; });
    data_.sites = sites_.take();
    return std::move(data_);
  }

 private:
  struct Command {
    const MarkedCommand* command;
    int rank;
  };
  struct Taken {
    const Taking* taking;
    int rank;
  };
  using MarkOf = std::pair<std::uint32_t, std::uint32_t>;  // source, mark

  void read_endpoints() {
    for (int rank = 0; rank < sources_.ranks; ++rank) {
      const EndpointNotes notes = sources_.endpoints->of(rank);
      data_.commands += notes.issued;
      data_.endpoint_records += notes.commands.size() + notes.takings.size();
      for (const MarkedCommand& command : notes.commands) {
        commands_.push_back({&command, rank});
        issued_.push_back(
            {command.flow.source.nid, command.flow.target.nid, command.mark, command.issued});
        ranks_[command.flow.source] = rank;
      }
      for (const Taking& taking : notes.takings) {
        takings_[{taking.source, taking.mark}].push_back({&taking, rank});
      }
    }
    data_.marked = commands_.size();
  }

  void read_log(Component component) {
    const telemetry::ComponentLog& log = sources_.records->log(component);
    if (log.is_empty()) return;
    number_of(component);
    UsedComponent& used = data_.components.back();
    used.records = log.records().size();
    used.lost = log.lost();
    data_.records += used.records;
    data_.lost += used.lost;
    logs_.push_back({component, log.records()});
  }

  void read_components() {
    for (std::uint32_t nid = 0; nid < sources_.records->nics(); ++nid) {
      read_log(Component::nic(nid));
    }
    for (std::uint32_t router = 0; router < sources_.records->routers(); ++router) {
      read_log(Component::router(router));
    }
  }

  std::uint32_t number_of(Component component) {
    const auto [found, fresh] =
        numbers_.try_emplace(component.bits(), static_cast<std::uint32_t>(data_.components.size()));
    if (fresh) {
      UsedComponent& made = data_.components.emplace_back();
      made.component = component;
      made.name = component.is_router()
                      ? fmt::format("router {} ({})", component.number(),
                                    position_text(*sources_.topology, component.number()))
                      : fmt::format("NIC nid{:05}", component.number());
    }
    return found->second;
  }

  /// The rank of a communication domain: libraries give theirs the rank's number.
  int rank_of(const telemetry::FlowEnd& end) const {
    if (const auto found = ranks_.find(end); found != ranks_.end()) return found->second;
    const auto rank = static_cast<int>(end.instance);
    const bool is_one = end.instance < static_cast<std::uint32_t>(sources_.ranks) &&
                        sources_.nid_of(rank) == static_cast<int>(end.nid);
    return is_one ? rank : -1;
  }

  std::string end_text(const telemetry::FlowEnd& end) const {
    const int rank = rank_of(end);
    return rank >= 0 ? fmt::format("rank {}", rank)
                     : fmt::format("nid{:05} instance {}", end.nid, end.instance);
  }

  std::string behind_text(const PathStep& step) const {
    if (step.behind == 0) return {};
    const telemetry::Flow& flow = sources_.records->log(step.component).flow(step.behind);
    // Nothing has been there before: it waited for something else, like the NIC's window.
    if (flow == telemetry::Flow()) return {};
    return fmt::format("{} to {}", end_text(flow.source), end_text(flow.target));
  }

  std::string link_text(const PathStep& step) const {
    if (!step.component.is_router()) return {};
    const unsigned links = sources_.topology->links_per_router();
    if (step.port < links) return std::string(sources_.topology->link_name(step.port));
    return step.port == links ? "host port" : "Netlink";
  }

  void add(const JoinedPath& joined) {
    TelemetryPath& path = data_.paths.emplace_back();
    path.source = joined.source;
    path.mark = joined.mark;
    path.ambiguous = joined.ambiguous;
    path.whole = joined.whole();
    path.command_sent = joined.command_sent;
    for (const Component each : joined.missing) path.missing.push_back(number_of(each));
    const MarkedCommand* command = nullptr;
    if (joined.command >= 0) {
      const Command& its = commands_[static_cast<std::size_t>(joined.command)];
      command = its.command;
      describe(its, path);
    } else if (!joined.steps.empty()) {
      path.issued = joined.steps.front().arrived;
    }
    add_stays(joined, command, path);
  }

  void describe(const Command& its, TelemetryPath& path) {
    const MarkedCommand& command = *its.command;
    path.rank = its.rank;
    path.peer = rank_of(command.flow.target);
    path.target = command.flow.target.nid;
    path.kind = kind_name(command.kind);
    path.bytes = command.bytes;
    if (command.call != nullptr) path.call = command.call;
    path.site = sites_.of(its.rank, command.context);
    path.issued = command.issued;
    if (command.far.rank >= 0) path.far_site = sites_.of(command.far.rank, command.far.context);
  }

  /// What has taken the end of the path's command.
  const Taken* taken_of(const TelemetryPath& path, bool at_source, Time from) {
    const auto found = takings_.find({path.source, path.mark});
    if (found == takings_.end()) return nullptr;
    for (const Taken& each : found->second) {
      const bool answer = each.taking->what == Taking::What::answer;
      if (answer == at_source && each.taking->what != Taking::What::message &&
          each.taking->at >= from) {
        return &each;
      }
    }
    return nullptr;
  }

  /// The receive that has got the path's message.
  void find_receive(const MarkedCommand* command, TelemetryPath& path) {
    const auto found = takings_.find({path.source, path.mark});
    if (command == nullptr || found == takings_.end() || path.far_site != 0) return;
    for (const Taken& each : found->second) {
      // Packets of one sender may overtake each other: the number says whose this one was.
      if (each.taking->what != Taking::What::message || each.taking->at < path.issued ||
          each.taking->message != command->message) {
        continue;
      }
      path.far_site = sites_.of(each.rank, each.taking->context);
      return;
    }
  }

  void add_stays(const JoinedPath& joined, const MarkedCommand* command, TelemetryPath& path) {
    const bool back = command != nullptr && brings_back(command->kind);
    if (command != nullptr && !joined.steps.empty()) {
      Stay cpu;
      cpu.where = Stay::Where::issuing_cpu;
      cpu.begin = command->issued;
      cpu.time = joined.steps.front().arrived - command->issued;
      path.stays.push_back(std::move(cpu));
    }
    Time end = path.issued;
    bool ended = false;  // of the way that its data takes
    for (std::size_t i = 0; i < joined.steps.size(); ++i) {
      add_stay(joined, i, path);
      const PathStep& step = joined.steps[i];
      if (!step.delivered || step.response != back) continue;
      end = step.arrived + step.waited;
      ended = true;
      add_taking(path, back, end);
    }
    if (!ended && !joined.steps.empty()) {
      end = joined.steps.back().arrived + joined.steps.back().waited;
    }
    path.total = end - path.issued;
    find_receive(command, path);
    // Delays of what does not block are the wait's, too, that completes it.
    const Taken* taken = taken_of(path, back, path.issued);
    if (taken == nullptr) taken = taken_of(path, true, path.issued);
    if (taken == nullptr) return;
    if (taken->taking->call != nullptr) path.wait_call = taken->taking->call;
    path.wait_site = sites_.of(taken->rank, taken->taking->context);
  }

  void add_stay(const JoinedPath& joined, std::size_t at, TelemetryPath& path) {
    const PathStep& step = joined.steps[at];
    Stay stay;
    stay.component = number_of(step.component);
    stay.response = step.response;
    stay.after_gap = step.after_gap;
    stay.begin = step.arrived;
    // The way back begins when the request has been answered, which is no stay of the NIC's.
    const bool goes_on = at + 1 < joined.steps.size() && !step.delivered;
    stay.time = goes_on ? joined.steps[at + 1].arrived - step.arrived : step.waited;
    if (!step.delivered) stay.waited = step.waited;
    stay.behind = behind_text(step);
    stay.link = link_text(step);
    UsedComponent& used = data_.components[stay.component];
    used.waited += stay.waited;
    used.longest_wait = std::max(used.longest_wait, stay.waited);
    path.stays.push_back(std::move(stay));
  }

  /// The data is at its NIC; `end` becomes when a CPU has taken it, if one has.
  void add_taking(TelemetryPath& path, bool at_source, Time& end) {
    const Taken* const taken = taken_of(path, at_source, path.issued);
    if (taken == nullptr || taken->taking->at < end) return;
    if (path.peer < 0 && !at_source) path.peer = taken->rank;
    Stay cpu;
    cpu.where = Stay::Where::taking_cpu;
    cpu.response = at_source;
    cpu.begin = end;
    cpu.time = taken->taking->at - end;
    path.stays.push_back(std::move(cpu));
    end = taken->taking->at;
  }

  const TelemetrySources& sources_;
  TelemetryData data_;
  CallSites sites_;
  std::vector<Command> commands_;
  std::vector<IssuedCommand> issued_;
  std::vector<ComponentRecords> logs_;
  std::map<MarkOf, std::vector<Taken>> takings_;
  std::map<telemetry::FlowEnd, int> ranks_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;  // of components, by bits
};

}  // namespace

std::uint64_t TelemetryData::log_bytes() const {
  return (records + endpoint_records) * sizeof(telemetry::Record);
}

TelemetryData gather_telemetry(const TelemetrySources& sources) {
  return Gathering(sources).gather();
}

}  // namespace launch
