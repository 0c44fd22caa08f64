// Meeting the other parts.
#include "launch/workers/part.h"

#include <atomic>

namespace launch {

void meet_after_run(const Part& part) {
  const std::atomic<bool> stopped = false;
  part.rounds->arrive({});
  part.rounds->meet(stopped);
}

}  // namespace launch
