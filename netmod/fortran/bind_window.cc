// Fortran's names: windows and one-sided transfers.
#include "netmod/fortran/attribute_functions.h"
#include "netmod/fortran/binding.h"
#include "netmod/fortran/text.h"

CASTOR_FORTRAN(6, win_create, Win_create);
CASTOR_FORTRAN(6, win_allocate, Win_allocate);
CASTOR_FORTRAN(6, win_allocate_shared, Win_allocate_shared);
CASTOR_FORTRAN(5, win_shared_query, Win_shared_query);
CASTOR_FORTRAN(3, win_create_dynamic, Win_create_dynamic);
CASTOR_FORTRAN(3, win_attach, Win_attach);
CASTOR_FORTRAN(2, win_detach, Win_detach);
CASTOR_FORTRAN(1, win_free, Win_free);
CASTOR_FORTRAN(2, win_get_group, Win_get_group);
CASTOR_FORTRAN(2, win_set_info, Win_set_info);
CASTOR_FORTRAN(2, win_get_info, Win_get_info);
CASTOR_FORTRAN(1, win_free_keyval, Win_free_keyval);
CASTOR_FORTRAN(2, win_delete_attr, Win_delete_attr);
CASTOR_FORTRAN(2, win_create_errhandler, Win_create_errhandler);
CASTOR_FORTRAN(2, win_set_errhandler, Win_set_errhandler);
CASTOR_FORTRAN(2, win_get_errhandler, Win_get_errhandler);
CASTOR_FORTRAN(2, win_call_errhandler, Win_call_errhandler);
CASTOR_FORTRAN(8, put, Put);
CASTOR_FORTRAN(8, get, Get);
CASTOR_FORTRAN(9, rput, Rput);
CASTOR_FORTRAN(9, rget, Rget);
CASTOR_FORTRAN(9, accumulate, Accumulate);
CASTOR_FORTRAN(10, raccumulate, Raccumulate);
CASTOR_FORTRAN(12, get_accumulate, Get_accumulate);
CASTOR_FORTRAN(13, rget_accumulate, Rget_accumulate);
CASTOR_FORTRAN(7, fetch_and_op, Fetch_and_op);
CASTOR_FORTRAN(7, compare_and_swap, Compare_and_swap);
CASTOR_FORTRAN(2, win_fence, Win_fence);
CASTOR_FORTRAN(3, win_start, Win_start);
CASTOR_FORTRAN(1, win_complete, Win_complete);
CASTOR_FORTRAN(3, win_post, Win_post);
CASTOR_FORTRAN(1, win_wait, Win_wait);
CASTOR_FORTRAN(2, win_test, Win_test);
CASTOR_FORTRAN(4, win_lock, Win_lock);
CASTOR_FORTRAN(2, win_unlock, Win_unlock);
CASTOR_FORTRAN(2, win_lock_all, Win_lock_all);
CASTOR_FORTRAN(1, win_unlock_all, Win_unlock_all);
CASTOR_FORTRAN(2, win_flush, Win_flush);
CASTOR_FORTRAN(1, win_flush_all, Win_flush_all);
CASTOR_FORTRAN(2, win_flush_local, Win_flush_local);
CASTOR_FORTRAN(1, win_flush_local_all, Win_flush_local_all);
CASTOR_FORTRAN(1, win_sync, Win_sync);

extern "C" {

void pmpi_win_get_name_(const int* win, char* name, int* resultlen, int* ierror,
                        std::size_t length) {
  *ierror = netmod::fortran::get_text(
      MPI_MAX_OBJECT_NAME, name, length, resultlen,
      [&](char* to, int* size) { return MPI_Win_get_name(*win, to, size); });
}
void pmpi_win_set_name_(const int* win, const char* name, int* ierror, std::size_t length) {
  *ierror = MPI_Win_set_name(*win, netmod::fortran::text(name, length).c_str());
}
void pmpi_win_create_keyval_(void (*copy)(), void (*erase)(), int* keyval, const long* extra_state,
                             int* ierror) {
  *ierror = netmod::fortran::create_key(MPI_Win_create_keyval, copy, erase, keyval, extra_state);
}
void pmpi_win_get_attr_(const int* win, const int* keyval, long* value, int* flag, int* ierror) {
  *ierror = netmod::fortran::get_attribute(MPI_Win_get_attr, *win, *keyval, value, flag);
}
void pmpi_win_set_attr_(const int* win, const int* keyval, const long* value, int* ierror) {
  *ierror = netmod::fortran::set_attribute(MPI_Win_set_attr, *win, *keyval, *value);
}

}  // extern "C"

CASTOR_FORTRAN_PUBLISH(win_get_name);
CASTOR_FORTRAN_PUBLISH(win_set_name);
CASTOR_FORTRAN_PUBLISH(win_create_keyval);
CASTOR_FORTRAN_PUBLISH(win_get_attr);
CASTOR_FORTRAN_PUBLISH(win_set_attr);
