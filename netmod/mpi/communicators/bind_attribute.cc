// MPI functions: attributes of communicators and their keys.
#include "netmod/mpi/attributes/attributes.h"
#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/groups/communicators.h"

namespace netmod {
namespace {

/// Value of a predefined attribute, or null.
const int* predefined_attribute(RankState& rank, int key) {
  static constexpr int tag_ub = INT32_MAX;
  static constexpr int host = MPI_PROC_NULL;
  static constexpr int io = MPI_ANY_SOURCE;
  static constexpr int global = 1;  // time counts from the start of the run on all nodes
  static constexpr int application = 0;
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
      return &rank.errors().last_used_code;
    default:
      return nullptr;
  }
}

constexpr AttributeOwner owner = AttributeOwner::communicator;

void check_key(RankState& rank, int key) {
  if (predefined_attribute(rank, key) != nullptr) {
    fail(MPI_ERR_KEYVAL, "a predefined attribute cannot be changed");
  }
  find_key(rank, key, owner);
}

int get(const char* function, MPI_Comm comm, int keyval, void* value, int* flag) {
  return call(function, comm, [&](RankState& rank) {
    Communicator& on = rank.communicators().named(comm);
    check_pointer(value, "value");
    check_pointer(flag, "flag");
    if (const int* predefined = predefined_attribute(rank, keyval)) {
      *flag = 1;
      *static_cast<const int**>(value) = predefined;
      return;
    }
    find_key(rank, keyval, owner);
    get_value(on.extras == nullptr ? nullptr : &on.extras->attributes, keyval, value, flag);
  });
}

int set(const char* function, MPI_Comm comm, int keyval, void* value) {
  return call(function, comm, [&](RankState& rank) {
    Communicator& on = rank.communicators().named(comm);
    check_key(rank, keyval);
    set_value(rank, comm, on.need_extras().attributes, keyval, value);
  });
}

int erase(const char* function, MPI_Comm comm, int keyval) {
  return call(function, comm, [&](RankState& rank) {
    Communicator& on = rank.communicators().named(comm);
    check_key(rank, keyval);
    erase_value(rank, comm, on.need_extras().attributes, keyval);
  });
}

int free_communicator_key(const char* function, int* keyval) {
  return call(function, [&](RankState& rank) {
    check_pointer(keyval, "keyval");
    check_key(rank, *keyval);
    give_up_key(rank, *keyval, owner);
    *keyval = MPI_KEYVAL_INVALID;
  });
}

}  // namespace
}  // namespace netmod

extern "C" {

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* erase,
                            int* keyval, void* extra_state) {
  return netmod::create_key("MPI_Comm_create_keyval", netmod::owner, copy, erase, keyval,
                            extra_state);
}
NETMOD_PUBLISH(Comm_create_keyval);

int PMPI_Keyval_create(MPI_Copy_function* copy, MPI_Delete_function* erase, int* keyval,
                       void* extra_state) {
  return netmod::create_key("MPI_Keyval_create", netmod::owner, copy, erase, keyval, extra_state);
}
NETMOD_PUBLISH(Keyval_create);

int PMPI_Comm_free_keyval(int* keyval) {
  return netmod::free_communicator_key("MPI_Comm_free_keyval", keyval);
}
NETMOD_PUBLISH(Comm_free_keyval);

int PMPI_Keyval_free(int* keyval) {
  return netmod::free_communicator_key("MPI_Keyval_free", keyval);
}
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
