// Runs DMAPP jobs on either clock.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "tests/support/virtual_job.h"
#include "ugni_emu/include/dmapp.h"

namespace castor_test {

/// dmapp_init, body(pe), dmapp_finalize on every rank; `body` is checked as tests are.
void run_dmapp(const launch::JobRequest& request, const std::function<void(int pe)>& body,
               dmapp_rma_attrs_ext_t attributes = {});

/// Of the job, from within a body.
void barrier();
int job_size();
dmapp_jobinfo_t job_info();
/// Every rank's, by rank.
std::vector<dmapp_seg_desc_t> all_segments(const dmapp_seg_desc_t& own);

/// Bytes that depend on seed and position only.
std::byte pattern(unsigned seed, std::size_t position);

}  // namespace castor_test
