// PMI functions: a process's rank, job and place.
#include <algorithm>
#include <vector>

#include "corespec/threads/node.h"
#include "ugni_emu/pmi/pmi_caller.h"

using pmi::call;
using pmi::Caller;
using pmi::tell;

namespace {

std::vector<int> clique(const Caller& caller) {
  return caller.job().ranks_on(caller.process().node().nid());
}

int clique_size(const Caller& caller) { return static_cast<int>(clique(caller).size()); }
int size(const Caller& caller) { return caller.job().size(); }

}  // namespace

extern "C" {

int PMI_Get_rank(int* rank) {
  return tell("PMI_Get_rank", rank, [](const Caller& caller) { return caller.process().rank(); });
}

int PMI_Get_size(int* size_out) { return tell("PMI_Get_size", size_out, size); }

int PMI_Get_universe_size(int* size_out) { return tell("PMI_Get_universe_size", size_out, size); }

int PMI_Get_appnum(int* appnum) {
  return tell("PMI_Get_appnum", appnum, [](const Caller&) { return 0; });
}

int PMI_Get_clique_size(int* size_out) {
  return tell("PMI_Get_clique_size", size_out, clique_size);
}

int PMI_Get_numpes_on_smp(int* count) { return tell("PMI_Get_numpes_on_smp", count, clique_size); }

int PMI_Get_clique_ranks(int ranks[], int length) {
  return call("PMI_Get_clique_ranks", [&](const Caller& caller) {
    const std::vector<int> members = clique(caller);
    if (ranks == nullptr || length < static_cast<int>(members.size())) return false;
    std::copy(members.begin(), members.end(), ranks);
    return true;
  });
}

int PMI_Get_nid(int rank, int* nid) {
  return call("PMI_Get_nid", [&](const Caller& caller) {
    if (nid == nullptr || rank < 0 || rank >= caller.job().size()) return false;
    *nid = caller.job().nid_of(rank);
    return true;
  });
}

int PMI_Get_version_info(int* major, int* minor, int* revision) {
  return call("PMI_Get_version_info", [&](const Caller&) {
    if (major == nullptr || minor == nullptr || revision == nullptr) return false;
    *major = 5;  // Cray's on the last XE6
    *minor = 0;
    *revision = 0;
    return true;
  });
}

int PMI_Get_id(char id[], int length) {
  return call("PMI_Get_id",
              [&](const Caller& caller) { return pmi::give_text(caller.job_name(), id, length); });
}

int PMI_Get_id_length_max(int* length) {
  return tell("PMI_Get_id_length_max", length, [](const Caller&) { return pmi::longest_name; });
}

}  // extern "C"
