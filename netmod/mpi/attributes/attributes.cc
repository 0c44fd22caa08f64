// Attributes: keys, values, and what happens to them when objects are copied and freed.
#include "netmod/mpi/attributes/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "corespec/threads/rank_memory.h"

#include "netmod/mpi/attributes/attribute_tables.h"
#include "netmod/mpi/calls/call_scope.h"

namespace netmod {
namespace {

/// Of Attributes, to be changed or not.
template <class Of>
auto find_entry(Of& attributes, int key) {
  return std::find_if(attributes.begin(), attributes.end(),
                      [key](const auto& entry) { return entry.first == key; });
}

/// Gives a use of a key (a handle's or an attribute's) up.
void drop_key(RankState& rank, int key) {
  if (--rank.attributes().keys.find(key)->uses == 0) rank.attributes().keys.remove(key);
}

int call_erase(const KeyValue& key_value, int handle, int key, const AttributeValue& value) {
  if (key_value.erase == nullptr) return MPI_SUCCESS;
  const corespec::RankMemory own;
  if (key_value.proxies != nullptr) {
    return key_value.proxies->erase(key_value.erase, handle, key, value.in_fortran(),
                                    key_value.extra_state);
  }
  return key_value.erase(handle, key, value.in_c(), key_value.extra_state);
}

int call_copy(const KeyValue& key_value, int handle, int key, const AttributeValue& value,
              AttributeValue& copied, int* flag) {
  const corespec::RankMemory own;
  if (key_value.proxies != nullptr) {
    MPI_Aint copy = 0;
    const int code = key_value.proxies->copy(key_value.copy, handle, key, key_value.extra_state,
                                             value.in_fortran(), &copy, flag);
    copied = value.copied_in_fortran(copy);
    return code;
  }
  void* copy = nullptr;
  const int code = key_value.copy(handle, key, key_value.extra_state, value.in_c(), &copy, flag);
  copied = value.copied_in_c(copy);
  return code;
}

/// Deletes an attribute; the code its key's function gave.
int erase(RankState& rank, int handle, Attributes& attributes, Attributes::iterator entry) {
  const auto [key, value] = *entry;  // copies: the function may change the attributes
  const int code = call_erase(*rank.attributes().keys.find(key), handle, key, value);
  if (code != MPI_SUCCESS) return code;
  const auto still_there = find_entry(attributes, key);
  if (still_there == attributes.end()) return MPI_SUCCESS;
  attributes.erase(still_there);
  drop_key(rank, key);
  return MPI_SUCCESS;
}

void erase_or_fail(RankState& rank, int handle, Attributes& attributes,
                   Attributes::iterator entry) {
  const int code = erase(rank, handle, attributes, entry);
  if (code != MPI_SUCCESS) fail(code, "the attribute's delete function failed");
}

}  // namespace

void fail_key(int key) {
  fail_handle(MPI_ERR_KEYVAL, key, MPI_KEYVAL_INVALID, "the attribute key", "MPI_KEYVAL_INVALID",
              "a key");
}

KeyValue& find_key(RankState& rank, int key, AttributeOwner owner) {
  KeyValue* found = rank.attributes().keys.find(key);
  if (found == nullptr) fail_key(key);
  if (found->owner != owner) {
    fail(MPI_ERR_KEYVAL,
         fmt::format("the attribute key {} is one of another kind of object", handle_text(key)));
  }
  return *found;
}

void get_value(const Attributes* attributes, int key, void* value, int* flag) {
  *flag = 0;
  if (attributes == nullptr) return;
  const auto entry = find_entry(*attributes, key);
  if (entry == attributes->end()) return;
  *flag = 1;
  *static_cast<void**>(value) = entry->second.in_c();
}

AttributeValue& need_value(Attributes& attributes, int key) {
  const auto entry = find_entry(attributes, key);
  if (entry == attributes.end()) fail(MPI_ERR_KEYVAL, "the object has no such attribute");
  return entry->second;
}

void set_value(RankState& rank, int handle, Attributes& attributes, int key, void* value) {
  const auto entry = find_entry(attributes, key);
  if (entry != attributes.end()) erase_or_fail(rank, handle, attributes, entry);
  ++rank.attributes().keys.find(key)->uses;
  attributes.emplace_back(key, AttributeValue(value));
}

void erase_value(RankState& rank, int handle, Attributes& attributes, int key) {
  const auto entry = find_entry(attributes, key);
  if (entry == attributes.end()) return;
  erase_or_fail(rank, handle, attributes, entry);
}

int copy_values(RankState& rank, int handle, const Attributes& from, Attributes& to) {
  for (const auto& [key, value] : from) {
    KeyValue& key_value = *rank.attributes().keys.find(key);
    if (key_value.copy == nullptr) continue;
    AttributeValue copied;
    int flag = 0;
    const int code = call_copy(key_value, handle, key, value, copied, &flag);
    if (code != MPI_SUCCESS) return code;
    if (flag == 0) continue;
    ++key_value.uses;
    to.emplace_back(key, std::move(copied));
  }
  return MPI_SUCCESS;
}

int delete_values(RankState& rank, int handle, Attributes& attributes) {
  while (!attributes.empty()) {
    const int code = erase(rank, handle, attributes, std::prev(attributes.end()));
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int create_key(const char* function, AttributeOwner owner, MPI_Comm_copy_attr_function* copy,
               MPI_Comm_delete_attr_function* erase, int* keyval, void* extra_state) {
  return call(function, [&](RankState& rank) {
    check_pointer(keyval, "keyval");
    KeyValue* made = rank.attributes().keys.add(*keyval);
    if (made == nullptr) fail(MPI_ERR_NO_MEM, "too many attribute keys");
    *made = {copy, erase, extra_state, 1, false, owner, nullptr};
  });
}

int free_key(const char* function, AttributeOwner owner, int* keyval) {
  return call(function, [&](RankState& rank) {
    check_pointer(keyval, "keyval");
    give_up_key(rank, *keyval, owner);
    *keyval = MPI_KEYVAL_INVALID;
  });
}

void give_up_key(RankState& rank, int key, AttributeOwner owner) {
  KeyValue& found = find_key(rank, key, owner);
  if (found.freed) return;
  found.freed = true;
  drop_key(rank, key);
}

}  // namespace netmod
