// PMI functions: the key-value space.
#include <cstring>
#include <string>

#include "ugni_emu/pmi/pmi_caller.h"

using pmi::call_for_code;
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

bool is_space(const Caller& caller, const char* name) {
  return name != nullptr && caller.job_name() == name;
}

bool is_longer(const char* text, int longest) {
  return std::strlen(text) >= static_cast<std::size_t>(longest);
}

int key_code(const Caller& caller, const char* space, const char* key) {
  if (!is_space(caller, space)) return PMI_ERR_INVALID_ARG;
  if (key == nullptr || key[0] == '\0') return PMI_ERR_INVALID_KEY;
  return is_longer(key, pmi::longest_key) ? PMI_ERR_INVALID_KEY_LENGTH : PMI_SUCCESS;
}

int value_code(const char* value) {
  if (value == nullptr) return PMI_ERR_INVALID_VAL;
  return is_longer(value, pmi::longest_value) ? PMI_ERR_INVALID_VAL_LENGTH : PMI_SUCCESS;
}

}  // namespace

extern "C" {

int PMI_KVS_Get_my_name(char name[], int length) {
  return call_for_code("PMI_KVS_Get_my_name", [&](const Caller& caller) {
    return pmi::give_text_for_code(caller.job_name(), name, length);
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
  return call_for_code("PMI_KVS_Put", [&](const Caller& caller) {
    int code = key_code(caller, name, key);
    if (code == PMI_SUCCESS) code = value_code(value);
    if (code == PMI_SUCCESS) caller.state().put[space_key(key)] = value;
    return code;
  });
}

int PMI_KVS_Commit(const char name[]) {
  return call_for_code("PMI_KVS_Commit", [&](const Caller& caller) {
    if (!is_space(caller, name)) return PMI_ERR_INVALID_ARG;
    pmi::commit(caller);
    return PMI_SUCCESS;
  });
}

int PMI_KVS_Get(const char name[], const char key[], char value[], int length) {
  return call_for_code("PMI_KVS_Get", [&](const Caller& caller) {
    const int code = key_code(caller, name, key);
    if (code != PMI_SUCCESS) return code;
    if (value == nullptr) return PMI_ERR_INVALID_VAL;
    std::string found;
    if (!caller.job().get(caller.process(), space_key(key), found)) return PMI_FAIL;
    return pmi::give_text_for_code(found, value, length);
  });
}

}  // extern "C"
