// PMI functions: barrier, allgather, broadcast.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "ugni_emu/pmi/caller.h"

using pmi::call;
using pmi::Caller;

extern "C" {

int PMI_Barrier(void) {
  return call("PMI_Barrier", [](const Caller& caller) {
    caller.job().barrier(caller.process());
    return true;
  });
}

// The last rank comes first: a program that takes the order for that of the ranks does not work
// here either.
int PMI_Allgather(void* in, void* out, int length) {
  return call("PMI_Allgather", [&](const Caller& caller) {
    if (length < 0 || (length > 0 && (in == nullptr || out == nullptr))) return false;
    const auto bytes = static_cast<std::size_t>(length);
    const auto ranks = static_cast<std::size_t>(caller.job().size());
    std::vector<std::byte> all(bytes * ranks);
    caller.job().allgather(caller.process(), {static_cast<const std::byte*>(in), bytes}, all);
    auto* to = static_cast<std::byte*>(out);
    for (std::size_t rank = ranks; rank-- > 0 && bytes > 0; to += bytes) {
      std::copy_n(all.data() + rank * bytes, bytes, to);
    }
    return true;
  });
}

// Two keys in turn: when one is written again, all have read it, for they have met in the other's
// barrier since.
int PMI_Bcast(void* buffer, int length) {
  return call("PMI_Bcast", [&](const Caller& caller) {
    if (length < 0 || (length > 0 && buffer == nullptr)) return false;
    const std::string key =
        caller.state().broadcasts++ % 2 == 0 ? "pmi broadcast 0" : "pmi broadcast 1";
    const bool root = caller.process().rank() == 0;
    auto* bytes = static_cast<char*>(buffer);
    const auto size = static_cast<std::size_t>(length);
    if (root) caller.job().put(caller.process(), key, {bytes, size});
    caller.job().barrier(caller.process());
    if (root) return true;
    std::string value;
    if (!caller.job().get(caller.process(), key, value) || value.size() != size) return false;
    value.copy(bytes, size);
    return true;
  });
}

}  // extern "C"
