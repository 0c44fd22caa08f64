! Texts from Fortran: cut, filled with blanks, and without them in the library.
program texts
  use mpi
  use checks
  implicit none
  integer :: error
  call start()
  call names()
  call errors()
  call info_objects()
  call finish()
contains

  subroutine names()
    character(len=MPI_MAX_PROCESSOR_NAME) :: node
    character(len=3) :: short
    character(len=40) :: name
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: library
    integer :: length, type, version, subversion
    call MPI_Get_processor_name(node, length, error)
    call check(length == 8 .and. node(1:3) == 'nid' .and. node(9:) == ' ', 'the node''s name')
    call MPI_Get_processor_name(short, length, error)
    call check(short == 'nid' .and. length == 3, 'three characters of it')
    call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, error)
    call check(name == 'MPI_COMM_WORLD' .and. length == 14, 'the world''s name')
    call MPI_Comm_set_name(MPI_COMM_SELF, '  my self   ', error)
    name = repeat('x', 40)
    call MPI_Comm_get_name(MPI_COMM_SELF, name, length, error)
    call check(name(1:9) == '  my self' .and. name(10:) == ' ' .and. length == 9, &
               'a name without the blanks behind it')
    call MPI_Type_get_name(MPI_DOUBLE_PRECISION, name, length, error)
    call check(name == 'MPI_DOUBLE_PRECISION', 'a datatype''s name')
    call MPI_Type_contiguous(2, MPI_INTEGER, type, error)
    call MPI_Type_set_name(type, 'pair', error)
    call MPI_Type_get_name(type, name, length, error)
    call check(name == 'pair' .and. length == 4, 'a name of the program''s')
    call MPI_Get_library_version(library, length, error)
    call check(library(1:6) == 'Castor' .and. len_trim(library) == length, 'the library''s version')
    call MPI_Get_version(version, subversion, error)
    call check(version == MPI_VERSION .and. subversion == MPI_SUBVERSION, 'the standard''s')
  end subroutine names

  subroutine errors()
    character(len=MPI_MAX_ERROR_STRING) :: text
    integer :: length, code, class
    call MPI_Error_string(MPI_ERR_TRUNCATE, text, length, error)
    call check(index(text, 'MPI_ERR_TRUNCATE') == 1 .and. len_trim(text) == length, 'an error''s text')
    call MPI_Add_error_class(class, error)
    call MPI_Add_error_code(class, code, error)
    call MPI_Add_error_string(code, 'of this program  ', error)
    call MPI_Error_string(code, text, length, error)
    call check(text == 'of this program' .and. length == 15, 'a text of the program''s')
    call MPI_Error_class(code, length, error)
    call check(length == class, 'its class')
  end subroutine errors

  subroutine info_objects()
    integer :: info, copy, length, count, i
    logical :: flag
    character(len=12) :: key
    character(len=5) :: value
    call MPI_Info_create(info, error)
    call MPI_Info_set(info, ' first  ', '  one  ', error)
    call MPI_Info_set(info, 'second', 'a long value', error)
    call MPI_Info_get_valuelen(info, 'first   ', length, flag, error)
    call check(flag .and. length == 3, 'a value without blanks')
    value = 'xxxxx'
    call MPI_Info_get(info, 'first', 5, value, flag, error)
    call check(flag .and. value == 'one  ', 'the value, and blanks')
    call MPI_Info_get(info, '  second', 5, value, flag, error)
    call check(flag .and. value == 'a lon', 'what there is room for')
    value = 'xxxxx'
    call MPI_Info_get(info, 'third', 5, value, flag, error)
    call check(.not. flag .and. value == 'xxxxx', 'no third value')
    call MPI_Info_dup(info, copy, error)
    call MPI_Info_delete(copy, 'first ', error)
    call MPI_Info_get_nkeys(copy, count, error)
    call check(count == 1, 'one key')
    call MPI_Info_get_nkeys(info, count, error)
    do i = 0, count - 1
      call MPI_Info_get_nthkey(info, i, key, error)
      call check(key == merge('first ', 'second', i == 0), 'the keys in order')
    end do
    call MPI_Info_free(info, error)
    call check(info == MPI_INFO_NULL, 'no object any more')
    call MPI_Info_free(copy, error)
  end subroutine info_objects
end program texts
