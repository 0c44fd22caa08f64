// From records to paths.
#include "launch/telemetry/join_paths.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

namespace launch {
namespace {

using corespec::Time;
using telemetry::Component;
using telemetry::Record;

struct Item {
  const Record* record;
  Component component;
  bool used = false;
};

/// What there is of one mark of one source.
struct Marked {
  std::vector<Item> items;
  std::vector<std::int64_t> commands;  ///< by time
};

using OfSource = std::unordered_map<std::uint32_t, Marked>;  // by mark

/// When a packet is to be expected where it goes next.
struct Expected {
  Time earliest, latest;
};

class Follower {
 public:
  Follower(Marked& marked, const JoinSettings& settings) : marked_(marked), settings_(settings) {
    // The order of a packet's own life, as far as clocks tell it.
    std::stable_sort(marked_.items.begin(), marked_.items.end(), [](const Item& a, const Item& b) {
      return a.record->arrived_ps < b.record->arrived_ps;
    });
  }

  /// The path of a command: its records from `issued` on, before `next` (the next command that has
  /// the same mark).
  void follow(const IssuedCommand& command, Time next, JoinedPath& path) {
    until_ = next;
    for (Item& item : marked_.items) {
      if (item.used || !item.record->is(Record::command) || !in_time(item, command.issued))
        continue;
      item.used = true;
      path.command_sent = item.record->arrived() + item.record->waited();
      break;
    }
    follow_way(Component::nic(command.source), false, command.issued, path);
    follow_way(Component::nic(command.target), true, command.issued, path);
  }

  /// What is left: packets that components have marked, or whose command is not known.
  bool follow_rest(JoinedPath& path) {
    until_ = Time::max();
    for (Item& item : marked_.items) {
      if (item.used) continue;
      if (item.record->is(Record::command)) {
        item.used = true;
        continue;
      }
      const bool response = item.record->is(Record::response);
      add(item, path);
      walk(item, path);
      if (!response) follow_way(end_of(path), true, item.record->arrived(), path);
      return true;
    }
    return false;
  }

 private:
  bool in_time(const Item& item, Time from) const {
    return item.record->arrived() + slack() >= from && item.record->arrived() < until_;
  }
  Time slack() const { return settings_.skew + settings_.skew; }
  static Component end_of(const JoinedPath& path) { return path.steps.back().component; }

  /// From the NIC where a way begins to the one where it ends.
  void follow_way(Component begin, bool response, Time from, JoinedPath& path) {
    Item* item = find(begin, response, {from - slack(), until_}, path);
    if (item == nullptr) {
      // Nothing at all of this way is no gap in it: it may not have been there.
      item = next_of_way(response, from);
      if (item == nullptr) return;
      path.missing.push_back(begin);
      add(*item, path);
      path.steps.back().after_gap = true;
    } else {
      add(*item, path);
    }
    walk(*item, path);
  }

  /// From a record on, to where the packet goes next.
  void walk(const Item& first, JoinedPath& path) {
    const Item* at = &first;
    while (!at->record->is(Record::delivered)) {
      const bool response = at->record->is(Record::response);
      const Time left = at->record->arrived() + at->record->waited();
      const Component next = at->record->next_hop();
      Item* item =
          find(next, response, {left - slack(), left + settings_.longest_link + slack()}, path);
      if (item == nullptr) {
        path.missing.push_back(next);
        item = next_of_way(response, left);
        if (item == nullptr) return;
        add(*item, path);
        path.steps.back().after_gap = true;
      } else {
        add(*item, path);
      }
      at = item;
    }
  }

  /// The unused record of the component that fits best.
  Item* find(Component component, bool response, const Expected& expected, JoinedPath& path) {
    Item* found = nullptr;
    for (Item& item : marked_.items) {
      if (item.used || item.component != component || item.record->is(Record::command) ||
          item.record->is(Record::response) != response) {
        continue;
      }
      const Time arrived = item.record->arrived();
      if (arrived < expected.earliest || arrived > expected.latest || arrived >= until_) continue;
      if (found == nullptr) {
        found = &item;
        continue;
      }
      // One NIC is both ends of a loopback: it sends before it receives.
      if (item.record->is(Record::delivered) == found->record->is(Record::delivered)) {
        path.ambiguous = true;
      }
      break;
    }
    return found;
  }

