// PMI2's functions: start and end, the key-value space, names of services.
#include <cstring>
#include <string>

#include "ugni_emu/include/pmi2.h"
#include "ugni_emu/pmi/pmi_caller.h"

using pmi::call_for_code;
using pmi::Caller;

namespace {

int check_key(const char* key) {
  if (key == nullptr || key[0] == '\0') return PMI2_ERR_INVALID_KEY;
  return std::strlen(key) < PMI2_MAX_KEYLEN ? PMI2_SUCCESS : PMI2_ERR_INVALID_KEY_LENGTH;
}

int check_value(const char* value) {
  if (value == nullptr) return PMI2_ERR_INVALID_VAL;
  return std::strlen(value) < PMI2_MAX_VALLEN ? PMI2_SUCCESS : PMI2_ERR_INVALID_VAL_LENGTH;
}

/// As much of `found` as there is room for; the length, negated if that is not all.
int give_part(const std::string& found, char* to, int room) {
  const std::size_t part = std::min(found.size(), static_cast<std::size_t>(room) - 1);
  found.copy(to, part);
  to[part] = '\0';
  const int length = static_cast<int>(found.size());
  return part == found.size() ? length : -length;
}

std::string service_key(const char* name) { return std::string("pmi service ") + name; }

/// "+" and the port, or "-" if the name has been taken back.
int put_service(const char* function, const char* name, const std::string& value) {
  return call_for_code(function, [&](const Caller& caller) {
    const int code = check_key(name);
    if (code == PMI2_SUCCESS) caller.job().put(caller.process(), service_key(name), value);
    return code;
  });
}

}  // namespace

extern "C" {

int PMI2_Init(int* spawned, int* size, int* rank, int* appnum) {
  int is_spawned = PMI_FALSE;
  const int code = PMI_Init(&is_spawned);
  if (code != PMI_SUCCESS) return PMI2_ERR_INIT;
  if (spawned != nullptr) *spawned = is_spawned;
  if (appnum != nullptr) *appnum = 0;
  if (size != nullptr) PMI_Get_size(size);
  if (rank != nullptr) PMI_Get_rank(rank);
  return PMI2_SUCCESS;
}

int PMI2_Initialized(void) {
  PMI_BOOL is = PMI_FALSE;
  PMI_Initialized(&is);
  return is == PMI_TRUE ? 1 : 0;
}

int PMI2_Finalize(void) { return PMI_Finalize() == PMI_SUCCESS ? PMI2_SUCCESS : PMI2_ERR_INIT; }

int PMI2_Abort(int, const char msg[]) { return PMI_Abort(1, msg); }

int PMI2_Job_GetId(char jobid[], int jobid_size) {
  return call_for_code("PMI2_Job_GetId", [&](const Caller& caller) {
    if (jobid == nullptr) return PMI2_ERR_INVALID_ARG;
    return pmi::give_text(caller.job_name(), jobid, jobid_size) ? PMI2_SUCCESS
                                                                : PMI2_ERR_INVALID_LENGTH;
  });
}

int PMI2_Job_GetRank(int* rank) {
  return call_for_code("PMI2_Job_GetRank", [&](const Caller& caller) {
    if (rank == nullptr) return PMI2_ERR_INVALID_ARG;
    *rank = caller.process().rank();
    return PMI2_SUCCESS;
  });
}

int PMI2_KVS_Put(const char key[], const char value[]) {
  return call_for_code("PMI2_KVS_Put", [&](const Caller& caller) {
    int code = check_key(key);
    if (code == PMI2_SUCCESS) code = check_value(value);
    if (code == PMI2_SUCCESS) caller.state().put[pmi::space_key(key)] = value;
    return code;
  });
}

int PMI2_KVS_Fence(void) {
  return call_for_code("PMI2_KVS_Fence", [](const Caller& caller) {
    pmi::commit(caller);
    caller.job().barrier(caller.process());
    return PMI2_SUCCESS;
  });
}

int PMI2_KVS_Get(const char* jobid, int, const char key[], char value[], int maxvalue,
                 int* vallen) {
  return call_for_code("PMI2_KVS_Get", [&](const Caller& caller) {
    if (jobid != nullptr && caller.job_name() != jobid) return PMI2_ERR_INVALID_ARG;
    if (value == nullptr || vallen == nullptr) return PMI2_ERR_INVALID_ARG;
    if (maxvalue < 1) return PMI2_ERR_INVALID_LENGTH;
    if (const int code = check_key(key); code != PMI2_SUCCESS) return code;
    std::string found;
    if (!caller.job().get(caller.process(), pmi::space_key(key), found)) return PMI2_FAIL;
    *vallen = give_part(found, value, maxvalue);
    return PMI2_SUCCESS;
  });
}

int PMI2_Nameserv_publish(const char service_name[], const struct MPID_Info*, const char port[]) {
  const int code = check_value(port);
  if (code != PMI2_SUCCESS) return code;
  return put_service("PMI2_Nameserv_publish", service_name, std::string("+") + port);
}

int PMI2_Nameserv_unpublish(const char service_name[], const struct MPID_Info*) {
  return put_service("PMI2_Nameserv_unpublish", service_name, "-");
}

int PMI2_Nameserv_lookup(const char service_name[], const struct MPID_Info*, char port[],
                         int port_length) {
  return call_for_code("PMI2_Nameserv_lookup", [&](const Caller& caller) {
    if (port == nullptr) return PMI2_ERR_INVALID_ARG;
    if (const int code = check_key(service_name); code != PMI2_SUCCESS) return code;
    std::string found;
    if (!caller.job().get(caller.process(), service_key(service_name), found) || found == "-") {
      return PMI2_FAIL;
    }
    return pmi::give_text(found.substr(1), port, port_length) ? PMI2_SUCCESS
                                                              : PMI2_ERR_INVALID_LENGTH;
  });
}

// PMI 1's, on the same names: the codes of both versions have the same numbers.
int PMI_Publish_name(const char service_name[], const char port[]) {
  return PMI2_Nameserv_publish(service_name, nullptr, port);
}

int PMI_Unpublish_name(const char service_name[]) {
  return PMI2_Nameserv_unpublish(service_name, nullptr);
}

int PMI_Lookup_name(const char service_name[], char port[]) {
  return PMI2_Nameserv_lookup(service_name, nullptr, port, PMI2_MAX_VALLEN);
}

}  // extern "C"
