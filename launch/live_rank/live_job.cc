// The launch seam on the live clock.
#include "launch/live_rank/live_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "corespec/host/os_thread.h"
#include "corespec/host/printable.h"
#include "corespec/live/live_domain.h"
#include "corespec/live/live_thread.h"
#include "corespec/threads/node.h"
#include "launch/description/job_nodes.h"

namespace launch {

std::vector<int> LiveJob::ranks_on(int nid) const {
  const auto at = std::find(nodes_.nids.begin(), nodes_.nids.end(), nid);
  const auto node = static_cast<std::size_t>(at - nodes_.nids.begin());
  return node < nodes_.ranks.size() ? nodes_.ranks[node] : std::vector<int>();
}

namespace {

/// While a rank waits for the others it does not poll and its domain is its NIC's: they may still
/// want something of it. What the NIC has done by then, the rank sees.
class Meanwhile {
 public:
  explicit Meanwhile(const corespec::Process& caller)
      : domain_(static_cast<corespec::LiveDomain&>(caller.node().domain())), held_(let_go()) {}
  ~Meanwhile() {
    if (held_ != 0) {
      domain_.take_back(held_);
    } else {
      const corespec::EventDomain::Hold hold(domain_);
    }
  }
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;

 private:
  unsigned let_go() {
    if (corespec::Thread* const thread = corespec::this_thread_or_null()) {
      static_cast<corespec::LiveThread*>(thread)->end_polling();
    }
    return domain_.give_up();
  }

  const corespec::WithoutCancellation without_cancellation_;  // PMIx holds locks while it waits
  corespec::LiveDomain& domain_;
  unsigned held_;
};

}  // namespace

/// While a rank waits for all others.
class LiveJob::Meeting {
 public:
  explicit Meeting(LiveJob& job) : job_(job) {
    const corespec::Thread* const thread = corespec::this_thread_or_null();
    const char* const call = thread == nullptr ? nullptr : thread->call();
    job_.last_meeting_.store(call == nullptr ? "the start" : call, std::memory_order_relaxed);
    job_.meetings_.fetch_add(1, std::memory_order_relaxed);
    job_.meets_.store(true, std::memory_order_release);
  }
  ~Meeting() { job_.meets_.store(false, std::memory_order_release); }
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

 private:
  LiveJob& job_;
};

void LiveJob::add_exchanges(corespec::Situation& to) const {
  constexpr const char* place = "job";
  const bool meets = meets_.load(std::memory_order_acquire);
  const char* const call = last_meeting_.load(std::memory_order_relaxed);
  const std::uint64_t number = meetings_.load(std::memory_order_relaxed);
  if (call == nullptr) return;
  to.entered[place] = {number, call};
  if (!meets || to.call != call) return;
  to.details.clear();
  to.meeting = {place, call, number, [size = size()] {
                  std::vector<int> ranks(static_cast<std::size_t>(size));
                  std::iota(ranks.begin(), ranks.end(), 0);
                  return ranks;
                }};
}

void LiveJob::may_be_killed(const corespec::Process& caller) {
  if (faults_ == nullptr) return;
  const corespec::EventDomain::Hold hold(caller.node().domain());
  faults_->reach(faults::KillPoint::in_barrier);
}

void LiveJob::barrier(corespec::Process& caller, corespec::BarrierService* service) {
  may_be_killed(caller);
  const Meanwhile meanwhile(caller);
  const Meeting meeting(*this);
  if (service == nullptr) {
    start_up_.barrier();
  } else {
    start_up_.barrier([service] { service->serve(); });
  }
}

void LiveJob::exchange(corespec::Process& caller, std::span<const std::byte> in, const Take& take) {
  may_be_killed(caller);
  std::vector<std::vector<std::byte>> all;
  {
    const Meanwhile meanwhile(caller);
    const Meeting meeting(*this);
    all = start_up_.allgather(in);
  }
  for (std::size_t rank = 0; rank < all.size(); ++rank) take(static_cast<int>(rank), all[rank]);
}

void LiveJob::put(corespec::Process&, std::string_view key, std::string_view value) {
  start_up_.put(key, value);
  start_up_.commit();
}

bool LiveJob::get(corespec::Process&, std::string_view key, std::string& value) {
  return start_up_.get(key, value);
}

void LiveJob::abort(corespec::Process&, int code, std::string_view why) {
  StartUp::let_launcher_act();
  start_up_.abort(code, why);
}

void LiveJob::report(corespec::Process&, std::string_view line) {
  std::fflush(stdout);
  fmt::print(stderr, "{}\n", corespec::printable(line));
}

}  // namespace launch
