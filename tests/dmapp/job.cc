// Runs DMAPP jobs on either clock.
#include "tests/dmapp/job.h"

#include <span>

#include "corespec/job/job.h"
#include "corespec/threads/thread.h"
#include "tests/support/live_job.h"

namespace castor_test {

void run_dmapp(const launch::JobRequest& request, const std::function<void(int pe)>& body,
               dmapp_rma_attrs_ext_t attributes) {
  const auto rank_body = [&] {
    ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_init_ext(&attributes, nullptr));
    body(job_info().pe);
    barrier();
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_finalize());
  };
  if (live_clock()) {
    const LiveOutcome outcome = run_live(request, rank_body);
    EXPECT_EQ(0, outcome.status) << outcome.output;
    return;
  }
  const JobOutcome outcome = run_job(request, [&](corespec::Process&) {
    rank_body();
    return 0;
  });
  EXPECT_FALSE(outcome.end.aborted);
  EXPECT_EQ(outcome.end.ended, request.ranks);
}

void barrier() {
  corespec::this_thread().sync();
  corespec::Process& process = *corespec::this_process_or_null();
  process.job().barrier(process);
}

int job_size() { return job_info().npes; }

dmapp_jobinfo_t job_info() {
  dmapp_jobinfo_t info{};
  EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_get_jobinfo(&info));
  return info;
}

std::vector<dmapp_seg_desc_t> all_segments(const dmapp_seg_desc_t& own) {
  std::vector<dmapp_seg_desc_t> all(static_cast<std::size_t>(job_size()));
  corespec::Process& process = *corespec::this_process_or_null();
  process.job().allgather(process, std::as_bytes(std::span(&own, 1)),
                          std::as_writable_bytes(std::span(all)));
  return all;
}

std::byte pattern(unsigned seed, std::size_t position) {
  const std::uint64_t mixed = (position + 1) * 0x9e3779b97f4a7c15ULL ^ seed * 0xbf58476d1ce4e5b9ULL;
  return static_cast<std::byte>((mixed ^ (mixed >> 29)) >> 17);
}

}  // namespace castor_test
