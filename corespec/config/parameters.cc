// Reads and describes the parameter table.
#include "corespec/config/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "corespec/config/setting_warnings.h"
#include "corespec/config/statements.h"
#include "corespec/config/units.h"

extern "C" char** environ;

namespace corespec {
namespace {

constexpr Unit rate_units[] = {{"KB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"B/s", 1}};
constexpr Unit byte_units[] = {{"K", 1024},     {"M", 1048576},     {"G", 1073741824}, {"KB", 1024},
                               {"MB", 1048576}, {"GB", 1073741824}, {"B", 1}};

std::optional<bool> parse_flag(std::string_view text) {
  for (std::string_view yes : {"1", "on", "yes", "true", "enabled"}) {
    if (text == yes) return true;
  }
  for (std::string_view no : {"0", "off", "no", "false", "disabled", ""}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

bool is_word_of(std::string_view text, std::string_view words) {
  while (true) {
    const std::size_t bar = words.find('|');
    if (text == words.substr(0, bar)) return true;
    if (bar == std::string_view::npos) return false;
    words.remove_prefix(bar + 1);
  }
}

std::string number_text(double value) { return fmt::format("{:.15g}", value); }

std::string bytes_text(std::int64_t bytes) {
  if (bytes >= 1048576 && bytes % 1048576 == 0) return fmt::format("{}M", bytes / 1048576);
  if (bytes >= 1024 && bytes % 1024 == 0) return fmt::format("{}K", bytes / 1024);
  return fmt::format("{}", bytes);
}

/// Applies one setting to its field; returns what is allowed if the value does not fit.
class Reader {
 public:
  Reader(Parameters& parameters, const std::string& name, const std::string& value)
      : parameters_(parameters), name_(name), value_(value) {}

  bool known() const { return known_; }
  const std::string& allowed() const { return allowed_; }

  void time(Time& field, const char* env, double lowest, double highest) {
    if (!is(env)) return;
    const auto ns = parse_with_unit(value_, time_units, 1.0);
    if (ns && *ns >= lowest && *ns <= highest) {
      field = Time::nanoseconds(*ns);
    } else {
      allowed_ = fmt::format("a time from {} to {} ns (units ps, ns, us, ms, s)",
                             number_text(lowest), number_text(highest));
    }
  }
  void rate(double& field, const char* env, double lowest, double highest) {
    if (!is(env)) return;
    const auto rate = parse_with_unit(value_, rate_units, 1e9);
    if (rate && *rate >= lowest * 1e9 && *rate <= highest * 1e9) {
      field = *rate;
    } else {
      allowed_ = fmt::format("a rate from {} to {} GB/s (units KB/s, MB/s, GB/s)",
                             number_text(lowest), number_text(highest));
    }
  }
  void integer(std::int64_t& field, const char* env, double lowest, double highest, bool bytes) {
    if (!is(env)) return;
    const auto number = parse_with_unit(value_, byte_units, 1.0);
    if (number && *number >= lowest && *number <= highest && *number == std::floor(*number)) {
      field = static_cast<std::int64_t>(*number);
    } else {
      allowed_ = fmt::format("a whole number{} from {} to {}", bytes ? " of bytes (K, M, G)" : "",
                             number_text(lowest), number_text(highest));
    }
  }
  void flag(bool& field, const char* env) {
    if (!is(env)) return;
    if (const auto flag = parse_flag(value_)) {
      field = *flag;
    } else {
      allowed_ = "0, 1, on, off, yes, no, true, false, enabled or disabled";
    }
  }
  void choice(std::string& field, const char* env, const char* words) {
    if (!is(env)) return;
    if (is_word_of(value_, words)) {
      field = value_;
    } else {
      allowed_ = fmt::format("one of {}", words);
    }
  }
  void text(std::string& field, const char* env) {
    if (is(env)) field = value_;  // the code that uses it says what it has to be
  }

  void apply_all() {
    Parameters& p = parameters_;
#define CASTOR_GROUP(title, used)
#define CASTOR_TIME(field, env, value, lowest, highest, basis, source, help) \
  time(p.field, env, lowest, highest);
#define CASTOR_RATE(field, env, value, lowest, highest, basis, source, help) \
  rate(p.field, env, lowest, highest);
#define CASTOR_BYTES(field, env, value, lowest, highest, basis, source, help) \
  integer(p.field, env, lowest, highest, true);
#define CASTOR_COUNT(field, env, value, lowest, highest, basis, source, help) \
  integer(p.field, env, lowest, highest, false);
#define CASTOR_FLAG(field, env, value, basis, source, help) flag(p.field, env);
#define CASTOR_CHOICE(field, env, value, words, basis, source, help) choice(p.field, env, words);
#define CASTOR_TEXT(field, env, value, allowed, basis, source, help) text(p.field, env);
#include "corespec/config/parameters.def"
#undef CASTOR_TEXT
#undef CASTOR_GROUP
#undef CASTOR_TIME
#undef CASTOR_RATE
#undef CASTOR_BYTES
#undef CASTOR_COUNT
#undef CASTOR_FLAG
#undef CASTOR_CHOICE
  }

 private:
  bool is(const char* env) {
    if (name_ != env) return false;
    known_ = true;
    return true;
  }

  Parameters& parameters_;
  const std::string& name_;
  const std::string& value_;
  bool known_ = false;
  std::string allowed_;
};

}  // namespace

namespace {

/// Beginnings of the names of all parameters, so that others need not be compared with each.
constexpr std::string_view prefixes[] = {"CASTOR_", "MPICH_", "DMAPP_", "XT_", "CRAY_"};

bool may_be_ours(std::string_view name) {
  return std::any_of(std::begin(prefixes), std::end(prefixes),
                     [name](std::string_view prefix) { return name.starts_with(prefix); });
}

/// Statements of CASTOR_FAULTS after which everything is done all the same. What has no room is not
/// posted, and its program is told at once: that is no failure either.
constexpr std::string_view of_time_alone[] = {"nic-stalls", "completion-late", "datagram-late",
                                              "credits-late", "post-refused"};

bool takes_time_alone(const Statement& statement) {
  return std::find(std::begin(of_time_alone), std::end(of_time_alone), statement.name()) !=
         std::end(of_time_alone);
}

bool take_time_alone(const std::string& faults) {
  try {
    const std::vector<Statement> statements = read_statements(
        "CASTOR_FAULTS", faults, {std::begin(of_time_alone), std::end(of_time_alone)});
    return std::all_of(statements.begin(), statements.end(), takes_time_alone);
  } catch (const std::invalid_argument&) {
    return false;  // who reads the plan says what is wrong with it
  }
}

}  // namespace

bool Parameters::transactions_may_fail() const {
  const bool fail_by_plan = !faults.empty() && !faults_take_time_alone;
  return fail_by_plan || !link_failures.empty() || lost_packets != 0 || lost_transactions != 0;
}

Parameters read_parameters(const std::vector<Setting>& settings, std::vector<std::string>& errors) {
  Parameters parameters;
  for (const auto& [name, value] : settings) {
    if (!may_be_ours(name)) continue;
    Reader reader(parameters, name, value);
    reader.apply_all();
    if (!reader.known() && name.starts_with("CASTOR_")) {
      errors.push_back(no_such_variable({name, value}));
    } else if (!reader.allowed().empty()) {
      errors.push_back(fmt::format("{}={}: allowed is {}", name, value, reader.allowed()));
    }
  }
  if (!parameters.faults.empty()) {
    parameters.faults_take_time_alone = take_time_alone(parameters.faults);
  }
  return parameters;
}

std::vector<ParameterInfo> describe(const Parameters& p) {
  const Parameters defaults;
  std::vector<ParameterInfo> rows;
  std::string group;
  Used group_used = Used::always;
  const auto add = [&](const char* env, const char* type, const char* unit, std::string fallback,
                       std::string allowed, const char* basis, const char* source, const char* help,
                       std::string value) {
    rows.push_back({group, env, type, unit, std::move(fallback), std::move(allowed), basis, source,
                    help, std::move(value), group_used});
  };
  const auto range = [](double lowest, double highest) {
    return number_text(lowest) + " to " + number_text(highest);
  };
#define CASTOR_GROUP(title, used) \
  group = title;                  \
  group_used = Used::used;
#define CASTOR_TIME(field, env, value, lowest, highest, basis, source, help)                       \
  add(env, "time", "ns", number_text(defaults.field.ns()), range(lowest, highest), #basis, source, \
      help, number_text(p.field.ns()));
#define CASTOR_RATE(field, env, value, lowest, highest, basis, source, help)                   \
  add(env, "rate", "GB/s", number_text(defaults.field * 1e-9), range(lowest, highest), #basis, \
      source, help, number_text(p.field * 1e-9));
#define CASTOR_BYTES(field, env, value, lowest, highest, basis, source, help) \
  add(env, "size", "bytes", bytes_text(defaults.field),                       \
      bytes_text(static_cast<std::int64_t>(lowest)) + " to " +                \
          bytes_text(static_cast<std::int64_t>(highest)),                     \
      #basis, source, help, bytes_text(p.field));
#define CASTOR_COUNT(field, env, value, lowest, highest, basis, source, help)                      \
  add(env, "count", "", fmt::format("{}", defaults.field), range(lowest, highest), #basis, source, \
      help, fmt::format("{}", p.field));
#define CASTOR_FLAG(field, env, value, basis, source, help)                        \
  add(env, "flag", "", defaults.field ? "1" : "0", "0 or 1", #basis, source, help, \
      p.field ? "1" : "0");
#define CASTOR_CHOICE(field, env, value, words, basis, source, help) \
  add(env, "choice", "", defaults.field, words, #basis, source, help, p.field);
#define CASTOR_TEXT(field, env, value, allowed, basis, source, help) \
  add(env, "text", "", defaults.field, allowed, #basis, source, help, p.field);
#include "corespec/config/parameters.def"
#undef CASTOR_TEXT
#undef CASTOR_GROUP
#undef CASTOR_TIME
#undef CASTOR_RATE
#undef CASTOR_BYTES
#undef CASTOR_COUNT
#undef CASTOR_FLAG
#undef CASTOR_CHOICE
  return rows;
}

std::string shown_value(const Parameters& parameters, std::string_view env) {
  const std::vector<ParameterInfo> rows = describe(parameters);
  return std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.env == env; })
      ->value;
}

std::vector<Setting> environment() {
  std::vector<Setting> settings;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const char* equals = std::strchr(*entry, '=');
    if (equals == nullptr) continue;
    settings.emplace_back(std::string(*entry, static_cast<std::size_t>(equals - *entry)),
                          equals + 1);
  }
  return settings;
}

}  // namespace corespec