  /// Behind a gap: the first unused record of this way from `from` on.
  Item* next_of_way(bool response, Time from) {
    for (Item& item : marked_.items) {
      if (!item.used && !item.record->is(Record::command) &&
          item.record->is(Record::response) == response && in_time(item, from)) {
        return &item;
      }
    }
    return nullptr;
  }

  static void add(Item& item, JoinedPath& path) {
    item.used = true;
    const Record& record = *item.record;
    PathStep step;
    step.component = item.component;
    step.response = record.is(Record::response);
    step.delivered = record.is(Record::delivered);
    step.port = static_cast<std::uint8_t>(record.port);
    step.arrived = record.arrived();
    step.waited = record.waited();
    step.behind = record.behind;
    path.steps.push_back(step);
  }

  Marked& marked_;
  const JoinSettings& settings_;
  Time until_ = Time::max();
};

std::vector<JoinedPath> join_source(std::uint32_t source, OfSource& marks,
                                    std::span<const IssuedCommand> commands,
                                    const JoinSettings& settings) {
  std::vector<std::uint32_t> order;
  order.reserve(marks.size());
  for (const auto& each : marks) order.push_back(each.first);
  std::sort(order.begin(), order.end());
  std::vector<JoinedPath> paths;
  for (const std::uint32_t mark : order) {
    Marked& marked = marks[mark];
    Follower follower(marked, settings);
    for (std::size_t i = 0; i < marked.commands.size(); ++i) {
      const IssuedCommand& command = commands[static_cast<std::size_t>(marked.commands[i])];
      const Time next = i + 1 < marked.commands.size()
                            ? commands[static_cast<std::size_t>(marked.commands[i + 1])].issued
                            : Time::max();
      JoinedPath& path = paths.emplace_back();
      path.source = source;
      path.mark = mark;
      path.command = marked.commands[i];
      follower.follow(command, next, path);
    }
    while (true) {
      JoinedPath path;
      path.source = source;
      path.mark = mark;
      if (!follower.follow_rest(path)) break;
      paths.push_back(std::move(path));
    }
  }
  return paths;
}

}  // namespace

bool JoinedPath::whole() const {
  return missing.empty() && !steps.empty() && steps.back().response && steps.back().delivered &&
         command >= 0;
}

std::vector<JoinedPath> join_paths(std::span<const ComponentRecords> logs,
                                   std::span<const IssuedCommand> commands,
                                   const JoinSettings& settings) {
  std::map<std::uint32_t, OfSource> sources;
  for (const ComponentRecords& log : logs) {
    for (const Record& record : log.records) {
      sources[record.source][record.mark].items.push_back({&record, log.component});
    }
  }
  for (std::size_t i = 0; i < commands.size(); ++i) {
    sources[commands[i].source][commands[i].mark].commands.push_back(static_cast<std::int64_t>(i));
  }
  for (auto& source : sources) {
    for (auto& mark : source.second) {
      std::stable_sort(mark.second.commands.begin(), mark.second.commands.end(),
                       [&](std::int64_t a, std::int64_t b) {
                         return commands[static_cast<std::size_t>(a)].issued <
                                commands[static_cast<std::size_t>(b)].issued;
                       });
    }
  }

  std::vector<std::pair<std::uint32_t, OfSource*>> order;
  for (auto& [source, marks] : sources) order.emplace_back(source, &marks);
  std::vector<std::vector<JoinedPath>> joined(order.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < order.size(); i = next++) {
      joined[i] = join_source(order[i].first, *order[i].second, commands, settings);
    }
  };
  std::vector<std::thread> others;
  const unsigned threads =
      settings.threads != 0 ? settings.threads : std::max(std::thread::hardware_concurrency(), 1U);
  const std::size_t wanted = std::min<std::size_t>(threads, order.size());
  for (std::size_t i = 1; i < wanted; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();

  std::vector<JoinedPath> all;
  for (std::vector<JoinedPath>& part : joined) {
    std::move(part.begin(), part.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace launch
