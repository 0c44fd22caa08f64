/* C's half of attribute_languages.f90: sets and reads attributes of all kinds of objects. */
#include <mpi.h>

enum kind { of_comm, of_comm_mpi1, of_type, of_win };

/* What C's get function gives for *value; 0 if there is no such attribute. */
static void* get(int kind, int handle, int key) {
  void* value = 0;
  int flag = 0;
  switch (kind) {
    case of_comm:
      MPI_Comm_get_attr(MPI_Comm_f2c(handle), key, &value, &flag);
      break;
    case of_comm_mpi1:
      MPI_Attr_get(MPI_Comm_f2c(handle), key, &value, &flag);
      break;
    case of_type:
      MPI_Type_get_attr(MPI_Type_f2c(handle), key, &value, &flag);
      break;
    default:
      MPI_Win_get_attr(MPI_Win_f2c(handle), key, &value, &flag);
  }
  return flag ? value : 0;
}

MPI_Aint c_pointer(int kind, int handle, int key) { return (MPI_Aint)get(kind, handle, key); }

/* The integers that the pointer points to; 0 without one. */
MPI_Aint c_address_integer(int kind, int handle, int key) {
  const MPI_Aint* value = get(kind, handle, key);
  return value ? *value : 0;
}
int c_integer(int kind, int handle, int key) {
  const int* value = get(kind, handle, key);
  return value ? *value : 0;
}

void c_set(int kind, int handle, int key, MPI_Aint pointer) {
  if (kind == of_comm) {
    MPI_Comm_set_attr(MPI_Comm_f2c(handle), key, (void*)pointer);
  } else if (kind == of_type) {
    MPI_Type_set_attr(MPI_Type_f2c(handle), key, (void*)pointer);
  } else {
    MPI_Win_set_attr(MPI_Win_f2c(handle), key, (void*)pointer);
  }
}

/* Copies the address of an integer of its own: one more than the other. */
static int copy_next(MPI_Comm comm, int key, void* extra_state, void* value, void* copied,
                     int* flag) {
  (void)comm;
  (void)key;
  MPI_Aint* own = extra_state;
  *own = *(MPI_Aint*)value + 1;
  *(void**)copied = own;
  *flag = 1;
  return MPI_SUCCESS;
}
static int erase(MPI_Comm comm, int key, void* value, void* extra_state) {
  (void)comm;
  (void)key;
  *(MPI_Aint*)extra_state = *(MPI_Aint*)value;
  return MPI_SUCCESS;
}

/* Keys with functions of C's: `own` is where copy_next() puts its integer and erase() what it saw.
 */
int c_key_of_copies(void) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, 0);
  return key;
}
int c_key_of_next(MPI_Aint* own) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(copy_next, erase, &key, own);
  return key;
}
