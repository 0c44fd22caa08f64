// What the bindings of other languages do inside libmpi.
#include "netmod/mpi/calls/language.h"

#include "netmod/mpi/attributes/attribute_tables.h"
#include "netmod/mpi/attributes/attributes.h"
#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/datatypes/type_objects.h"
#include "netmod/mpi/groups/communicators.h"
#include "netmod/mpi/windows/window.h"

namespace netmod {
namespace {

/// The attribute of the object `handle`, whose kind is the key's. Throws the class of what is not
/// there: MPI_ERR_KEYVAL, MPI_ERR_COMM, MPI_ERR_TYPE, MPI_ERR_WIN.
AttributeValue& need_attribute(RankState& rank, int handle, int key) {
  const KeyValue* found = rank.attributes().keys.find(key);
  if (found == nullptr) fail_key(key);
  switch (found->owner) {
    case AttributeOwner::communicator:
      return need_value(rank.communicators().named(handle).need_extras().attributes, key);
    case AttributeOwner::datatype:
      return need_value(need_type_extras(rank, handle).attributes, key);
    case AttributeOwner::window:
      return need_value(find_window(rank, handle).extras.attributes, key);
  }
  fail_key(key);
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::RankState;

extern "C" {

int MPIR_Keyval_set_proxies(int keyval, const netmod::KeyProxies* proxies) {
  return call("MPIR_Keyval_set_proxies", [&](RankState& rank) {
    netmod::KeyValue* key = rank.attributes().keys.find(keyval);
    if (key == nullptr) {
      netmod::fail_handle(MPI_ERR_KEYVAL, keyval, MPI_KEYVAL_INVALID, "keyval",
                          "MPI_KEYVAL_INVALID", "a key");
    }
    key->proxies = proxies;
  });
}

int MPIR_Attribute_get_integer(int handle, int keyval, MPI_Aint* value) {
  return call("MPIR_Attribute_get_integer", [&](RankState& rank) {
    *value = netmod::need_attribute(rank, handle, keyval).in_fortran();
  });
}

int MPIR_Attribute_make_integer(int handle, int keyval, MPI_Aint value) {
  return call("MPIR_Attribute_make_integer", [&](RankState& rank) {
    netmod::need_attribute(rank, handle, keyval) = netmod::AttributeValue::integer(value);
  });
}

int MPIR_Report_error(const char* function, int error_class, const char* what) {
  return call(function, [&](RankState&) { netmod::fail(error_class, what); });
}

}  // extern "C"
