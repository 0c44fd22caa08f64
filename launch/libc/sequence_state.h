// A rank's hidden state of functions of libc and libstdc++, made when it first uses one of them.
#pragma once

#include <time.h>

#include <array>
#include <cstdlib>

namespace launch {

class RankProgram;
struct Walk;

struct SequenceState {
  SequenceState();
  SequenceState(const SequenceState&) = delete;  // `random` points into random_text
  SequenceState& operator=(const SequenceState&) = delete;

  random_data random{};
  std::array<char, 128> random_text{};  ///< libc's own size
  drand48_data drand48{};
  char* token = nullptr;        ///< where strtok goes on
  Walk* walk = nullptr;         ///< the innermost ftw() or nftw() under way
  tm broken_down{};             ///< what localtime and gmtime point to
  std::array<char, 26> date{};  ///< asctime_r's size
  void (*terminate)() = nullptr;
  void (*out_of_memory)() = nullptr;  ///< the new-handler
};

/// Makes it if it is not there yet.
SequenceState& sequence_state(RankProgram& program);

}  // namespace launch
