// Fortran's names: datatypes and packing.
#include "netmod/fortran/binding.h"

CASTOR_FORTRAN(2, type_size, Type_size);
CASTOR_FORTRAN(2, type_size_x, Type_size_x);
CASTOR_FORTRAN(3, type_get_extent, Type_get_extent);
CASTOR_FORTRAN(3, type_get_extent_x, Type_get_extent_x);
CASTOR_FORTRAN(3, type_get_true_extent, Type_get_true_extent);
CASTOR_FORTRAN(3, type_get_true_extent_x, Type_get_true_extent_x);
CASTOR_FORTRAN(3, type_contiguous, Type_contiguous);
CASTOR_FORTRAN(5, type_vector, Type_vector);
CASTOR_FORTRAN(5, type_create_hvector, Type_create_hvector);
CASTOR_FORTRAN(5, type_indexed, Type_indexed);
CASTOR_FORTRAN(5, type_create_hindexed, Type_create_hindexed);
CASTOR_FORTRAN(5, type_create_indexed_block, Type_create_indexed_block);
CASTOR_FORTRAN(5, type_create_hindexed_block, Type_create_hindexed_block);
CASTOR_FORTRAN(5, type_create_struct, Type_create_struct);
CASTOR_FORTRAN(4, type_create_resized, Type_create_resized);
CASTOR_FORTRAN(7, type_create_subarray, Type_create_subarray);
CASTOR_FORTRAN(10, type_create_darray, Type_create_darray);
CASTOR_FORTRAN(2, type_create_f90_integer, Type_create_f90_integer);
CASTOR_FORTRAN(3, type_create_f90_real, Type_create_f90_real);
CASTOR_FORTRAN(3, type_create_f90_complex, Type_create_f90_complex);
CASTOR_FORTRAN(2, type_dup, Type_dup);
CASTOR_FORTRAN(1, type_commit, Type_commit);
CASTOR_FORTRAN(1, type_free, Type_free);
CASTOR_FORTRAN(3, type_match_size, Type_match_size);
CASTOR_FORTRAN(5, type_get_envelope, Type_get_envelope);
CASTOR_FORTRAN(7, type_get_contents, Type_get_contents);
CASTOR_FORTRAN(1, type_free_keyval, Type_free_keyval);
CASTOR_FORTRAN(2, type_delete_attr, Type_delete_attr);
CASTOR_FORTRAN(4, pack_size, Pack_size);
CASTOR_FORTRAN(7, pack, Pack);
CASTOR_FORTRAN(7, unpack, Unpack);
CASTOR_FORTRAN(2, get_address, Get_address);
