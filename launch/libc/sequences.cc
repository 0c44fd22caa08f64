// Interposed libc: functions that carry hidden state from call to call, here per rank: the
// pseudo-random generators (equal seeds give equal numbers in every rank) and strtok.
#include <cstdlib>
#include <cstring>

#include "launch/libc/real.h"
#include "launch/libc/sequence_state.h"

using launch::real_function;
using launch::running_program_or_null;
using launch::SequenceState;

namespace launch {

SequenceState::SequenceState() {
  initstate_r(1, random_text.data(), random_text.size(), &random);  // the seed C promises
  // libc's own starts at zero, with the constants of POSIX.
  const unsigned short first[7] = {0, 0, 0, 0xe66d, 0xdeec, 0x5, 0xb};
  unsigned short state[7];
  std::memcpy(state, first, sizeof state);
  lcong48_r(state, &drand48);
}

SequenceState& sequence_state(RankProgram& program) {
  if (program.sequences == nullptr) program.sequences = std::make_unique<SequenceState>();
  return *program.sequences;
}

}  // namespace launch

namespace {

SequenceState* state_or_null() {
  launch::RankProgram* program = running_program_or_null();
  return program == nullptr ? nullptr : &launch::sequence_state(*program);
}

}  // namespace

extern "C" {

long random() noexcept {
  SequenceState* state = state_or_null();
  if (state == nullptr) {
    static const auto real = real_function<long()>("random");
    return real();
  }
  std::int32_t value = 0;
  random_r(&state->random, &value);
  return value;
}

int rand() noexcept { return static_cast<int>(random()); }

void srandom(unsigned seed) noexcept {
  if (SequenceState* state = state_or_null()) {
    srandom_r(seed, &state->random);
  } else {
    real_function<void(unsigned)>("srandom")(seed);
  }
}

void srand(unsigned seed) noexcept { srandom(seed); }

char* initstate(unsigned seed, char* buffer, std::size_t size) noexcept {
  SequenceState* state = state_or_null();
  if (state == nullptr) {
    return real_function<char*(unsigned, char*, std::size_t)>("initstate")(seed, buffer, size);
  }
  char* old = reinterpret_cast<char*>(state->random.state - 1);
  return initstate_r(seed, buffer, size, &state->random) == 0 ? old : nullptr;
}

char* setstate(char* buffer) noexcept {
  SequenceState* state = state_or_null();
  if (state == nullptr) return real_function<char*(char*)>("setstate")(buffer);
  char* old = reinterpret_cast<char*>(state->random.state - 1);
  return setstate_r(buffer, &state->random) == 0 ? old : nullptr;
}

double drand48() noexcept {
  SequenceState* state = state_or_null();
  if (state == nullptr) return real_function<double()>("drand48")();
  double value = 0;
  drand48_r(&state->drand48, &value);
  return value;
}

long lrand48() noexcept {
  SequenceState* state = state_or_null();
  if (state == nullptr) return real_function<long()>("lrand48")();
  long value = 0;
  lrand48_r(&state->drand48, &value);
  return value;
}

long mrand48() noexcept {
  SequenceState* state = state_or_null();
  if (state == nullptr) return real_function<long()>("mrand48")();
  long value = 0;
  mrand48_r(&state->drand48, &value);
  return value;
}

void srand48(long seed) noexcept {
  if (SequenceState* state = state_or_null()) {
    srand48_r(seed, &state->drand48);
  } else {
    real_function<void(long)>("srand48")(seed);
  }
}

unsigned short* seed48(unsigned short* seed) noexcept {
  SequenceState* state = state_or_null();
  if (state == nullptr) return real_function<unsigned short*(unsigned short*)>("seed48")(seed);
  seed48_r(seed, &state->drand48);
  return state->drand48.__old_x;
}

void lcong48(unsigned short* parameters) noexcept {
  if (SequenceState* state = state_or_null()) {
    lcong48_r(parameters, &state->drand48);
  } else {
    real_function<void(unsigned short*)>("lcong48")(parameters);
  }
}

// The caller's own numbers, but the rank's multiplier and addend.

double erand48(unsigned short* numbers) noexcept {
  SequenceState* state = state_or_null();
  if (state == nullptr) return real_function<double(unsigned short*)>("erand48")(numbers);
  double value = 0;
  erand48_r(numbers, &state->drand48, &value);
  return value;
}

long nrand48(unsigned short* numbers) noexcept {
  SequenceState* state = state_or_null();
  if (state == nullptr) return real_function<long(unsigned short*)>("nrand48")(numbers);
  long value = 0;
  nrand48_r(numbers, &state->drand48, &value);
  return value;
}

long jrand48(unsigned short* numbers) noexcept {
  SequenceState* state = state_or_null();
  if (state == nullptr) return real_function<long(unsigned short*)>("jrand48")(numbers);
  long value = 0;
  jrand48_r(numbers, &state->drand48, &value);
  return value;
}

char* strtok(char* __restrict text, const char* __restrict delimiters) noexcept {
  SequenceState* state = state_or_null();
  if (state == nullptr) return real_function<char*(char*, const char*)>("strtok")(text, delimiters);
  return strtok_r(text, delimiters, &state->token);
}

}  // extern "C"
