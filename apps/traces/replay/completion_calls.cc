// Wait, Test and their kind: what the trace saw completed is waited for.
#include <vector>

#include "apps/traces/replay/replayed_calls.h"

namespace replay {
namespace {

using dumpi::Call;
using dumpi::Label;

void wait(ReplayedRank& rank, const Call& call) { rank.wait(call.number("request")); }

void test(ReplayedRank& rank, const Call& call) {
  if (call.number("flag") != 0) {
    wait(rank, call);
  } else if (MPI_Request* const request = rank.find(call.number("request"))) {
    int flag = 0;
    MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE);
  }
}

void request_free(ReplayedRank& rank, const Call& call) { rank.free(call.number("request")); }

void cancel(ReplayedRank& rank, const Call& call) {
  if (MPI_Request* const request = rank.find(call.number("request"))) MPI_Cancel(request);
}

/// One that the trace saw complete is not freed by it.
void get_status(ReplayedRank& rank, const Call& call) {
  MPI_Request* const request = rank.find(call.number("request"));
  const bool waits = call.number("flag") != 0;
  int flag = request == nullptr || *request == MPI_REQUEST_NULL ? 1 : 0;
  while (flag == 0) {
    MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE);
    if (!waits) return;
  }
}

/// Without an index: none was active.
void wait_any(ReplayedRank& rank, const Call& call) {
  const auto numbers = call.numbers("requests");
  const std::int32_t index = call.number("index");
  if (index < 0 || static_cast<std::size_t>(index) >= numbers.size()) return;
  rank.wait(numbers[static_cast<std::size_t>(index)]);
}

void test_any(ReplayedRank& rank, const Call& call) {
  if (call.number("flag") != 0) wait_any(rank, call);
}

void wait_all(ReplayedRank& rank, const Call& call) {
  const auto numbers = call.numbers("requests");
  std::vector<MPI_Request> requests;
  for (const std::int32_t number : numbers) {
    if (MPI_Request* const request = rank.find(number)) requests.push_back(*request);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (const std::int32_t number : numbers) rank.forget(number);
}

void test_all(ReplayedRank& rank, const Call& call) {
  if (call.number("flag") != 0) wait_all(rank, call);
}

void wait_some(ReplayedRank& rank, const Call& call) {
  const auto numbers = call.numbers("requests");
  for (const std::int32_t index : call.numbers("indices")) {
    if (index < 0 || static_cast<std::size_t>(index) >= numbers.size()) {
      rank.fail("an index is not one of a request");
    }
    rank.wait(numbers[static_cast<std::size_t>(index)]);
  }
}

}  // namespace

std::span<const ReplayedCall> completion_calls() {
  static constexpr ReplayedCall all[] = {
      {Label::Wait, wait},
      {Label::Test, test},
      {Label::Request_free, request_free},
      {Label::Cancel, cancel},
      {Label::Request_get_status, get_status},
      {Label::Waitany, wait_any},
      {Label::Testany, test_any},
      {Label::Waitall, wait_all},
      {Label::Testall, test_all},
      {Label::Waitsome, wait_some},
      {Label::Testsome, wait_some},
  };
  return all;
}

}  // namespace replay
