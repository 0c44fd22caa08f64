// The values of every parameter: one plain struct, read once at the edge and passed down.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corespec/time/time.h"

namespace corespec {

/// All parameters, with their defaults. Times are Time, rates bytes per second, sizes bytes.
struct Parameters {
#define CASTOR_GROUP(title, used)
#define CASTOR_TIME(field, env, value, lowest, highest, basis, source, help) \
  Time field = Time::nanoseconds(value);
#define CASTOR_RATE(field, env, value, lowest, highest, basis, source, help) \
  double field = (value)*1e9;
#define CASTOR_BYTES(field, env, value, lowest, highest, basis, source, help) \
  std::int64_t field = value;
#define CASTOR_COUNT(field, env, value, lowest, highest, basis, source, help) \
  std::int64_t field = value;
#define CASTOR_FLAG(field, env, value, basis, source, help) bool field = value;
#define CASTOR_CHOICE(field, env, value, words, basis, source, help) std::string field = value;
#define CASTOR_TEXT(field, env, value, allowed, basis, source, help) std::string field = value;
#include "corespec/config/parameters.def"
#undef CASTOR_TEXT
#undef CASTOR_GROUP
#undef CASTOR_TIME
#undef CASTOR_RATE
#undef CASTOR_BYTES
#undef CASTOR_COUNT
#undef CASTOR_FLAG
#undef CASTOR_CHOICE

  /// Whether a uGNI transaction may fail without its program's fault: libraries keep what they need
  /// to post it again.
  bool transactions_may_fail() const;
  /// CASTOR_FAULTS holds statements that take time alone; read_parameters() sets it.
  bool faults_take_time_alone = false;
};

/// Which runs use a group of parameters.
enum class Used : std::uint8_t { always, in_virtual_time, live, live_without_aprun, by_aprun };

/// One row of the parameter table, as text (for --env-help, MPICH_ENV_DISPLAY and docs/).
struct ParameterInfo {
  std::string group, env, type, unit, fallback, allowed, basis, source, help;
  std::string value;  ///< in the given Parameters
  Used used = Used::always;
};
std::vector<ParameterInfo> describe(const Parameters& parameters);
/// The value of the parameter with the environment variable `env`, which there must be, as a row
/// shows it.
std::string shown_value(const Parameters& parameters, std::string_view env);

/// One setting of the environment or of an option.
using Setting = std::pair<std::string, std::string>;

/// The defaults with `settings` applied (a later one wins). Settings whose names are not ours are
/// ignored, unless they begin with CASTOR_: these, and values that do not parse or are out of
/// range, are reported in `errors`, one line each: variable, value, what is allowed. (Of names that
/// begin like others of ours, setting_warnings() speaks.)
Parameters read_parameters(const std::vector<Setting>& settings, std::vector<std::string>& errors);

/// The process's environment as settings. The only place that reads it.
std::vector<Setting> environment();

}  // namespace corespec
