// Which clock the tests of a program are to run on: TEST_CLOCK=live, else virtual time.
#pragma once

#include "corespec/config/parameters.h"

namespace castor_test {

inline bool live_clock() {
  for (const auto& [name, value] : corespec::environment()) {
    if (name == "TEST_CLOCK") return value == "live";
  }
  return false;
}

}  // namespace castor_test
