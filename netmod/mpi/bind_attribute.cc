// MPI functions: attributes and their keys.
#include <fmt/format.h>

#include <algorithm>

#include "netmod/mpi/attributes.h"
#include "netmod/mpi/call_scope.h"

namespace netmod {
namespace {

/// Value of a predefined attribute, or null.
const int* predefined_attribute(const RankState& rank, int key) {
  static constexpr int tag_ub = INT32_MAX;
  static constexpr int host = MPI_PROC_NULL;
  static constexpr int io = MPI_ANY_SOURCE;
  static constexpr int global = 1;  // time counts from the start of the run on all nodes
  static constexpr int application = 0;
  static constexpr int last_code = MPI_ERR_LASTCODE;
  switch (key) {
    case MPI_TAG_UB:
      return &tag_ub;
    case MPI_HOST:
      return &host;
    case MPI_IO:
      return &io;
    case MPI_WTIME_IS_GLOBAL:
      return &global;
    case MPI_UNIVERSE_SIZE:
      return rank.universe_size();
    case MPI_APPNUM:
      return &application;
    case MPI_LASTUSEDCODE:
      return &last_code;
    default:
      return nullptr;
  }
}

KeyValue& find_key(RankState& rank, int key) {
  if (predefined_attribute(rank, key) != nullptr) {
    fail(MPI_ERR_KEYVAL, "a predefined attribute cannot be changed");
  }
  if (KeyValue* found = rank.key_values.find(key)) return *found;
  fail(MPI_ERR_KEYVAL, fmt::format("the attribute key is {:#010x}, which is not a key", key));
}

int erase_value(RankState& rank, Communicator& comm, std::size_t index) {
  auto& attributes = comm.extras->attributes;
  const auto [key, value] = attributes[index];
  const KeyValue& key_value = *rank.key_values.find(key);
  if (key_value.erase != nullptr) {
    const int code = key_value.erase(comm.handle, key, value, key_value.extra_state);
    if (code != MPI_SUCCESS) return code;
  }
  attributes.erase(attributes.begin() + static_cast<std::ptrdiff_t>(index));
  drop_key(rank, key);
  return MPI_SUCCESS;
}

/// Index of a key's attribute, or the number of attributes.
std::size_t index_of(const Communicator& comm, int key) {
  if (comm.extras == nullptr) return 0;
  const auto& attributes = comm.extras->attributes;
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [key](const auto& entry) { return entry.first == key; });
  return static_cast<std::size_t>(found - attributes.begin());
}
bool has(const Communicator& comm, std::size_t index) {
  return comm.extras != nullptr && index < comm.extras->attributes.size();
}

int create_key(const char* function, MPI_Comm_copy_attr_function* copy,
               MPI_Comm_delete_attr_function* erase, int* keyval, void* extra_state) {
  return call(function, [&](RankState& rank) {
    check_pointer(keyval, "keyval");
    KeyValue* made = rank.key_values.add(*keyval);
    if (made == nullptr) fail(MPI_ERR_NO_MEM, "too many attribute keys");
    *made = {copy, erase, extra_state, 1};
  });
}

int free_key(const char* function, int* keyval) {
  return call(function, [&](RankState& rank) {
    check_pointer(keyval, "keyval");
    find_key(rank, *keyval);
    drop_key(rank, *keyval);
    *keyval = MPI_KEYVAL_INVALID;
  });
}

int get(const char* function, MPI_Comm comm, int keyval, void* value, int* flag) {
  return call(function, comm, [&](RankState& rank) {
    const Communicator& on = rank.communicator(comm);
    check_pointer(value, "value");
    check_pointer(flag, "flag");
    *flag = 1;
    if (const int* predefined = predefined_attribute(rank, keyval)) {
      *static_cast<const int**>(value) = predefined;
      return;
    }
    find_key(rank, keyval);
    const std::size_t index = index_of(on, keyval);
    *flag = has(on, index) ? 1 : 0;
    if (*flag != 0) *static_cast<void**>(value) = on.extras->attributes[index].second;
  });
}

int set(const char* function, MPI_Comm comm, int keyval, void* value) {
  return call(function, comm, [&](RankState& rank) {
    Communicator& on = rank.communicator(comm);
    find_key(rank, keyval);
    const std::size_t index = index_of(on, keyval);
    if (has(on, index)) {
      const int code = erase_value(rank, on, index);
      if (code != MPI_SUCCESS) fail(code, "the attribute's delete function failed");
    }
    ++find_key(rank, keyval).uses;
    on.need_extras().attributes.emplace_back(keyval, value);
  });
}

int erase(const char* function, MPI_Comm comm, int keyval) {
  return call(function, comm, [&](RankState& rank) {
    Communicator& on = rank.communicator(comm);
    find_key(rank, keyval);
    const std::size_t index = index_of(on, keyval);
    if (!has(on, index)) fail(MPI_ERR_KEYVAL, "the communicator has no such attribute");
    const int code = erase_value(rank, on, index);
    if (code != MPI_SUCCESS) fail(code, "the attribute's delete function failed");
  });
}

}  // namespace

