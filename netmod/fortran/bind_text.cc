// Fortran's names: functions with texts, whose lengths come behind all other arguments.
#include "netmod/fortran/binding.h"
#include "netmod/fortran/text.h"

using netmod::fortran::buffer;
using netmod::fortran::get_text;
using netmod::fortran::give;
using netmod::fortran::text;
using netmod::fortran::trimmed_text;

extern "C" {

// Names of things ---------------------------------------------------------------------------------

void pmpi_get_processor_name_(char* name, int* resultlen, int* ierror, std::size_t length) {
  *ierror = get_text(MPI_MAX_PROCESSOR_NAME, name, length, resultlen, MPI_Get_processor_name);
}
void pmpi_get_library_version_(char* version, int* resultlen, int* ierror, std::size_t length) {
  *ierror =
      get_text(MPI_MAX_LIBRARY_VERSION_STRING, version, length, resultlen, MPI_Get_library_version);
}
void pmpi_comm_get_name_(const int* comm, char* name, int* resultlen, int* ierror,
                         std::size_t length) {
  *ierror = get_text(MPI_MAX_OBJECT_NAME, name, length, resultlen,
                     [&](char* to, int* size) { return MPI_Comm_get_name(*comm, to, size); });
}
void pmpi_comm_set_name_(const int* comm, const char* name, int* ierror, std::size_t length) {
  *ierror = MPI_Comm_set_name(*comm, text(name, length).c_str());
}
void pmpi_type_get_name_(const int* datatype, char* name, int* resultlen, int* ierror,
                         std::size_t length) {
  *ierror = get_text(MPI_MAX_OBJECT_NAME, name, length, resultlen,
                     [&](char* to, int* size) { return MPI_Type_get_name(*datatype, to, size); });
}
void pmpi_type_set_name_(const int* datatype, const char* name, int* ierror, std::size_t length) {
  *ierror = MPI_Type_set_name(*datatype, text(name, length).c_str());
}

// Errors ------------------------------------------------------------------------------------------

void pmpi_error_string_(const int* errorcode, char* string, int* resultlen, int* ierror,
                        std::size_t length) {
  *ierror = get_text(MPI_MAX_ERROR_STRING, string, length, resultlen,
                     [&](char* to, int* size) { return MPI_Error_string(*errorcode, to, size); });
}
void pmpi_add_error_string_(const int* errorcode, const char* string, int* ierror,
                            std::size_t length) {
  *ierror = MPI_Add_error_string(*errorcode, text(string, length).c_str());
}

// Info objects ------------------------------------------------------------------------------------

void pmpi_info_set_(const int* info, const char* key, const char* value, int* ierror,
                    std::size_t key_length, std::size_t value_length) {
  *ierror = MPI_Info_set(*info, trimmed_text(key, key_length).c_str(),
                         trimmed_text(value, value_length).c_str());
}
void pmpi_info_get_(const int* info, const char* key, const int* valuelen, char* value, int* flag,
                    int* ierror, std::size_t key_length, std::size_t value_length) {
  const std::size_t room = std::min<std::size_t>(value_length, MPI_MAX_INFO_VAL);
  const int wanted = std::min(*valuelen, static_cast<int>(room));
  std::string said(room + 1, '\0');
  *ierror = MPI_Info_get(*info, trimmed_text(key, key_length).c_str(), wanted, said.data(), flag);
  if (*ierror == MPI_SUCCESS && *flag != 0) give(said.c_str(), value, value_length);
}
void pmpi_info_get_valuelen_(const int* info, const char* key, int* valuelen, int* flag,
                             int* ierror, std::size_t key_length) {
  *ierror = MPI_Info_get_valuelen(*info, trimmed_text(key, key_length).c_str(), valuelen, flag);
}
void pmpi_info_get_nthkey_(const int* info, const int* n, char* key, int* ierror,
                           std::size_t key_length) {
  int size = 0;
  *ierror = get_text(MPI_MAX_INFO_KEY + 1, key, key_length, &size,
                     [&](char* to, int*) { return MPI_Info_get_nthkey(*info, *n, to); });
}
void pmpi_info_delete_(const int* info, const char* key, int* ierror, std::size_t key_length) {
  *ierror = MPI_Info_delete(*info, trimmed_text(key, key_length).c_str());
}

// Packing -----------------------------------------------------------------------------------------

void pmpi_pack_external_size_(const char* datarep, const int* incount, const int* datatype,
                              long* size, int* ierror, std::size_t length) {
  *ierror = MPI_Pack_external_size(text(datarep, length).c_str(), *incount, *datatype, size);
}
void pmpi_pack_external_(const char* datarep, void* inbuf, const int* incount, const int* datatype,
                         void* outbuf, const long* outsize, long* position, int* ierror,
                         std::size_t length) {
  *ierror = MPI_Pack_external(text(datarep, length).c_str(), buffer(inbuf), *incount, *datatype,
                              outbuf, *outsize, position);
}
void pmpi_unpack_external_(const char* datarep, void* inbuf, const long* insize, long* position,
                           void* outbuf, const int* outcount, const int* datatype, int* ierror,
                           std::size_t length) {
  *ierror = MPI_Unpack_external(text(datarep, length).c_str(), inbuf, *insize, position,
                                buffer(outbuf), *outcount, *datatype);
}

}  // extern "C"

CASTOR_FORTRAN_PUBLISH(get_processor_name);
CASTOR_FORTRAN_PUBLISH(get_library_version);
CASTOR_FORTRAN_PUBLISH(comm_get_name);
CASTOR_FORTRAN_PUBLISH(comm_set_name);
CASTOR_FORTRAN_PUBLISH(type_get_name);
CASTOR_FORTRAN_PUBLISH(type_set_name);
CASTOR_FORTRAN_PUBLISH(error_string);
CASTOR_FORTRAN_PUBLISH(add_error_string);
CASTOR_FORTRAN_PUBLISH(info_set);
CASTOR_FORTRAN_PUBLISH(info_get);
CASTOR_FORTRAN_PUBLISH(info_get_valuelen);
CASTOR_FORTRAN_PUBLISH(info_get_nthkey);
CASTOR_FORTRAN_PUBLISH(info_delete);
CASTOR_FORTRAN_PUBLISH(pack_external_size);
CASTOR_FORTRAN_PUBLISH(pack_external);
CASTOR_FORTRAN_PUBLISH(unpack_external);
