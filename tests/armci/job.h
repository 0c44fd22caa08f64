// Runs ARMCI jobs on either clock.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "armci/include/armci.h"
#include "armci/include/message.h"
#include "tests/support/test_clock.h"
#include "tests/support/virtual_job.h"

namespace castor_test {

/// Variables of a job, "NAME=value".
using Settings = std::vector<std::string>;

/// MPI_Init, ARMCI_Init, body(rank), ARMCI_Finalize, MPI_Finalize on every rank; `body` is checked
/// as tests are.
void run_armci(launch::JobRequest request, const Settings& settings,
               const std::function<void(int rank)>& body);
/// The same for a job that is to be ended by an error: what it printed.
std::string run_armci_to_error(launch::JobRequest request, const Settings& settings,
                               const std::function<void(int rank)>& body);

int ranks();
/// A while of computing between two looks at memory.
void work_a_little();

/// A block of each rank's memory, collective.
template <typename Value>
class Shared {
 public:
  explicit Shared(std::size_t count) : all_(static_cast<std::size_t>(ranks())) {
    EXPECT_EQ(0, ARMCI_Malloc(all_.data(), static_cast<armci_size_t>(count * sizeof(Value))));
  }
  Value* at(int rank) const { return static_cast<Value*>(all_[static_cast<std::size_t>(rank)]); }
  void free(int rank) { EXPECT_EQ(0, ARMCI_Free(at(rank))); }

 private:
  std::vector<void*> all_;
};

/// The ways that transfers between nodes can go.
struct Way {
  std::string name;
  Settings settings;
};
inline std::string way_name(const testing::TestParamInfo<Way>& info) { return info.param.name; }
inline const std::vector<Way> all_ways{
    {"Helper", {}},
    {"Blocked", {"CASTOR_ARMCI_CHT_WAIT=blocked"}},
    {"Direct", {"CASTOR_ARMCI_DIRECT=1"}},
    {"EagerGet", {"CASTOR_ARMCI_EAGER_GET=1", "CASTOR_ARMCI_EAGER_LIMIT=16K"}},
    {"RendezvousOnly", {"CASTOR_ARMCI_EAGER_LIMIT=0"}},
    {"EagerOnly", {"CASTOR_ARMCI_EAGER_LIMIT=200K", "CASTOR_ARMCI_CHT_BUFFERS=3"}},
    {"SmallBuffers", {"CASTOR_ARMCI_CHT_BUFFER_SIZE=4K", "CASTOR_ARMCI_CLIENT_BUFFER=4K"}},
};

}  // namespace castor_test
