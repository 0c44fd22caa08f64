// Interposed libc: dates and times of day in buffers that last until the next call, here the
// rank's.
#include <time.h>

#include "launch/libc/real.h"
#include "launch/libc/sequence_state.h"

using launch::RankProgram;
using launch::real_function;
using launch::running_program_or_null;

extern "C" {

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
