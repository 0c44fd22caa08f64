// Gives other ranks their turn while a measured program's own code runs.
#include "launch/virtual_run/time_slices.h"

#include <optional>

#include "corespec/host/host_time.h"
#include "corespec/threads/current_thread.h"
#include "corespec/virtual/virtual_thread.h"
#include "launch/reports/kept_errno.h"
#include "launch/virtual_run/host_timer.h"
#include "launch/virtual_run/own_code.h"
#include "launch/virtual_run/run_control.h"

namespace launch {
namespace {

/// A process that has used no CPU time is blocked in the kernel: signals would only disturb it
/// there.
constexpr int idle_slices = 4;
constexpr std::int64_t idle_factor = 100;  ///< how much rarer they come then

/// What the signal handler needs; a handler has no other way to its state.
struct Slices {
  std::optional<HostTimer> timer;
  TimeSlices::Client* client = nullptr;
  std::int64_t slice_ns = 0;
  std::int64_t cpu_time = 0;
  int idle = 0;  ///< slices without CPU time, one after the other
};
Slices slices;

/// False while the process is blocked.
bool uses_cpu(std::int64_t now) {
  const bool used = now - slices.cpu_time > slices.slice_ns / 10;
  slices.cpu_time = now;
  if (used) {
    if (slices.idle >= idle_slices) slices.timer->set_period(slices.slice_ns);
    slices.idle = 0;
  } else if (slices.idle < idle_slices && ++slices.idle == idle_slices) {
    slices.timer->set_period(slices.slice_ns * idle_factor);
  }
  return used;
}

void slice_ended(int, siginfo_t*, void* context) {
  if (RunControl::is_serving()) return;
  const KeptErrno kept;
  auto* const thread = static_cast<corespec::VirtualThread*>(corespec::this_thread_or_null());
  const std::int64_t begun = corespec::host_cpu_time_ns();
  const bool used = uses_cpu(begun);
  if (thread == nullptr || thread->process() == nullptr) return;
  if (!used) {
    const bool waits = slices.idle == idle_slices && slices.client != nullptr;
    if (waits && waits_outside(context)) slices.client->waits_outside();
    return;
  }
  // Anywhere else the library may be at the very number that leave_out() changes.
  if (!interrupted_own_code(context)) return;
  thread->own_computing().leave_out(corespec::host_cpu_time_ns() - begun);
  const corespec::LibraryCall call;
  thread->sync();
  if (slices.client != nullptr) slices.client->slice_ended(*thread);
}

}  // namespace

TimeSlices::TimeSlices(corespec::Time slice, Client* client) {
  slices.client = client;
  slices.slice_ns = slice.ps() / 1000;
  slices.idle = 0;
  slices.timer.emplace(HostTimer::signal_of(1), slice_ended);
  slices.timer->set_period(slices.slice_ns);
}

TimeSlices::~TimeSlices() { slices.timer.reset(); }

}  // namespace launch
