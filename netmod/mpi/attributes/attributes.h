// Attributes of objects: copied with them, deleted with them.
#pragma once

#include "netmod/mpi/attributes/attribute.h"
#include "netmod/mpi/attributes/attribute_tables.h"
#include "netmod/mpi/calls/rank_state.h"

namespace netmod {

/// The key of an attribute of such an object; MPI_ERR_KEYVAL.
KeyValue& find_key(RankState& rank, int key, AttributeOwner owner);

/// MPI_x_get_attr of an object with these attributes (null: none), for a key that is not
/// predefined: sets flag, and *(void**)value if the object has the attribute.
void get_value(const Attributes* attributes, int key, void* value, int* flag);
/// The attribute `key`; MPI_ERR_KEYVAL if it is not there.
AttributeValue& need_value(Attributes& attributes, int key);
/// The key is none.
[[noreturn]] void fail_key(int key);
/// Sets a value of the object `handle`; one that was there is deleted before. Both functions throw
/// the code that the key's function gave.
void set_value(RankState& rank, int handle, Attributes& attributes, int key, void* value);
void erase_value(RankState& rank, int handle, Attributes& attributes, int key);

/// Copies all attributes of `from` to `to`, as their keys' functions say; returns the first error
/// code such a function gave.
int copy_values(RankState& rank, int handle, const Attributes& from, Attributes& to);
/// Deletes all attributes, the last one first; returns the first error code a function gave.
int delete_values(RankState& rank, int handle, Attributes& attributes);

/// MPI_x_create_keyval and MPI_x_free_keyval of an owner.
int create_key(const char* function, AttributeOwner owner, MPI_Comm_copy_attr_function* copy,
               MPI_Comm_delete_attr_function* erase, int* keyval, void* extra_state);
int free_key(const char* function, AttributeOwner owner, int* keyval);

/// Gives the handle of a key up, once: attributes that have it keep it, and programs may free it
/// again meanwhile.
void give_up_key(RankState& rank, int key, AttributeOwner owner);

}  // namespace netmod