void drop_key(RankState& rank, int key) {
  if (--rank.key_values.find(key)->uses == 0) rank.key_values.remove(key);
}

int copy_attributes(RankState& rank, const Communicator& from, Communicator& to) {
  if (from.extras == nullptr) return MPI_SUCCESS;
  for (const auto& [key, value] : from.extras->attributes) {
    KeyValue& key_value = *rank.key_values.find(key);
    if (key_value.copy == nullptr) continue;
    void* copied = nullptr;
    int flag = 0;
    const int code = key_value.copy(from.handle, key, key_value.extra_state, value, &copied, &flag);
    if (code != MPI_SUCCESS) return code;
    if (flag == 0) continue;
    ++key_value.uses;
    to.need_extras().attributes.emplace_back(key, copied);
  }
  return MPI_SUCCESS;
}

int delete_attributes(RankState& rank, Communicator& comm) {
  while (comm.extras != nullptr && !comm.extras->attributes.empty()) {
    const int code = erase_value(rank, comm, comm.extras->attributes.size() - 1);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

}  // namespace netmod

extern "C" {

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* erase,
                            int* keyval, void* extra_state) {
  return netmod::create_key("MPI_Comm_create_keyval", copy, erase, keyval, extra_state);
}
NETMOD_PUBLISH(Comm_create_keyval);

int PMPI_Keyval_create(MPI_Copy_function* copy, MPI_Delete_function* erase, int* keyval,
                       void* extra_state) {
  return netmod::create_key("MPI_Keyval_create", copy, erase, keyval, extra_state);
}
NETMOD_PUBLISH(Keyval_create);

int PMPI_Comm_free_keyval(int* keyval) { return netmod::free_key("MPI_Comm_free_keyval", keyval); }
NETMOD_PUBLISH(Comm_free_keyval);

int PMPI_Keyval_free(int* keyval) { return netmod::free_key("MPI_Keyval_free", keyval); }
NETMOD_PUBLISH(Keyval_free);

int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void* value, int* flag) {
  return netmod::get("MPI_Comm_get_attr", comm, keyval, value, flag);
}
NETMOD_PUBLISH(Comm_get_attr);

int PMPI_Attr_get(MPI_Comm comm, int keyval, void* value, int* flag) {
  return netmod::get("MPI_Attr_get", comm, keyval, value, flag);
}
NETMOD_PUBLISH(Attr_get);

int PMPI_Comm_set_attr(MPI_Comm comm, int keyval, void* value) {
  return netmod::set("MPI_Comm_set_attr", comm, keyval, value);
}
NETMOD_PUBLISH(Comm_set_attr);

int PMPI_Attr_put(MPI_Comm comm, int keyval, void* value) {
  return netmod::set("MPI_Attr_put", comm, keyval, value);
}
NETMOD_PUBLISH(Attr_put);

int PMPI_Comm_delete_attr(MPI_Comm comm, int keyval) {
  return netmod::erase("MPI_Comm_delete_attr", comm, keyval);
}
NETMOD_PUBLISH(Comm_delete_attr);

int PMPI_Attr_delete(MPI_Comm comm, int keyval) {
  return netmod::erase("MPI_Attr_delete", comm, keyval);
}
NETMOD_PUBLISH(Attr_delete);

int MPIR_Dup_fn(MPI_Comm, int, void*, void* value, void* newvalue, int* flag) {
  *static_cast<void**>(newvalue) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

}  // extern "C"
