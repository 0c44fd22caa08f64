// Fortran's names: start and end, clocks, info objects, memory.
#include "netmod/fortran/binding.h"

CASTOR_FORTRAN(1, initialized, Initialized);
CASTOR_FORTRAN(1, finalized, Finalized);
CASTOR_FORTRAN(0, finalize, Finalize);
CASTOR_FORTRAN(1, query_thread, Query_thread);
CASTOR_FORTRAN(1, is_thread_main, Is_thread_main);
CASTOR_FORTRAN(2, abort, Abort);
CASTOR_FORTRAN(2, get_version, Get_version);
CASTOR_FORTRAN(1, comm_free_keyval, Comm_free_keyval);
CASTOR_FORTRAN(2, comm_delete_attr, Comm_delete_attr);
CASTOR_FORTRAN(1, keyval_free, Keyval_free);
CASTOR_FORTRAN(2, attr_delete, Attr_delete);
CASTOR_FORTRAN(1, info_create, Info_create);
CASTOR_FORTRAN(2, info_get_nkeys, Info_get_nkeys);
CASTOR_FORTRAN(2, info_dup, Info_dup);
CASTOR_FORTRAN(1, info_free, Info_free);
CASTOR_FORTRAN(3, alloc_mem, Alloc_mem);
CASTOR_FORTRAN(1, free_mem, Free_mem);

extern "C" {

void pmpi_init_(int* ierror) { *ierror = MPI_Init(nullptr, nullptr); }
void pmpi_init_thread_(const int* required, int* provided, int* ierror) {
  *ierror = MPI_Init_thread(nullptr, nullptr, *required, provided);
}
double pmpi_wtime_() { return MPI_Wtime(); }
double pmpi_wtick_() { return MPI_Wtick(); }
void pmpi_pcontrol_(const int* level) { MPI_Pcontrol(*level); }
long pmpi_aint_add_(const long* base, const long* displacement) {
  return MPI_Aint_add(*base, *displacement);
}
long pmpi_aint_diff_(const long* address1, const long* address2) {
  return MPI_Aint_diff(*address1, *address2);
}
// Fortran cannot be given a buffer's address.
void pmpi_buffer_detach_(void*, int* size, int* ierror) {
  void* attached = nullptr;
  *ierror = MPI_Buffer_detach(&attached, size);
}
// For the compiler: the buffer may have changed.
void pmpi_f_sync_reg_(void*) {}

}  // extern "C"

CASTOR_FORTRAN_PUBLISH(init);
CASTOR_FORTRAN_PUBLISH(init_thread);
CASTOR_FORTRAN_PUBLISH(wtime);
CASTOR_FORTRAN_PUBLISH(wtick);
CASTOR_FORTRAN_PUBLISH(pcontrol);
CASTOR_FORTRAN_PUBLISH(aint_add);
CASTOR_FORTRAN_PUBLISH(aint_diff);
CASTOR_FORTRAN_PUBLISH(buffer_detach);
CASTOR_FORTRAN_PUBLISH(f_sync_reg);
