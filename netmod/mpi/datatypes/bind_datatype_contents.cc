// MPI functions: how datatypes were made, their names, their attributes.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "netmod/mpi/attributes/attributes.h"
#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/datatypes/datatypes.h"
#include "netmod/mpi/datatypes/type_objects.h"

namespace netmod {
namespace {

/// How a datatype was made; null: it is a named one.
const Contents* contents_of(RankState& rank, MPI_Datatype datatype) {
  const TypeView type = rank.datatypes().known(datatype);
  return type.layout == nullptr ? nullptr : type.layout->contents.get();
}

template <class T>
void copy_out(const std::vector<T>& from, int room, T* to, const char* name) {
  const auto count = static_cast<int>(from.size());
  if (room < count) {
    fail(MPI_ERR_ARG, fmt::format("there is room for {} {}, but there are {}", room, name, count));
  }
  if (count > 0) check_pointer(to, name);
  std::copy(from.begin(), from.end(), to);
}

void copy_types_out(RankState& rank, const Contents& contents, int room, MPI_Datatype* to) {
  const auto count = static_cast<int>(contents.types.size());
  if (room < count) {
    fail(MPI_ERR_ARG, fmt::format("there is room for {} datatypes, but there are {}", room, count));
  }
  if (count > 0) check_pointer(to, "datatypes");
  for (const Contents::Used& used : contents.types) {
    *to++ = used.made == nullptr ? used.handle : add_type_handle(rank, used.made);
    if (used.made != nullptr) ++used.made->handles;
  }
}

std::string_view predefined_name(MPI_Datatype datatype) {
  if (datatype == MPI_DATATYPE_NULL) return "MPI_DATATYPE_NULL";
  if (const BasicType* basic = find_simple(datatype)) return basic->name;
  for (const BasicType& pair : padded_pairs) {
    if (pair.handle == datatype) return pair.name;
  }
  return {};
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::check_pointer;
using netmod::RankState;

extern "C" {

int PMPI_Type_get_envelope(MPI_Datatype datatype, int* num_integers, int* num_addresses,
                           int* num_datatypes, int* combiner) {
  return call("MPI_Type_get_envelope", [&](RankState& rank) {
    const netmod::Contents* contents = netmod::contents_of(rank, datatype);
    check_pointer(num_integers, "num_integers");
    check_pointer(num_addresses, "num_addresses");
    check_pointer(num_datatypes, "num_datatypes");
    check_pointer(combiner, "combiner");
    static const netmod::Contents named;
    if (contents == nullptr) contents = &named;
    *num_integers = static_cast<int>(contents->integers.size());
    *num_addresses = static_cast<int>(contents->addresses.size());
    *num_datatypes = static_cast<int>(contents->types.size());
    *combiner = contents->combiner;
  });
}
NETMOD_PUBLISH(Type_get_envelope);

int PMPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses,
                           int max_datatypes, int integers[], MPI_Aint addresses[],
                           MPI_Datatype datatypes[]) {
  return call("MPI_Type_get_contents", [&](RankState& rank) {
    const netmod::Contents* contents = netmod::contents_of(rank, datatype);
    if (contents == nullptr) {
      netmod::fail(MPI_ERR_TYPE, "a named datatype was not made of others");
    }
    netmod::copy_out(contents->integers, max_integers, integers, "integers");
    netmod::copy_out(contents->addresses, max_addresses, addresses, "addresses");
    netmod::copy_types_out(rank, *contents, max_datatypes, datatypes);
  });
}
NETMOD_PUBLISH(Type_get_contents);

int PMPI_Type_set_name(MPI_Datatype datatype, const char* name) {
  return call("MPI_Type_set_name", [&](RankState& rank) {
    netmod::ObjectExtras& extras = netmod::need_type_extras(rank, datatype);
    check_pointer(name, "name");
    extras.name.assign(name, strnlen(name, MPI_MAX_OBJECT_NAME - 1));
  });
}
NETMOD_PUBLISH(Type_set_name);

int PMPI_Type_get_name(MPI_Datatype datatype, char* name, int* resultlen) {
  return call("MPI_Type_get_name", [&](RankState& rank) {
    const netmod::ObjectExtras* extras =
        datatype == MPI_DATATYPE_NULL ? nullptr : netmod::find_type_extras(rank, datatype);
    check_pointer(name, "name");
    check_pointer(resultlen, "resultlen");
    const std::string_view found = extras != nullptr && !extras->name.empty()
                                       ? std::string_view(extras->name)
                                       : netmod::predefined_name(datatype);
    std::copy(found.begin(), found.end(), name);
    name[found.size()] = '\0';
    *resultlen = static_cast<int>(found.size());
  });
}
NETMOD_PUBLISH(Type_get_name);

int PMPI_Type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* erase,
                            int* keyval, void* extra_state) {
  return netmod::create_key("MPI_Type_create_keyval", netmod::AttributeOwner::datatype, copy, erase,
                            keyval, extra_state);
}
NETMOD_PUBLISH(Type_create_keyval);

int PMPI_Type_free_keyval(int* keyval) {
  return netmod::free_key("MPI_Type_free_keyval", netmod::AttributeOwner::datatype, keyval);
}
NETMOD_PUBLISH(Type_free_keyval);

int PMPI_Type_set_attr(MPI_Datatype datatype, int keyval, void* value) {
  return call("MPI_Type_set_attr", [&](RankState& rank) {
    netmod::ObjectExtras& extras = netmod::need_type_extras(rank, datatype);
    netmod::find_key(rank, keyval, netmod::AttributeOwner::datatype);
    netmod::set_value(rank, datatype, extras.attributes, keyval, value);
  });
}
NETMOD_PUBLISH(Type_set_attr);

int PMPI_Type_get_attr(MPI_Datatype datatype, int keyval, void* value, int* flag) {
  return call("MPI_Type_get_attr", [&](RankState& rank) {
    netmod::ObjectExtras& extras = netmod::need_type_extras(rank, datatype);
    check_pointer(value, "value");
    check_pointer(flag, "flag");
    netmod::find_key(rank, keyval, netmod::AttributeOwner::datatype);
    netmod::get_value(&extras.attributes, keyval, value, flag);
  });
}
NETMOD_PUBLISH(Type_get_attr);

int PMPI_Type_delete_attr(MPI_Datatype datatype, int keyval) {
  return call("MPI_Type_delete_attr", [&](RankState& rank) {
    netmod::ObjectExtras& extras = netmod::need_type_extras(rank, datatype);
    netmod::find_key(rank, keyval, netmod::AttributeOwner::datatype);
    netmod::erase_value(rank, datatype, extras.attributes, keyval);
  });
}
NETMOD_PUBLISH(Type_delete_attr);

}  // extern "C"
