// The datatypes of a rank: lookup of handles.
#include "netmod/mpi/datatypes/datatypes.h"

#include <fmt/format.h>

#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/datatypes/datatype.h"

namespace netmod {
namespace {

// Out of line: the text would take room on the stack of every call that could fail.
[[noreturn, gnu::noinline, gnu::cold]] void fail_uncommitted(MPI_Datatype handle) {
  fail(MPI_ERR_TYPE, fmt::format("datatype {} has not been committed", handle_text(handle)));
}

TypeView view_of(const BasicType& type) {
  return {type.handle, type.size, type.size, nullptr, &type};
}

TypeView view_of(MPI_Datatype handle, const Datatype& layout) {
  return {handle, layout.size, layout.extent(), &layout, layout.basic};
}

}  // namespace

const Datatype& Datatypes::layout_of(MPI_Datatype handle) {
  const auto number =
      static_cast<std::uint32_t>(handle) - static_cast<std::uint32_t>(MPI_FLOAT_INT);
  if (number < padded_pair_count) return padded_pair_layout(number);
  if (const auto* found = made.find(handle)) return **found;
  fail_handle(MPI_ERR_TYPE, handle, MPI_DATATYPE_NULL, "datatype", "MPI_DATATYPE_NULL",
              "a datatype");
}

TypeView Datatypes::known(MPI_Datatype handle) {
  if (const BasicType* basic = find_simple(handle)) return view_of(*basic);
  return view_of(handle, layout_of(handle));
}

TypeView Datatypes::in_use(MPI_Datatype handle) {
  if (const BasicType* basic = find_simple(handle)) [[likely]] {
    return view_of(*basic);
  }
  const Datatype& layout = layout_of(handle);
  if (!layout.committed) fail_uncommitted(handle);
  return view_of(handle, layout);
}

}  // namespace netmod
