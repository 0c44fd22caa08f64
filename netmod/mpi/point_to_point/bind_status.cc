// MPI functions: what statuses say.
#include <fmt/format.h>

#include <cstring>

#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/datatypes/datatypes.h"
#include "netmod/mpi/point_to_point/request.h"

namespace netmod {
namespace {

/// Basic elements that a status tells of, or MPI_UNDEFINED.
std::int64_t elements_in(RankState& rank, const MPI_Status* status, MPI_Datatype datatype) {
  check_pointer(status, "status");
  const auto bytes = static_cast<std::int64_t>(status_bytes(*status));
  const std::int64_t elements = count_elements(rank.datatypes().in_use(datatype), bytes);
  return elements >= 0 ? elements : MPI_UNDEFINED;
}

/// Packed bytes of basic elements, as many as a status can tell of.
std::int64_t bytes_of_elements(const Signature& signature, std::int64_t elements) {
  std::int64_t most = 0;  // of a whole datatype more
  const std::int64_t types = signature.elements() == 0 ? 0 : elements / signature.elements() + 1;
  if (__builtin_mul_overflow(types, signature.bytes(), &most)) {
    fail(MPI_ERR_COUNT,
         fmt::format("{} basic elements have more bytes than a status can tell of", elements));
  }
  return signature.bytes_of(elements);
}

int set_elements(const char* function, MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  return call(function, [&](RankState& rank) {
    const TypeView type = rank.datatypes().known(datatype);
    check_pointer(status, "status");
    check_count(count);
    const auto bytes = static_cast<std::uint64_t>(bytes_of_elements(signature_of(type), count));
    const bool cancelled = (status->count_hi_and_cancelled & 1) != 0;
    set_status(status, status->MPI_SOURCE, status->MPI_TAG, bytes, cancelled);
  });
}

/// C's and Fortran's statuses have the same fields.
int copy_status(const char* function, const void* from, void* to) {
  return call(function, [&](RankState&) {
    for (const void* status : {from, static_cast<const void*>(to)}) {
      check_pointer(status, "a status");
      if (status == MPI_STATUS_IGNORE) fail(MPI_ERR_ARG, "a status is MPI_STATUS_IGNORE");
    }
    std::memcpy(to, from, sizeof(MPI_Status));
  });
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::check_pointer;
using netmod::RankState;

extern "C" {

int PMPI_Get_count(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return call("MPI_Get_count", [&](RankState& rank) {
    check_pointer(status, "status");
    check_pointer(count, "count");
    const std::int64_t size = rank.datatypes().in_use(datatype).size;
    const auto bytes = static_cast<std::int64_t>(netmod::status_bytes(*status));
    const bool whole = size == 0 ? bytes == 0 : bytes % size == 0;
    const std::int64_t elements = size == 0 ? 0 : bytes / size;
    *count = whole && elements <= INT32_MAX ? static_cast<int>(elements) : MPI_UNDEFINED;
  });
}
NETMOD_PUBLISH(Get_count);

int PMPI_Get_elements(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return call("MPI_Get_elements", [&](RankState& rank) {
    const std::int64_t elements = netmod::elements_in(rank, status, datatype);
    check_pointer(count, "count");
    *count = elements <= INT32_MAX ? static_cast<int>(elements) : MPI_UNDEFINED;
  });
}
NETMOD_PUBLISH(Get_elements);

int PMPI_Get_elements_x(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return call("MPI_Get_elements_x", [&](RankState& rank) {
    const std::int64_t elements = netmod::elements_in(rank, status, datatype);
    check_pointer(count, "count");
    *count = elements;
  });
}
NETMOD_PUBLISH(Get_elements_x);

int PMPI_Status_set_elements(MPI_Status* status, MPI_Datatype datatype, int count) {
  return netmod::set_elements("MPI_Status_set_elements", status, datatype, count);
}
NETMOD_PUBLISH(Status_set_elements);

int PMPI_Status_set_elements_x(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  return netmod::set_elements("MPI_Status_set_elements_x", status, datatype, count);
}
NETMOD_PUBLISH(Status_set_elements_x);

int PMPI_Status_set_cancelled(MPI_Status* status, int flag) {
  return call("MPI_Status_set_cancelled", [&](RankState&) {
    check_pointer(status, "status");
    netmod::set_status(status, status->MPI_SOURCE, status->MPI_TAG, netmod::status_bytes(*status),
                       flag != 0);
  });
}
NETMOD_PUBLISH(Status_set_cancelled);

int PMPI_Test_cancelled(const MPI_Status* status, int* flag) {
  return call("MPI_Test_cancelled", [&](RankState&) {
    check_pointer(status, "status");
    check_pointer(flag, "flag");
    *flag = status->count_hi_and_cancelled & 1;
  });
}
NETMOD_PUBLISH(Test_cancelled);

int PMPI_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status) {
  return netmod::copy_status("MPI_Status_c2f", c_status, f_status);
}
NETMOD_PUBLISH(Status_c2f);

int PMPI_Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status) {
  return netmod::copy_status("MPI_Status_f2c", f_status, c_status);
}
NETMOD_PUBLISH(Status_f2c);

}  // extern "C"
