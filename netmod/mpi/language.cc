// What the bindings of other languages do inside libmpi.
#include "netmod/mpi/language.h"

#include <fmt/format.h>

#include "netmod/mpi/call_scope.h"

using netmod::call;
using netmod::RankState;

extern "C" {

int MPIR_Keyval_set_proxies(int keyval, const netmod::KeyProxies* proxies) {
  return call("MPIR_Keyval_set_proxies", [&](RankState& rank) {
    netmod::KeyValue* key = rank.key_values.find(keyval);
    if (key == nullptr) {
      netmod::fail(MPI_ERR_KEYVAL,
                   fmt::format("{:#010x} is not a key", static_cast<unsigned>(keyval)));
    }
    key->proxies = proxies;
  });
}

int MPIR_Report_error(const char* function, int error_class, const char* what) {
  return call(function, [&](RankState&) { netmod::fail(error_class, what); });
}

}  // extern "C"
