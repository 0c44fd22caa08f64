// Interposed libc: dates and times of day in buffers that last until the next call, and what is
// known of the time zone; here the rank's.
#include <time.h>
#include <wchar.h>

#include <algorithm>
#include <iterator>
#include <type_traits>

#include "launch/libc/real.h"
#include "launch/libc/sequence_state.h"

using launch::RankProgram;
using launch::real_function;
using launch::running_program_or_null;

namespace {

/// The zone is the process's; what libc knows of it, the rank's program finds in its own variables.
void show_zone() {
  RankProgram* const program = running_program_or_null();
  if (program == nullptr) return;
  launch::LibcVariables& own = program->copy().variables();
  *own.timezone = timezone;
  *own.daylight = daylight;
  std::copy(std::begin(tzname), std::end(tzname), own.tzname);
}

/// Calls a function of libc that learns the zone, or may.
template <typename Result, typename... Arguments>
Result in_zone(Result (*function)(Arguments...), std::type_identity_t<Arguments>... arguments) {
  struct Shown {
    ~Shown() { show_zone(); }
  } const shown;
  return function(arguments...);
}

}  // namespace

extern "C" {

void tzset() noexcept {
  static const auto real = real_function<decltype(tzset)>("tzset");
  in_zone(real);
}

tm* localtime_r(const time_t* __restrict time, tm* __restrict into) noexcept {
  static const auto real = real_function<decltype(localtime_r)>("localtime_r");
  return in_zone(real, time, into);
}

tm* gmtime_r(const time_t* __restrict time, tm* __restrict into) noexcept {
  static const auto real = real_function<decltype(gmtime_r)>("gmtime_r");
  return in_zone(real, time, into);
}

char* ctime_r(const time_t* __restrict time, char* __restrict into) noexcept {
  static const auto real = real_function<decltype(ctime_r)>("ctime_r");
  return in_zone(real, time, into);
}

time_t mktime(tm* local) noexcept {
  static const auto real = real_function<decltype(mktime)>("mktime");
  return in_zone(real, local);
}

time_t timelocal(tm* local) noexcept { return mktime(local); }

time_t timegm(tm* universal) noexcept {
  static const auto real = real_function<decltype(timegm)>("timegm");
  return in_zone(real, universal);
}

// What writes dates as text: POSIX has it learn the zone as tzset() does, libc's own does for some
// formats only.
size_t strftime(char* __restrict into, size_t room, const char* __restrict format,
                const tm* __restrict time) noexcept {
  static const auto real = real_function<decltype(strftime)>("strftime");
  tzset();
  return real(into, room, format, time);
}

size_t strftime_l(char* __restrict into, size_t room, const char* __restrict format,
                  const tm* __restrict time, locale_t locale) noexcept {
  static const auto real = real_function<decltype(strftime_l)>("strftime_l");
  tzset();
  return real(into, room, format, time, locale);
}

size_t wcsftime(wchar_t* __restrict into, size_t room, const wchar_t* __restrict format,
                const tm* __restrict time) noexcept {
  static const auto real = real_function<decltype(wcsftime)>("wcsftime");
  tzset();
  return real(into, room, format, time);
}

size_t wcsftime_l(wchar_t* __restrict into, size_t room, const wchar_t* __restrict format,
                  const tm* __restrict time, locale_t locale) noexcept {
  static const auto real = real_function<decltype(wcsftime_l)>("wcsftime_l");
  tzset();
  return real(into, room, format, time, locale);
}

// The forms that libstdc++ calls.
size_t __strftime_l(char* into, size_t room, const char* format, const tm* time,
                    locale_t locale) noexcept {
  return strftime_l(into, room, format, time, locale);
}
size_t __wcsftime_l(wchar_t* into, size_t room, const wchar_t* format, const tm* time,
                    locale_t locale) noexcept {
  return wcsftime_l(into, room, format, time, locale);
}

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
