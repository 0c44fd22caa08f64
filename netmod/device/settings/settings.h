// What the device derives from the parameters, once per rank.
#pragma once

#include <cstdint>

#include "corespec/config/parameters.h"
#include "netmod/device/interface/device.h"
#include "netmod/device/settings/limits.h"

namespace netmod {

/// How messages progress while the program computes.
enum class ProgressDesign : std::uint8_t {
  none,       ///< only inside MPI calls
  phase_one,  ///< a thread asleep on one blocking RX CQ; fences and dummy writes (S4, 4.1)
  phase_two,  ///< and on a blocking TX CQ; no fence, no dummy, all channels (S4, 4.2)
  active      ///< stock MPICH: a thread that polls
};

/// The parameters as the device uses them.
struct Settings : Limits {
  const corespec::Parameters* parameters = nullptr;
  ProgressDesign design = ProgressDesign::none;
  ThreadLevel granted = ThreadLevel::single;
  GniCalls calls = GniCalls::doors;
  bool tracks = false;  ///< commands may be marked, so that requests' calling contexts are kept
  /// Queues and mailboxes are not looked at before the call that takes something out of them.
  bool looks_by_public_calls() const { return calls == GniCalls::public_looks_too; }
  bool wakes_thread() const {
    return design == ProgressDesign::phase_one || design == ProgressDesign::phase_two;
  }
  bool locked() const { return design != ProgressDesign::none || granted == ThreadLevel::multiple; }
  corespec::Time copy_time(std::uint64_t bytes) const {
    return corespec::Time::for_bytes(bytes, parameters->memory_copy);
  }
};

/// Sets everything. There is no progress thread where the highest thread level is not `multiple`.
Settings make_settings(const corespec::Parameters& parameters, int job_size, ThreadLevel requested);

}  // namespace netmod
