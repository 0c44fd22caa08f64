/* Datatypes of the MPI interface (part of mpi.h). */
#ifndef CASTOR_MPI_DATATYPES_H
#define CASTOR_MPI_DATATYPES_H

#include "mpi_constants.h"
#include "mpi_declaration.h"
#include "mpi_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a datatype is. Sizes count its bytes, extents the distance of one element to the next; the
   true ones end where its bytes do. An int that is too small for a size becomes MPI_UNDEFINED. - */

CASTOR_MPI(int, Type_size, (MPI_Datatype datatype, int* size))
CASTOR_MPI(int, Type_size_x, (MPI_Datatype datatype, MPI_Count* size))
CASTOR_MPI(int, Type_get_extent, (MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent))
CASTOR_MPI(int, Type_get_extent_x, (MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent))
CASTOR_MPI(int, Type_get_true_extent, (MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent))
CASTOR_MPI(int, Type_get_true_extent_x, (MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent))
/* Deprecated. */
CASTOR_MPI(int, Type_extent, (MPI_Datatype datatype, MPI_Aint* extent))
CASTOR_MPI(int, Type_lb, (MPI_Datatype datatype, MPI_Aint* displacement))
CASTOR_MPI(int, Type_ub, (MPI_Datatype datatype, MPI_Aint* displacement))

/* Making one. Strides and displacements are in elements; those of the h forms and of structs in
   bytes. What is made has to be committed before it is used in messages. MPI_ERR_ARG: its size,
   its bounds or where its elements lie would not fit into 64 bits. ------------------------------
 */

CASTOR_MPI(int, Type_contiguous, (int count, MPI_Datatype oldtype, MPI_Datatype* newtype))
CASTOR_MPI(int, Type_vector,
           (int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype))
CASTOR_MPI(int, Type_create_hvector,
           (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
            MPI_Datatype* newtype))
CASTOR_MPI(int, Type_indexed,
           (int count, const int blocklengths[], const int displacements[], MPI_Datatype oldtype,
            MPI_Datatype* newtype))
CASTOR_MPI(int, Type_create_hindexed,
           (int count, const int blocklengths[], const MPI_Aint displacements[],
            MPI_Datatype oldtype, MPI_Datatype* newtype))
CASTOR_MPI(int, Type_create_indexed_block,
           (int count, int blocklength, const int displacements[], MPI_Datatype oldtype,
            MPI_Datatype* newtype))
CASTOR_MPI(int, Type_create_hindexed_block,
           (int count, int blocklength, const MPI_Aint displacements[], MPI_Datatype oldtype,
            MPI_Datatype* newtype))
CASTOR_MPI(int, Type_create_struct,
           (int count, const int blocklengths[], const MPI_Aint displacements[],
            const MPI_Datatype types[], MPI_Datatype* newtype))
CASTOR_MPI(int, Type_create_resized,
           (MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype))
/* subsizes elements from starts on of an array of sizes; order: MPI_ORDER_C or MPI_ORDER_FORTRAN.
   MPI_ERR_ARG: not a part of the array. */
CASTOR_MPI(int, Type_create_subarray,
           (int ndims, const int sizes[], const int subsizes[], const int starts[], int order,
            MPI_Datatype oldtype, MPI_Datatype* newtype))
/* What process rank of size, a grid of psizes, gets of an array of gsizes; distribs: how each
   dimension is dealt out (MPI_DISTRIBUTE_*), dargs: in blocks of how many elements. */
CASTOR_MPI(int, Type_create_darray,
           (int size, int rank, int ndims, const int gsizes[], const int distribs[],
            const int dargs[], const int psizes[], int order, MPI_Datatype oldtype,
            MPI_Datatype* newtype))
/* Fortran's kinds, by decimal digits and decimal exponent (one of them may be MPI_UNDEFINED);
   predefined: neither committed nor freed. MPI_ERR_ARG: there is no such kind. */
CASTOR_MPI(int, Type_create_f90_integer, (int range, MPI_Datatype* newtype))
CASTOR_MPI(int, Type_create_f90_real, (int precision, int range, MPI_Datatype* newtype))
CASTOR_MPI(int, Type_create_f90_complex, (int precision, int range, MPI_Datatype* newtype))
/* A copy with the attributes that their copy functions let through. */
CASTOR_MPI(int, Type_dup, (MPI_Datatype oldtype, MPI_Datatype* newtype))
CASTOR_MPI(int, Type_commit, (MPI_Datatype * datatype))
/* The handle; messages and other datatypes that use the datatype go on. MPI_ERR_TYPE: predefined.
 */
