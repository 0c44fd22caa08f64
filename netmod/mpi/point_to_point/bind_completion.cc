// MPI functions: waiting for and testing requests.
#include <fmt/format.h>

#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/point_to_point/awaited_messages.h"
#include "netmod/mpi/point_to_point/request.h"
#include "netmod/mpi/point_to_point/requests.h"
#include "netmod/mpi/point_to_point/requests_prefetch.h"

namespace netmod {
namespace {

bool is_done(RankState& rank, MPI_Request request) {
  return request == MPI_REQUEST_NULL || rank.requests().made.find(request)->done();
}

/// Null and inactive persistent requests: passed over where one of several is wanted.
bool is_idle(RankState& rank, MPI_Request request) {
  return request == MPI_REQUEST_NULL || !rank.requests().made.find(request)->active;
}

void check_requests(RankState& rank, int count, const MPI_Request* requests) {
  check_count(count);
  if (count > 0) check_pointer(requests, "requests");
  for (int i = 0; i < count; ++i) {
    if (requests[i] != MPI_REQUEST_NULL) find_request(rank, requests[i]);
  }
}

void check_statuses(int count, const MPI_Status* statuses) {
  if (count > 0) check_pointer(statuses, "statuses");
}

MPI_Status* status_at(MPI_Status* statuses, int index) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + index;
}

/// Ends one of several requests; remembers failure in its status and in `failed`.
void finish_one_of(RankState& rank, MPI_Request& request, MPI_Status* status, MPI_Comm& failed) {
  int result = MPI_SUCCESS;
  if (request == MPI_REQUEST_NULL) {
    set_empty_status(status);
  } else {
    const MPI_Comm comm = rank.requests().made.find(request)->comm;
    result = finish_request(rank, request, status);
    if (result != MPI_SUCCESS && failed == MPI_COMM_NULL) failed = comm;
  }
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = result;
}

void report_failed(MPI_Comm failed) {
  if (failed == MPI_COMM_NULL) return;
  fail(MPI_ERR_IN_STATUS,
       "a request failed: the MPI_ERROR of its status says how (MPI_ERR_TRUNCATE: a message was "
       "longer than its receive buffer)",
       failed);
}

void finish_all(RankState& rank, int count, MPI_Request* requests, MPI_Status* statuses) {
  if (count > 1) prefetch_requests(rank, count, requests);
  MPI_Comm failed = MPI_COMM_NULL;
  for (int i = 0; i < count; ++i) {
    finish_one_of(rank, requests[i], status_at(statuses, i), failed);
  }
  report_failed(failed);
}

bool all_done(RankState& rank, int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    if (!is_done(rank, requests[i])) return false;
  }
  return true;
}

void wait_for_all(RankState& rank, int count, const MPI_Request* requests) {
  Condition all;
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    const RequestRecord& record = *rank.requests().made.find(requests[i]);
    if (!record.done()) all.add(*record.device);
  }
  if (all.holds()) return;
  const AwaitedRequests for_people(rank, {requests, static_cast<std::size_t>(count)});
  rank.wait_until(all);
}

/// Index of the first done request that is not idle; -1: none yet; MPI_UNDEFINED: all are idle.
int find_done(RankState& rank, int count, const MPI_Request* requests) {
  bool all_idle = true;
  for (int i = 0; i < count; ++i) {
    if (is_idle(rank, requests[i])) continue;
    all_idle = false;
    if (is_done(rank, requests[i])) return i;
  }
  return all_idle ? MPI_UNDEFINED : -1;
}

void finish_any(RankState& rank, MPI_Request* requests, int found, int* index, MPI_Status* status) {
  *index = found;
  if (found == MPI_UNDEFINED) {
    set_empty_status(status);
  } else {
    finish_or_fail(rank, requests[found], status);
  }
}

