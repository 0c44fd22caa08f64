// Runs ARMCI jobs on either clock.
#include "tests/armci/job.h"

#include <mpi.h>

#include "corespec/threads/thread.h"
#include "tests/support/live_job.h"

namespace castor_test {
namespace {

launch::JobRequest with_settings(launch::JobRequest request, const Settings& settings) {
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    request.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return request;
}

void run_rank(const std::function<void(int)>& body) {
  MPI_Init(nullptr, nullptr);
  ASSERT_EQ(0, ARMCI_Init());
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  body(rank);
  ARMCI_Barrier();
  EXPECT_EQ(0, ARMCI_Finalize());
  MPI_Finalize();
}

}  // namespace

void run_armci(launch::JobRequest request, const Settings& settings,
               const std::function<void(int rank)>& body) {
  request = with_settings(std::move(request), settings);
  if (live_clock()) {
    const LiveOutcome outcome = run_live(request, [&] { run_rank(body); });
    EXPECT_EQ(0, outcome.status) << outcome.output;
    return;
  }
  const JobOutcome outcome = run_job(request, [&](corespec::Process&) {
    run_rank(body);
    return 0;
  });
  EXPECT_FALSE(outcome.end.aborted);
  EXPECT_EQ(outcome.end.ended, request.ranks);
}

std::string run_armci_to_error(launch::JobRequest request, const Settings& settings,
                               const std::function<void(int rank)>& body) {
  request = with_settings(std::move(request), settings);
  if (live_clock()) {
    LiveOutcome outcome = run_live(request, [&] { run_rank(body); });
    EXPECT_TRUE(outcome.is_rank || outcome.status != 0);
    return outcome.output;
  }
  testing::internal::CaptureStderr();
  const JobOutcome outcome = run_job(request, [&](corespec::Process&) {
    run_rank(body);
    return 0;
  });
  EXPECT_TRUE(outcome.end.aborted);
  return testing::internal::GetCapturedStderr();
}

void work_a_little() {
  corespec::charge(corespec::Time::nanoseconds(200));
  MPI_Wtime();  // looks at the clock, and so lets time pass
}

int ranks() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

}  // namespace castor_test
