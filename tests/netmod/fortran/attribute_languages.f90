! Attributes that one language sets and the other reads (MPI-3.1, 17.2.7).
module half_in_c
  use, intrinsic :: iso_c_binding, only: c_int, c_long
  implicit none
  integer(c_int), parameter :: of_comm = 0, of_comm_mpi1 = 1, of_type = 2, of_win = 3
  interface
    integer(c_long) function c_pointer(kind, handle, key) bind(C)
      import
      integer(c_int), value :: kind, handle, key
    end function c_pointer
    integer(c_long) function c_address_integer(kind, handle, key) bind(C)
      import
      integer(c_int), value :: kind, handle, key
    end function c_address_integer
    integer(c_int) function c_integer(kind, handle, key) bind(C)
      import
      integer(c_int), value :: kind, handle, key
    end function c_integer
    subroutine c_set(kind, handle, key, pointer) bind(C)
      import
      integer(c_int), value :: kind, handle, key
      integer(c_long), value :: pointer
    end subroutine c_set
    integer(c_int) function c_key_of_copies() bind(C)
      import
    end function c_key_of_copies
    integer(c_int) function c_key_of_next(own) bind(C)
      import
      integer(c_long) :: own
    end function c_key_of_next
  end interface
end module half_in_c

program attribute_languages
  use mpi
  use checks
  use half_in_c
  implicit none
  integer(MPI_ADDRESS_KIND), parameter :: none = 0, large = 2_MPI_ADDRESS_KIND**40 + 7
  integer :: error
  call start()
  call plain_integers()
  call address_integers()
  call of_types_and_windows()
  call pointers()
  call copies_by_c()
  call copies_by_fortran()
  call finish()