void finish_some(RankState& rank, int count, MPI_Request* requests, int* outcount, int* indices,
                 MPI_Status* statuses) {
  MPI_Comm failed = MPI_COMM_NULL;
  int found = 0;
  for (int i = 0; i < count; ++i) {
    if (is_idle(rank, requests[i]) || !is_done(rank, requests[i])) continue;
    indices[found] = i;
    finish_one_of(rank, requests[i], status_at(statuses, found), failed);
    ++found;
  }
  *outcount = found;
  report_failed(failed);
}

/// Looks, makes progress once if nothing was there, and looks again.
template <class Look>
auto look_twice(RankState& rank, const Look& look, decltype(look()) nothing) {
  auto found = look();
  if (found == nothing) {
    rank.device().progress();
    found = look();
  }
  return found;
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::check_pointer;
using netmod::RankState;

extern "C" {

int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  return call("MPI_Wait", [&](RankState& rank) {
    check_pointer(request, "request");
    check_pointer(status, "status");
    if (*request == MPI_REQUEST_NULL) return netmod::set_empty_status(status);
    const netmod::RequestRecord& record = netmod::find_request(rank, *request);
    if (!record.done()) {
      const netmod::AwaitedRequests for_people(rank, {request, 1});
      rank.wait(*record.device);
    }
    netmod::finish_or_fail(rank, *request, status);
  });
}
NETMOD_PUBLISH(Wait);

int PMPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  return call("MPI_Waitall", [&](RankState& rank) {
    netmod::check_requests(rank, count, requests);
    netmod::check_statuses(count, statuses);
    netmod::wait_for_all(rank, count, requests);
    netmod::finish_all(rank, count, requests, statuses);
  });
}
NETMOD_PUBLISH(Waitall);

int PMPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  return call("MPI_Waitany", [&](RankState& rank) {
    netmod::check_requests(rank, count, requests);
    check_pointer(index, "index");
    check_pointer(status, "status");
    int found = -1;
    const auto look = [&] { return (found = netmod::find_done(rank, count, requests)) != -1; };
    const netmod::AwaitedRequests for_people(rank, {requests, static_cast<std::size_t>(count)});
    rank.wait_until(look);
    netmod::finish_any(rank, requests, found, index, status);
  });
}
NETMOD_PUBLISH(Waitany);

int PMPI_Waitsome(int incount, MPI_Request requests[], int* outcount, int indices[],
                  MPI_Status statuses[]) {
  return call("MPI_Waitsome", [&](RankState& rank) {
    netmod::check_requests(rank, incount, requests);
    check_pointer(outcount, "outcount");
    if (incount > 0) check_pointer(indices, "indices");
    netmod::check_statuses(incount, statuses);
    int found = -1;
    const auto look = [&] { return (found = netmod::find_done(rank, incount, requests)) != -1; };
    const netmod::AwaitedRequests for_people(rank, {requests, static_cast<std::size_t>(incount)});
    rank.wait_until(look);
    *outcount = MPI_UNDEFINED;
    if (found == MPI_UNDEFINED) return;
    netmod::finish_some(rank, incount, requests, outcount, indices, statuses);
  });
}
NETMOD_PUBLISH(Waitsome);

int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  return call("MPI_Test", [&](RankState& rank) {
    check_pointer(request, "request");
    check_pointer(flag, "flag");
    check_pointer(status, "status");
    if (*request != MPI_REQUEST_NULL) netmod::find_request(rank, *request);
    *flag = netmod::look_twice(
        rank, [&] { return netmod::is_done(rank, *request); }, false);
    if (*flag == 0) return;
    if (*request == MPI_REQUEST_NULL) return netmod::set_empty_status(status);
    netmod::finish_or_fail(rank, *request, status);
  });
}
NETMOD_PUBLISH(Test);

int PMPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  return call("MPI_Testall", [&](RankState& rank) {
    netmod::check_requests(rank, count, requests);
    check_pointer(flag, "flag");
    netmod::check_statuses(count, statuses);
    *flag = netmod::look_twice(
        rank, [&] { return netmod::all_done(rank, count, requests); }, false);
    if (*flag != 0) netmod::finish_all(rank, count, requests, statuses);
  });
}
NETMOD_PUBLISH(Testall);

int PMPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  return call("MPI_Testany", [&](RankState& rank) {
    netmod::check_requests(rank, count, requests);
    check_pointer(index, "index");
    check_pointer(flag, "flag");
    check_pointer(status, "status");
    const int found = netmod::look_twice(
        rank, [&] { return netmod::find_done(rank, count, requests); }, -1);
    *flag = found != -1 ? 1 : 0;
    *index = MPI_UNDEFINED;
    if (*flag != 0) netmod::finish_any(rank, requests, found, index, status);
  });
}
NETMOD_PUBLISH(Testany);

int PMPI_Testsome(int incount, MPI_Request requests[], int* outcount, int indices[],
                  MPI_Status statuses[]) {
  return call("MPI_Testsome", [&](RankState& rank) {
    netmod::check_requests(rank, incount, requests);
    check_pointer(outcount, "outcount");
    if (incount > 0) check_pointer(indices, "indices");
    netmod::check_statuses(incount, statuses);
    const int found = netmod::look_twice(
        rank, [&] { return netmod::find_done(rank, incount, requests); }, -1);
    *outcount = MPI_UNDEFINED;
    if (found == MPI_UNDEFINED) return;
    netmod::finish_some(rank, incount, requests, outcount, indices, statuses);
  });
}
NETMOD_PUBLISH(Testsome);

int PMPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  return call("MPI_Request_get_status", [&](RankState& rank) {
    check_pointer(flag, "flag");
    check_pointer(status, "status");
    if (request != MPI_REQUEST_NULL) netmod::find_request(rank, request);
    *flag = netmod::look_twice(
        rank, [&] { return netmod::is_done(rank, request); }, false);
    if (*flag == 0) return;
    if (request == MPI_REQUEST_NULL) return netmod::set_empty_status(status);
    netmod::look_at_request(rank, netmod::find_request(rank, request), status);
  });
}
NETMOD_PUBLISH(Request_get_status);

int PMPI_Request_free(MPI_Request* request) {
  return call("MPI_Request_free", [&](RankState& rank) {
    check_pointer(request, "request");
    netmod::abandon_request(rank, *request);
  });
}
NETMOD_PUBLISH(Request_free);

int PMPI_Cancel(MPI_Request* request) {
  return call("MPI_Cancel", [&](RankState& rank) {
    check_pointer(request, "request");
    netmod::RequestRecord& record = netmod::find_request(rank, *request);
    if (!record.active) {
      netmod::fail(MPI_ERR_REQUEST, "the persistent request has not been started", record.comm);
    }
    if (record.collective()) {
      netmod::fail(MPI_ERR_REQUEST, "the request of a collective cannot be cancelled", record.comm);
    }
    if (record.one_sided()) {
      netmod::fail(MPI_ERR_REQUEST, "a one-sided transfer cannot be cancelled", record.comm);
    }
    if (const netmod::Generalized* generalized = record.generalized()) {
      const int code = generalized->cancel();
      if (code != MPI_SUCCESS) {
        netmod::fail(code, "the cancel function of a generalized request failed", record.comm);
      }
    } else {
      netmod::cancel_message(rank, record);
    }
  });
}
NETMOD_PUBLISH(Cancel);

int PMPI_Grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free_fn,
                        MPI_Grequest_cancel_function* cancel, void* extra_state,
                        MPI_Request* request) {
  return call("MPI_Grequest_start", [&](RankState& rank) {
    check_pointer(request, "request");
    *request = netmod::start_generalized(
        rank, std::make_unique<netmod::Generalized>(query, free_fn, cancel, extra_state));
  });
}
NETMOD_PUBLISH(Grequest_start);

int PMPI_Grequest_complete(MPI_Request request) {
  return call("MPI_Grequest_complete",
              [&](RankState& rank) { netmod::complete_generalized(rank, request); });
}
NETMOD_PUBLISH(Grequest_complete);

}  // extern "C"
