// What the bindings of other languages do inside libmpi.
#include "netmod/mpi/calls/language.h"

#include "netmod/mpi/attributes/attributes.h"
#include "netmod/mpi/calls/call_scope.h"

using netmod::call;
using netmod::RankState;

extern "C" {

int MPIR_Keyval_set_proxies(int keyval, const netmod::KeyProxies* proxies) {
  return call("MPIR_Keyval_set_proxies", [&](RankState& rank) {
    netmod::KeyValue* key = rank.extras().key_values.find(keyval);
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
