// PMI functions: a process's rank, job and place.
#include <algorithm>
#include <vector>

#include "corespec/threads/node.h"
#include "ugni_emu/pmi/pmi_caller.h"

using pmi::call_for_code;
using pmi::Caller;
using pmi::tell;

namespace {

std::vector<int> clique(const Caller& caller) {
  return caller.job().ranks_on(caller.process().node().nid());
}

int clique_size(const Caller& caller) { return static_cast<int>(clique(caller).size()); }
int size(const Caller& caller) { return caller.job().size(); }

int give_clique(const char* function, int* ranks, int length) {
  return call_for_code(function, [&](const Caller& caller) {
    if (ranks == nullptr) return PMI_ERR_INVALID_ARG;
    const std::vector<int> members = clique(caller);
    if (length < static_cast<int>(members.size())) return PMI_ERR_INVALID_LENGTH;
    std::copy(members.begin(), members.end(), ranks);
    return PMI_SUCCESS;
  });
}

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

int PMI_Get_rank_in_app(int* rank) {
  return tell("PMI_Get_rank_in_app", rank,
              [](const Caller& caller) { return caller.process().rank(); });
}

int PMI_Get_numpes_in_app_on_smp(int* count) {
  return tell("PMI_Get_numpes_in_app_on_smp", count, clique_size);
}

int PMI_Get_app_size(int appnum, int* size_out) {
  return call_for_code("PMI_Get_app_size", [&](const Caller& caller) {
    if (size_out == nullptr || appnum != 0) return PMI_ERR_INVALID_ARG;
    *size_out = size(caller);
    return PMI_SUCCESS;
  });
}

int PMI_Get_clique_size(int* size_out) {
  return tell("PMI_Get_clique_size", size_out, clique_size);
}

int PMI_Get_numpes_on_smp(int* count) { return tell("PMI_Get_numpes_on_smp", count, clique_size); }

int PMI_Get_clique_ranks(int ranks[], int length) {
  return give_clique("PMI_Get_clique_ranks", ranks, length);
}

int PMI_Get_pes_on_smp(int ranks[], int length) {
  return give_clique("PMI_Get_pes_on_smp", ranks, length);
}

int PMI_Get_nid(int rank, int* nid) {
  return call_for_code("PMI_Get_nid", [&](const Caller& caller) {
    if (nid == nullptr || rank < 0 || rank >= caller.job().size()) return PMI_ERR_INVALID_ARG;
    *nid = caller.job().nid_of(rank);
    return PMI_SUCCESS;
  });
}

int PMI_Get_nidlist_ptr(void** nids) {
  return call_for_code("PMI_Get_nidlist_ptr", [&](const Caller& caller) {
    if (nids == nullptr) return PMI_ERR_INVALID_ARG;
    std::vector<int>& list = caller.state().nids;
    if (list.empty()) {
      for (int rank = 0; rank < caller.job().size(); ++rank) {
        list.push_back(caller.job().nid_of(rank));
      }
    }
    *nids = list.data();
    return PMI_SUCCESS;
  });
}

int PMI_Get_version_info(int* major, int* minor, int* revision) {
  return call_for_code("PMI_Get_version_info", [&](const Caller&) {
    if (major == nullptr || minor == nullptr || revision == nullptr) return PMI_ERR_INVALID_ARG;
    *major = 5;  // Cray's on the last XE6
    *minor = 0;
    *revision = 0;
    return PMI_SUCCESS;
  });
}

int PMI_Get_id(char id[], int length) {
  return call_for_code("PMI_Get_id", [&](const Caller& caller) {
    return pmi::give_text_for_code(caller.job_name(), id, length);
  });
}

int PMI_Get_kvs_domain_id(char id[], int length) {
  return call_for_code("PMI_Get_kvs_domain_id", [&](const Caller& caller) {
    return pmi::give_text_for_code(caller.job_name(), id, length);
  });
}

int PMI_Get_id_length_max(int* length) {
  return tell("PMI_Get_id_length_max", length, [](const Caller&) { return pmi::longest_name; });
}

}  // extern "C"
