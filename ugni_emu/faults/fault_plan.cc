// Statements of a fault plan, read.
#include "ugni_emu/faults/fault_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "corespec/config/statements.h"

namespace faults {
namespace {

using corespec::Statement;
using corespec::Time;
using ugni::TransactionKind;

constexpr std::int64_t most_nid = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_times = std::int64_t{1} << 53;
constexpr std::size_t most_rules = 4095;  // what a transaction can say of it

constexpr Time shortest_of_room = Time::microseconds(1);
constexpr Time usual_patience = Time::microseconds(1000);

constexpr std::pair<const char*, FaultKind> kinds[] = {
    {"post-fails", FaultKind::post_fails},           {"post-refused", FaultKind::post_refused},
    {"message-lost", FaultKind::message_lost},       {"datagram-late", FaultKind::datagram_late},
    {"completion-late", FaultKind::completion_late}, {"credits-late", FaultKind::credits_late},
    {"cq-overrun", FaultKind::cq_overrun},           {"register-fails", FaultKind::register_fails},
    {"nic-stalls", FaultKind::nic_stalls},           {"node-dead", FaultKind::node_dead},
    {"transport-again", FaultKind::transport_again}, {"transport-late", FaultKind::transport_late},
    {"doorbell-lost", FaultKind::doorbell_lost},     {"copy-refused", FaultKind::copy_refused},
    {"transport-fails", FaultKind::transport_fails}, {"rank-killed", FaultKind::rank_killed},
};
constexpr std::string_view of_network[] = {"link-down", "links-down"};

constexpr std::pair<std::string_view, TransactionKind> transactions[] = {
    {"put", TransactionKind::put},           {"get", TransactionKind::get},
    {"cq-write", TransactionKind::cq_write}, {"message", TransactionKind::message},
    {"amo", TransactionKind::atomic},
};

constexpr std::pair<std::string_view, KillPoint> points[] = {
    {"after-start", KillPoint::after_start}, {"before-send", KillPoint::before_send},
    {"after-send", KillPoint::after_send},   {"after-register", KillPoint::after_register},
    {"before-copy", KillPoint::before_copy}, {"in-copy", KillPoint::in_copy},
    {"after-copy", KillPoint::after_copy},   {"in-barrier", KillPoint::in_barrier},
    {"at-end", KillPoint::at_end},
};

std::uint32_t point_of(Statement& statement) {
  const std::optional<std::string> given = statement.text("point");
  std::string allowed;
  for (const auto& [name, point] : points) {
    if (name == given) return point_bit(point);
    fmt::format_to(std::back_inserter(allowed), "{}{}", allowed.empty() ? "" : ", ", name);
  }
  statement.refuse(fmt::format("point={}: one of {} is allowed", given.value_or(""), allowed));
}

std::uint32_t transactions_of(Statement& statement) {
  const std::optional<std::string> given = statement.text("kind");
  std::uint32_t bits = 0;
  if (!given) {
    for (const auto& [name, kind] : transactions) bits |= transaction_bit(kind);
    return bits;
  }
  for (std::string_view rest = *given;;) {
    const std::string_view word = rest.substr(0, rest.find(','));
    const auto found = std::find_if(std::begin(transactions), std::end(transactions),
                                    [word](const auto& each) { return each.first == word; });
    if (found == std::end(transactions)) {
      statement.refuse(fmt::format(
          "kind={}: put, get, cq-write, message and amo are allowed, with commas between them",
          *given));
    }
    bits |= transaction_bit(found->second);
    if (word.size() == rest.size()) return bits;
    rest.remove_prefix(word.size() + 1);
  }
}

std::optional<ugni::NicAddress> nic_of(Statement& statement, const char* key) {
  const auto given = statement.number(key, 0, most_nid);
  if (!given) return std::nullopt;
  return static_cast<ugni::NicAddress>(*given);
}

Trigger trigger_of(Statement& statement, FaultKind kind) {
  Trigger made;
  made.node = nic_of(statement, "node");
  const bool has_peer = kind != FaultKind::register_fails && kind != FaultKind::nic_stalls;
  if (has_peer) made.peer = nic_of(statement, "peer");
  if (kind >= first_live_kind) {
    const auto rank = statement.number("rank", 0, most_nid);
    if (rank) made.rank = static_cast<int>(*rank);
  }
  const auto nth = statement.number("nth", 1, most_times);
  const auto probability = statement.real("p", 0, 1);
  if (nth && probability) statement.refuse("nth= and p= exclude each other");
  made.nth = static_cast<std::uint64_t>(nth.value_or(0));
  made.probability = probability.value_or(1);
  const auto times = statement.number("times", 1, most_times);
  if (times) made.times = static_cast<std::uint64_t>(*times);
  if (nth && !times) made.times = 1;
  made.at = statement.time("at").value_or(Time());
  made.until = statement.time("until").value_or(Time::max());
  if (made.until <= made.at) statement.refuse("until= has to be later than at=");
  return made;
}

/// One of two words, the first if there is none.
bool is_second(Statement& statement, const char* key, const char* first, const char* second) {
  const std::string given = statement.text(key).value_or(first);
  if (given != first && given != second) {
    statement.refuse(fmt::format("{}={}: {} or {} is allowed", key, given, first, second));
  }
  return given == second;
}

Time time_of(Statement& statement, const char* key) {
  const auto given = statement.time(key);
  if (!given || *given == Time()) statement.refuse(fmt::format("{}=TIME is missing", key));
  return *given;
}

FaultRule rule_of(Statement& statement, FaultKind kind) {
  FaultRule made;
  made.kind = kind;
  switch (kind) {
    case FaultKind::post_fails:
      made.transactions = transactions_of(statement);
      made.is_recoverable = !is_second(statement, "error", "recoverable", "fatal");
      made.is_done = is_second(statement, "done", "no", "yes");
      break;
    case FaultKind::post_refused:
      made.transactions = transactions_of(statement);
      made.by = statement.time("for").value_or(shortest_of_room);
      if (made.by == Time()) statement.refuse("for= has to be more than 0");
      break;
    case FaultKind::completion_late:
      made.transactions = transactions_of(statement);
      made.by = time_of(statement, "by");
      break;
    case FaultKind::datagram_late:
      made.transactions = transaction_bit(TransactionKind::datagram);
      made.by = time_of(statement, "by");
      break;
    case FaultKind::credits_late:
      made.transactions = transaction_bit(TransactionKind::credit);
      made.by = time_of(statement, "by");
      break;
    case FaultKind::cq_overrun:
      if (const auto queue = statement.text("queue"); queue && *queue != "rx") {
        statement.refuse(fmt::format(
            "queue={}: rx is allowed, a queue of events from others; those of a NIC's own posts "
            "never overrun",
            *queue));
      }
      break;
    case FaultKind::nic_stalls:
      made.by = time_of(statement, "for");
      break;
    case FaultKind::node_dead:
      made.trigger.node = nic_of(statement, "node");
      made.trigger.at = time_of(statement, "at");
      made.by = statement.time("noticed-after").value_or(usual_patience);
      if (!made.trigger.node) statement.refuse("node=NID is missing");
      statement.end();
      return made;
    case FaultKind::transport_late:
      made.by = time_of(statement, "by");
      break;
    case FaultKind::rank_killed:
      made.transactions = point_of(statement);
      break;
    case FaultKind::message_lost:
    case FaultKind::register_fails:
    case FaultKind::transport_again:
    case FaultKind::doorbell_lost:
    case FaultKind::copy_refused:
    case FaultKind::transport_fails:
      break;
  }
  made.trigger = trigger_of(statement, kind);
  if (kind == FaultKind::rank_killed && !made.trigger.rank) {
    statement.refuse("rank=RANK is missing");
  }
  statement.end();
  return made;
}

[[noreturn]] void refuse_only(const std::string& only) {
  throw std::invalid_argument(
      fmt::format("CASTOR_FAULTS_ONLY={}: names of faults are allowed, as STATEMENT.NID.OCCASION "
                  "(2.5.57), with commas between them",
                  only));
}

std::set<FaultName> names_of(const std::string& only) {
  std::set<FaultName> names;
  const char* at = only.data();
  const char* const end = at + only.size();
  const auto number = [&](auto& value, char stop) {
    const auto [next, error] = std::from_chars(at, end, value);
    const bool is_last = next == end && stop == ',';
    if (error != std::errc() || (!is_last && (next == end || *next != stop))) refuse_only(only);
    at = is_last ? next : next + 1;
  };
  if (only.ends_with(',')) refuse_only(only);
  do {
    FaultName name;
    number(name.rule, '.');
    number(name.node, '.');
    number(name.occasion, ',');
    names.insert(name);
  } while (at != end);
  return names;
}

}  // namespace

const char* name_of(FaultKind kind) {
  const auto found = std::find_if(std::begin(kinds), std::end(kinds),
                                  [kind](const auto& each) { return each.second == kind; });
  return found->first;
}

std::uint32_t FaultPlan::death_rule_of(ugni::NicAddress node) const {
  for (std::uint32_t rule = 0; rule < rules_.size(); ++rule) {
    const FaultRule& each = rules_[rule];
    if (each.kind == FaultKind::node_dead && each.trigger.node == node) return rule + 1;
  }
  return 0;
}

const FaultRule* FaultPlan::death_of(ugni::NicAddress node) const {
  const std::uint32_t rule = death_rule_of(node);
  return rule == 0 ? nullptr : &rules_[rule - 1];
}

std::vector<Statement> fault_statements(const std::string& value) {
  if (value.empty()) return {};
  std::vector<std::string_view> known(std::begin(of_network), std::end(of_network));
  for (const auto& each : kinds) known.emplace_back(each.first);
  std::vector<Statement> all = corespec::read_statements("CASTOR_FAULTS", value, known);
  for (const Statement& each : all) {
    if (std::find(known.begin(), known.end(), each.name()) == known.end()) {
      each.refuse(fmt::format("no such fault; known are {}", fmt::join(known, ", ")));
    }
  }
  return all;
}

FaultPlan::FaultPlan(const std::string& value, const std::string& only, std::uint64_t seed,
                     Machine machine)
    : is_whole_(only.empty()), seed_(seed) {
  if (!only.empty()) only_ = names_of(only);
  for (Statement& statement : fault_statements(value)) {
    const auto found = std::find_if(std::begin(kinds), std::end(kinds), [&](const auto& each) {
      return statement.name() == each.first;
    });
    const bool is_networks = found == std::end(kinds);
    if (is_networks && machine == Machine::live) {
      statement.refuse("live, messages take the host's network, whose links are not Castor's");
    }
    if (is_networks) continue;
    if (found->second >= first_live_kind && machine == Machine::modelled) {
      statement.refuse("in virtual time ranks are no processes; aprun --clock live has them");
    }
    rules_.push_back(rule_of(statement, found->second));
    if (rules_.size() > most_rules) statement.refuse("more than 4,095 statements");
  }
}

}  // namespace faults