contains

  ! A key of communicators whose attributes are copied as they are.
  integer function fortran_key()
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, fortran_key, none, error)
  end function fortran_key

  subroutine expect(comm, key, value, what)
    integer, intent(in) :: comm, key
    integer(MPI_ADDRESS_KIND), intent(in) :: value
    character(len=*), intent(in) :: what
    integer(MPI_ADDRESS_KIND) :: found
    integer :: low
    logical :: flag
    call MPI_Comm_get_attr(comm, key, found, flag, error)
    call check(flag .and. found == value, what)
    call MPI_Attr_get(comm, key, low, flag, error)
    call check(flag .and. low == int(iand(value, 2_8**31 - 1)) - merge(2_8**31, 0_8, btest(value, 31)), &
               what // ', its lower half')
  end subroutine expect

  subroutine plain_integers()
    integer :: key
    call MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, key, 0, error)
    call MPI_Attr_put(MPI_COMM_SELF, key, -5, error)
    call check(c_integer(of_comm_mpi1, MPI_COMM_SELF, key) == -5, 'a plain integer in C')
    call check(c_integer(of_comm, MPI_COMM_SELF, key) == -5, 'a plain integer by the newer function')
    call check(c_address_integer(of_comm, MPI_COMM_SELF, key) == -5, 'a plain integer''s sign')
    call expect(MPI_COMM_SELF, key, -5_MPI_ADDRESS_KIND, 'a plain integer in Fortran')
    call MPI_Attr_put(MPI_COMM_SELF, key, 6, error)
    call check(c_integer(of_comm, MPI_COMM_SELF, key) == 6, 'the second value')
    call MPI_Attr_delete(MPI_COMM_SELF, key, error)
    call check(c_pointer(of_comm, MPI_COMM_SELF, key) == 0, 'no attribute any more')
    call MPI_Keyval_free(key, error)
  end subroutine plain_integers

  subroutine address_integers()
    integer :: key
    key = fortran_key()
    call MPI_Comm_set_attr(MPI_COMM_SELF, key, large, error)
    call check(c_address_integer(of_comm, MPI_COMM_SELF, key) == large, 'an address-sized integer in C')
    call expect(MPI_COMM_SELF, key, large, 'an address-sized integer')
    call MPI_Comm_set_attr(MPI_COMM_SELF, key, none, error)
    call check(c_pointer(of_comm, MPI_COMM_SELF, key) /= 0, 'a pointer to 0')
    call check(c_address_integer(of_comm, MPI_COMM_SELF, key) == 0, 'the 0')
    call MPI_Comm_delete_attr(MPI_COMM_SELF, key, error)
    call MPI_Comm_free_keyval(key, error)
  end subroutine address_integers

  subroutine of_types_and_windows()
    integer :: key, type, win
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, key, none, error)
    call MPI_Type_contiguous(2, MPI_REAL, type, error)
    call MPI_Type_set_attr(type, key, large, error)
    call check(c_address_integer(of_type, type, key) == large, 'a datatype''s integer in C')
    call c_set(of_type, type, key, 77_c_long)
    call MPI_Type_get_attr(type, key, value, flag, error)
    call check(flag .and. value == 77, 'a datatype''s pointer')
    call MPI_Type_free(type, error)
    call MPI_Type_set_attr(MPI_REAL, key, large + 1, error)
    call check(c_address_integer(of_type, MPI_REAL, key) == large + 1, 'a predefined datatype''s')
    call MPI_Type_delete_attr(MPI_REAL, key, error)
    call MPI_Type_free_keyval(key, error)

    call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, key, none, error)
    call MPI_Win_create(MPI_BOTTOM, none, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win, error)
    call MPI_Win_set_attr(win, key, large, error)
    call check(c_address_integer(of_win, win, key) == large, 'a window''s integer in C')
    call c_set(of_win, win, key, 78_c_long)
    call MPI_Win_get_attr(win, key, value, flag, error)
    call check(flag .and. value == 78, 'a window''s pointer')
    call MPI_Win_free(win, error)
    call MPI_Win_free_keyval(key, error)
  end subroutine of_types_and_windows

  subroutine pointers()
    integer :: key
    key = fortran_key()
    call c_set(of_comm, MPI_COMM_SELF, key, large)
    call expect(MPI_COMM_SELF, key, large, 'what C set')
    call c_set(of_comm, MPI_COMM_SELF, key, -9_c_long)
    call expect(MPI_COMM_SELF, key, -9_MPI_ADDRESS_KIND, 'what C set below 0')
    call MPI_Comm_set_attr(MPI_COMM_SELF, key, large, error)
    call c_set(of_comm, MPI_COMM_SELF, key, 80_c_long)
    call check(c_pointer(of_comm, MPI_COMM_SELF, key) == 80, 'a pointer after an integer')
    call MPI_Comm_delete_attr(MPI_COMM_SELF, key, error)
    call MPI_Comm_free_keyval(key, error)
  end subroutine pointers

  ! C's copy functions get the integer's address.
  subroutine copies_by_c()
    integer :: keys(2), comm
    integer(c_long), target, save :: own
    keys = [c_key_of_copies(), c_key_of_next(own)]
    call MPI_Comm_set_attr(MPI_COMM_SELF, keys(1), large, error)
    call MPI_Comm_set_attr(MPI_COMM_SELF, keys(2), large, error)
    call MPI_Comm_dup(MPI_COMM_SELF, comm, error)
    call check(c_pointer(of_comm, comm, keys(1)) /= c_pointer(of_comm, MPI_COMM_SELF, keys(1)), &
               'an integer of the copy''s own')
    call MPI_Comm_delete_attr(MPI_COMM_SELF, keys(1), error)
    call check(c_address_integer(of_comm, comm, keys(1)) == large, 'the copy')
    call expect(comm, keys(1), large, 'the copy in Fortran')
    call check(c_address_integer(of_comm, comm, keys(2)) == large + 1, 'what C''s function copied')
    call expect(comm, keys(2), c_pointer(of_comm, comm, keys(2)), 'its address')
    call MPI_Comm_delete_attr(MPI_COMM_SELF, keys(2), error)
    call check(own == large, 'what C''s function deleted')
    call MPI_Comm_free(comm, error)
    call MPI_Comm_free_keyval(keys(1), error)
    call MPI_Comm_free_keyval(keys(2), error)
  end subroutine copies_by_c

  ! Fortran's copy functions get the pointer as an integer.
  subroutine copies_by_fortran()
    integer :: key, comm
    key = fortran_key()
    call c_set(of_comm, MPI_COMM_SELF, key, large)
    call MPI_Comm_dup(MPI_COMM_SELF, comm, error)
    call check(c_pointer(of_comm, comm, key) == large, 'a copied pointer')
    call MPI_Comm_free(comm, error)
    call MPI_Comm_set_attr(MPI_COMM_SELF, key, large, error)
    call MPI_Comm_dup(MPI_COMM_SELF, comm, error)
    call check(c_address_integer(of_comm, comm, key) == large, 'a copied integer')
    call MPI_Comm_free(comm, error)
    call MPI_Comm_delete_attr(MPI_COMM_SELF, key, error)
    call MPI_Comm_free_keyval(key, error)
  end subroutine copies_by_fortran
end program attribute_languages
