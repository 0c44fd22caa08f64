// Calls that are not recorded: those that make or free data types, and those that are counted.
#include "apps/traces/record/timed.h"

using namespace dumpi_record;

namespace {

enum Other : std::size_t {
#define OTHER(name, parameters, arguments) other_##name,
#include "apps/traces/record/other_calls.def"
#undef OTHER
};

}  // namespace

extern "C" {

#define OTHER(name, parameters, arguments)     \
  int MPI_##name parameters {                  \
    Recorder::own().count_other(other_##name); \
    return PMPI_##name arguments;              \
  }
#include "apps/traces/record/other_calls.def"
#undef OTHER

#define TYPE(name, parameters, arguments)                                 \
  int MPI_##name parameters {                                             \
    const int code = PMPI_##name arguments;                               \
    if (code == MPI_SUCCESS) Recorder::own().handles.types.add(*newtype); \
    return code;                                                          \
  }
#include "apps/traces/record/type_calls.def"
#undef TYPE

int MPI_Type_free(MPI_Datatype* handle) {
  const MPI_Datatype gone = *handle;
  const int code = PMPI_Type_free(handle);
  if (code == MPI_SUCCESS) Recorder::own().handles.types.remove(gone);
  return code;
}

}  // extern "C"
