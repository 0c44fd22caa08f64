// Interposed libc: dates and times of day in buffers that last until the next call, and what is
// known of the time zone; here the rank's.
#include <time.h>

#include <algorithm>
#include <iterator>

#include "launch/libc/real.h"
#include "launch/libc/sequence_state.h"

using launch::RankProgram;
using launch::real_function;
using launch::running_program_or_null;

namespace {

/// The zone is the process's; what libc knows of it, the rank's program finds in its own variables.
void show_zone(launch::LibcVariables& own) {
  *own.timezone = timezone;
  *own.daylight = daylight;
  std::copy(std::begin(tzname), std::end(tzname), own.tzname);
}

time_t time_of(const char* name, tm* local) {
  const time_t time = real_function<time_t(tm*)>(name)(local);
  if (RankProgram* program = running_program_or_null()) show_zone(program->copy().variables());
  return time;
}

}  // namespace

extern "C" {

void tzset() noexcept {
  static const auto real = real_function<void()>("tzset");
  real();
  if (RankProgram* program = running_program_or_null()) show_zone(program->copy().variables());
}

tm* localtime_r(const time_t* __restrict time, tm* __restrict into) noexcept {
  static const auto real = real_function<tm*(const time_t*, tm*)>("localtime_r");
  tm* const local = real(time, into);
  if (RankProgram* program = running_program_or_null()) show_zone(program->copy().variables());
  return local;
}

time_t mktime(tm* local) noexcept { return time_of("mktime", local); }
time_t timelocal(tm* local) noexcept { return time_of("timelocal", local); }

tm* gmtime(const time_t* time) noexcept {
  RankProgram* program = running_program_or_null();
  if (program == nullptr) return real_function<tm*(const time_t*)>("gmtime")(time);
  return gmtime_r(time, &launch::sequence_state(*program).broken_down);
}

tm* localtime(const time_t* time) noexcept {
  RankProgram* program = running_program_or_null();
  if (program == nullptr) return real_function<tm*(const time_t*)>("localtime")(time);
  tzset();  // localtime_r() need not
  return localtime_r(time, &launch::sequence_state(*program).broken_down);
}

char* asctime(const tm* time) noexcept {
  RankProgram* program = running_program_or_null();
  if (program == nullptr) return real_function<char*(const tm*)>("asctime")(time);
  return asctime_r(time, launch::sequence_state(*program).date.data());
}

char* ctime(const time_t* time) noexcept {
  const tm* broken_down = localtime(time);
  return broken_down == nullptr ? nullptr : asctime(broken_down);
}

}  // extern "C"
