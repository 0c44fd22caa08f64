// PMI functions: the key-value space.
#include <cstring>
#include <string>

#include "ugni_emu/pmi/pmi_caller.h"

using pmi::call;
using pmi::Caller;
using pmi::space_key;
using pmi::tell;

namespace pmi {

std::string space_key(const char* key) { return std::string("pmi key ") + key; }

void commit(const Caller& caller) {
  for (const auto& [key, value] : caller.state().put) {
    caller.job().put(caller.process(), key, value);
  }
  caller.state().put.clear();
}

}  // namespace pmi

namespace {

bool is_text(const char* text, int longest) {
  return text != nullptr && std::strlen(text) < static_cast<std::size_t>(longest);
}

bool is_space(const Caller& caller, const char* name) {
  return name != nullptr && caller.job_name() == name;
}

bool is_key(const char* key) { return is_text(key, pmi::longest_key) && key[0] != '\0'; }

}  // namespace

extern "C" {

int PMI_KVS_Get_my_name(char name[], int length) {
  return call("PMI_KVS_Get_my_name", [&](const Caller& caller) {
    return pmi::give_text(caller.job_name(), name, length);
  });
}

int PMI_KVS_Get_name_length_max(int* length) {
  return tell("PMI_KVS_Get_name_length_max", length,
              [](const Caller&) { return pmi::longest_name; });
}

int PMI_KVS_Get_key_length_max(int* length) {
  return tell("PMI_KVS_Get_key_length_max", length, [](const Caller&) { return pmi::longest_key; });
}

int PMI_KVS_Get_value_length_max(int* length) {
  return tell("PMI_KVS_Get_value_length_max", length,
              [](const Caller&) { return pmi::longest_value; });
}

int PMI_KVS_Put(const char name[], const char key[], const char value[]) {
  return call("PMI_KVS_Put", [&](const Caller& caller) {
    const bool valid = is_space(caller, name) && is_key(key) && is_text(value, pmi::longest_value);
    if (valid) caller.state().put[space_key(key)] = value;
    return valid;
  });
}

int PMI_KVS_Commit(const char name[]) {
  return call("PMI_KVS_Commit", [&](const Caller& caller) {
    if (!is_space(caller, name)) return false;
    pmi::commit(caller);
    return true;
  });
}

int PMI_KVS_Get(const char name[], const char key[], char value[], int length) {
  return call("PMI_KVS_Get", [&](const Caller& caller) {
    std::string found;
    return is_space(caller, name) && is_key(key) &&
           caller.job().get(caller.process(), space_key(key), found) &&
           pmi::give_text(found, value, length);
  });
}

}  // extern "C"