CASTOR_MPI(int, Type_free, (MPI_Datatype * datatype))
/* By class (MPI_TYPECLASS_REAL, ...) and bytes. */
CASTOR_MPI(int, Type_match_size, (int typeclass, int size, MPI_Datatype* datatype))
/* Deprecated names of hvector, hindexed and struct. */
CASTOR_MPI(int, Type_hvector,
           (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
            MPI_Datatype* newtype))
CASTOR_MPI(int, Type_hindexed,
           (int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype oldtype,
            MPI_Datatype* newtype))
CASTOR_MPI(int, Type_struct,
           (int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype types[],
            MPI_Datatype* newtype))

/* How one was made: the constructor (MPI_COMBINER_*) and its arguments. Datatypes that come out of
   MPI_Type_get_contents are to be freed, but for predefined ones. MPI_ERR_ARG: too little room,
   MPI_ERR_TYPE: a named datatype. ---------------------------------------------------------------
 */

CASTOR_MPI(int, Type_get_envelope,
           (MPI_Datatype datatype, int* num_integers, int* num_addresses, int* num_datatypes,
            int* combiner))
CASTOR_MPI(int, Type_get_contents,
           (MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
            int integers[], MPI_Aint addresses[], MPI_Datatype datatypes[]))

/* Names (cut at MPI_MAX_OBJECT_NAME - 1 characters) and attributes; predefined datatypes can have
   them too. MPI_ERR_KEYVAL: not a key of datatypes. ---------------------------------------------
 */

CASTOR_MPI(int, Type_set_name, (MPI_Datatype datatype, const char* name))
CASTOR_MPI(int, Type_get_name, (MPI_Datatype datatype, char* name, int* resultlen))
CASTOR_MPI(int, Type_create_keyval,
           (MPI_Type_copy_attr_function * copy, MPI_Type_delete_attr_function* erase, int* keyval,
            void* extra_state))
CASTOR_MPI(int, Type_free_keyval, (int* keyval))
CASTOR_MPI(int, Type_set_attr, (MPI_Datatype datatype, int keyval, void* value))
CASTOR_MPI(int, Type_get_attr, (MPI_Datatype datatype, int keyval, void* value, int* flag))
CASTOR_MPI(int, Type_delete_attr, (MPI_Datatype datatype, int keyval))

/* Packing ---------------------------------------------------------------------------------------
 */

/* Into and out of a buffer of the program's, to be sent as MPI_PACKED. MPI_ERR_ARG: no room. */
CASTOR_MPI(int, Pack_size, (int incount, MPI_Datatype datatype, MPI_Comm comm, int* size))
CASTOR_MPI(int, Pack,
           (const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize,
            int* position, MPI_Comm comm))
CASTOR_MPI(int, Unpack,
           (const void* inbuf, int insize, int* position, void* outbuf, int outcount,
            MPI_Datatype datatype, MPI_Comm comm))
/* The same in a representation that all computers share, big-endian; datarep: "external32"
   (MPI_ERR_ARG: another one). MPI_ERR_CONVERSION: a number is too large for it. */
CASTOR_MPI(int, Pack_external_size,
           (const char datarep[], int incount, MPI_Datatype datatype, MPI_Aint* size))
CASTOR_MPI(int, Pack_external,
           (const char datarep[], const void* inbuf, int incount, MPI_Datatype datatype,
            void* outbuf, MPI_Aint outsize, MPI_Aint* position))
CASTOR_MPI(int, Unpack_external,
           (const char datarep[], const void* inbuf, MPI_Aint insize, MPI_Aint* position,
            void* outbuf, int outcount, MPI_Datatype datatype))
CASTOR_MPI(int, Get_address, (const void* location, MPI_Aint* address))
CASTOR_MPI(MPI_Aint, Aint_add, (MPI_Aint base, MPI_Aint displacement))
CASTOR_MPI(MPI_Aint, Aint_diff, (MPI_Aint address1, MPI_Aint address2))
/* Deprecated name of MPI_Get_address. */
CASTOR_MPI(int, Address, (void* location, MPI_Aint* address))

#ifdef __cplusplus
}
#endif

#endif
