// Attributes: keys, values, and what happens to them when objects are copied and freed.
#include "netmod/mpi/attributes.h"

#include <fmt/format.h>

#include <algorithm>

#include "netmod/mpi/call_scope.h"
#include "netmod/mpi/type_objects.h"

namespace netmod {
namespace {

auto find_entry(Attributes& attributes, int key) {
  return std::find_if(attributes.begin(), attributes.end(),
                      [key](const auto& entry) { return entry.first == key; });
}

/// Gives a use of a key (a handle's or an attribute's) up.
void drop_key(RankState& rank, int key) {
  if (--rank.key_values.find(key)->uses == 0) rank.key_values.remove(key);
}

int call_erase(const KeyValue& key_value, int handle, int key, void* value) {
  if (key_value.erase == nullptr) return MPI_SUCCESS;
  if (key_value.proxies != nullptr) {
    return key_value.proxies->erase(key_value.erase, handle, key, value, key_value.extra_state);
  }
  return key_value.erase(handle, key, value, key_value.extra_state);
}

int call_copy(const KeyValue& key_value, int handle, int key, void* value, void** copied,
              int* flag) {
  if (key_value.proxies != nullptr) {
    return key_value.proxies->copy(key_value.copy, handle, key, key_value.extra_state, value,
                                   copied, flag);
  }
  return key_value.copy(handle, key, key_value.extra_state, value, copied, flag);
}

/// Deletes the attribute at `index`; the code its key's function gave.
int erase_at(RankState& rank, int handle, Attributes& attributes, std::size_t index) {
  const auto [key, value] = attributes[index];
  const int code = call_erase(*rank.key_values.find(key), handle, key, value);
  if (code != MPI_SUCCESS) return code;
  attributes.erase(attributes.begin() + static_cast<std::ptrdiff_t>(index));
  drop_key(rank, key);
  return MPI_SUCCESS;
}

void erase_or_fail(RankState& rank, int handle, Attributes& attributes,
                   Attributes::iterator entry) {
  const int code =
      erase_at(rank, handle, attributes, static_cast<std::size_t>(entry - attributes.begin()));
  if (code != MPI_SUCCESS) fail(code, "the attribute's delete function failed");
}

}  // namespace

KeyValue& find_key(RankState& rank, int key, AttributeOwner owner) {
  KeyValue* found = rank.key_values.find(key);
  if (found == nullptr) {
    fail(MPI_ERR_KEYVAL, fmt::format("the attribute key is {:#010x}, which is not a key",
                                     static_cast<unsigned>(key)));
  }
  if (found->owner != owner) {
    fail(MPI_ERR_KEYVAL, fmt::format("the attribute key {:#010x} is one of another kind of object",
                                     static_cast<unsigned>(key)));
  }
  return *found;
}

void** find_value(Attributes* attributes, int key) {
  if (attributes == nullptr) return nullptr;
  const auto entry = find_entry(*attributes, key);
  return entry == attributes->end() ? nullptr : &entry->second;
}

void set_value(RankState& rank, int handle, Attributes& attributes, int key, void* value) {
  const auto entry = find_entry(attributes, key);
  if (entry != attributes.end()) erase_or_fail(rank, handle, attributes, entry);
  ++rank.key_values.find(key)->uses;
  attributes.emplace_back(key, value);
}

void erase_value(RankState& rank, int handle, Attributes& attributes, int key) {
  const auto entry = find_entry(attributes, key);
  if (entry == attributes.end()) fail(MPI_ERR_KEYVAL, "the object has no such attribute");
  erase_or_fail(rank, handle, attributes, entry);
}

int copy_values(RankState& rank, int handle, const Attributes& from, Attributes& to) {
  for (const auto& [key, value] : from) {
    KeyValue& key_value = *rank.key_values.find(key);
    if (key_value.copy == nullptr) continue;
    void* copied = nullptr;
    int flag = 0;
    const int code = call_copy(key_value, handle, key, value, &copied, &flag);
    if (code != MPI_SUCCESS) return code;
    if (flag == 0) continue;
    ++key_value.uses;
    to.emplace_back(key, copied);
  }
  return MPI_SUCCESS;
}

int delete_values(RankState& rank, int handle, Attributes& attributes) {
  while (!attributes.empty()) {
    const int code = erase_at(rank, handle, attributes, attributes.size() - 1);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int copy_attributes(RankState& rank, const Communicator& from, Communicator& to) {
  if (from.extras == nullptr || from.extras->attributes.empty()) return MPI_SUCCESS;
  return copy_values(rank, from.handle, from.extras->attributes, to.need_extras().attributes);
}

int delete_attributes(RankState& rank, Communicator& comm) {
  if (comm.extras == nullptr) return MPI_SUCCESS;
  return delete_values(rank, comm.handle, comm.extras->attributes);
}

int copy_type_attributes(RankState& rank, MPI_Datatype from, MPI_Datatype to) {
  const ObjectExtras* extras = find_type_extras(rank, from);
  if (extras == nullptr) return MPI_SUCCESS;
  return copy_values(rank, from, extras->attributes, need_type_extras(rank, to).attributes);
}

int delete_type_attributes(RankState& rank, MPI_Datatype datatype) {
  return delete_values(rank, datatype, need_type_extras(rank, datatype).attributes);
}

int create_key(const char* function, AttributeOwner owner, MPI_Comm_copy_attr_function* copy,
               MPI_Comm_delete_attr_function* erase, int* keyval, void* extra_state) {
  return call(function, [&](RankState& rank) {
    check_pointer(keyval, "keyval");
    KeyValue* made = rank.key_values.add(*keyval);
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
