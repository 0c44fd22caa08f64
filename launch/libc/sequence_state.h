// A rank's hidden state of libc functions, made when it first uses one of them.
#pragma once

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
  char* token = nullptr;  ///< where strtok goes on
  Walk* walk = nullptr;   ///< the innermost ftw() or nftw() under way
};

/// Makes it if it is not there yet.
SequenceState& sequence_state(RankProgram& program);

}  // namespace launch
