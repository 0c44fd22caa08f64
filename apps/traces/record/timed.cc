// Recording of a call, and MPI's values as the trace has them.
#include "apps/traces/record/timed.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace dumpi_record {

int Timed::record(int code, std::vector<Value> values) {
  if (code == MPI_SUCCESS || code == MPI_ERR_IN_STATUS) {
    record(std::move(values));
  } else {
    ignore();
  }
  return code;
}

void Timed::record(std::vector<Value> values) {
  Recorder::own().add(label_, entry_, exit_, std::move(values));
}

int rank_number(int rank) {
  switch (rank) {
    case MPI_ANY_SOURCE:
      return -1;
    case MPI_ROOT:
      return -2;
    case MPI_PROC_NULL:
      return -3;
    default:
      return rank;
  }
}

int comm(MPI_Comm handle) { return Recorder::own().handles.comms.find_or_add(handle); }

int type(MPI_Datatype handle) { return Recorder::own().handles.types.of(handle); }

int type_if(bool used, MPI_Datatype handle) {
  return used ? type(handle) : Recorder::own().handles.types.of_unused(handle);
}

int op(MPI_Op handle) { return Recorder::own().handles.ops.find_or_add(handle); }

int group(MPI_Group handle) { return Recorder::own().handles.groups.find_or_add(handle); }

int win(MPI_Win handle) { return Recorder::own().handles.wins.find_or_add(handle); }

std::int32_t narrow(MPI_Aint value) {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(std::clamp<MPI_Aint>(value, Limits::min(), Limits::max()));
}

int thread_level(int level) { return level - MPI_THREAD_SINGLE + 1; }

std::vector<std::int32_t> numbers(const int* values, int count, bool used) {
  const auto size = static_cast<std::size_t>(std::max(count, 0));
  if (!used || values == nullptr) return std::vector<std::int32_t>(size);
  return {values, values + size};
}

Members::Members(MPI_Comm comm) {
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  inter = is_inter != 0;
  PMPI_Comm_rank(comm, &rank);
  if (inter) {
    PMPI_Comm_remote_size(comm, &size);
  } else {
    PMPI_Comm_size(comm, &size);
  }
}

int Members::rank_for(int root) const {
  if (!inter) return rank;
  return root == MPI_ROOT ? rank_number(MPI_ROOT) : -1;
}

namespace {

dumpi::Status status_of(const MPI_Status& given, int error) {
  MPI_Count bytes = 0;
  int cancelled = 0;
  PMPI_Get_elements_x(&given, MPI_BYTE, &bytes);
  PMPI_Test_cancelled(&given, &cancelled);
  return {narrow(bytes), rank_number(given.MPI_SOURCE), static_cast<std::uint8_t>(cancelled),
          static_cast<std::uint8_t>(error), given.MPI_TAG};
}

}  // namespace

std::vector<dumpi::Status> status(const MPI_Status* given) {
  if (given == MPI_STATUS_IGNORE) return {};
  return {status_of(*given, MPI_SUCCESS)};
}

std::vector<dumpi::Status> statuses(const MPI_Status* given, int count, int code) {
  std::vector<dumpi::Status> all;
  if (given == MPI_STATUSES_IGNORE) return all;
  for (int i = 0; i < count; ++i) {
    all.push_back(status_of(given[i], code == MPI_ERR_IN_STATUS ? given[i].MPI_ERROR : 0));
  }
  return all;
}

Requests::Requests(const MPI_Request* requests, int count)
    : now_(requests, static_cast<std::size_t>(std::max(count, 0))),
      before_(now_.begin(), now_.end()) {
  constexpr int null = 1;
  for (const MPI_Request each : before_) {
    numbers_.push_back(Recorder::own().handles.requests.find(each, null));
  }
}

Requests::~Requests() {
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const bool gone = now_[i] == MPI_REQUEST_NULL && before_[i] != MPI_REQUEST_NULL;
    if (gone) Recorder::own().handles.requests.remove(before_[i], numbers_[i]);
  }
}

}  // namespace dumpi_record
