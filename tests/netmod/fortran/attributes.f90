! Attributes and generalized requests from Fortran, with functions written in Fortran.
module functions
  use mpi
  implicit none
  integer :: copies = 0, deletions = 0, queries = 0, frees = 0, cancels = 0
contains
  ! Copies value + extra_state.
  subroutine copy_sum(comm, keyval, extra_state, value, new_value, flag, error)
    integer, intent(in) :: comm, keyval
    integer(MPI_ADDRESS_KIND), intent(in) :: extra_state, value
    integer(MPI_ADDRESS_KIND), intent(out) :: new_value
    logical, intent(out) :: flag
    integer, intent(out) :: error
    copies = copies + 1
    new_value = value + extra_state
    flag = comm /= MPI_COMM_NULL .and. keyval /= MPI_KEYVAL_INVALID
    error = MPI_SUCCESS
  end subroutine copy_sum
  subroutine delete(comm, keyval, value, extra_state, error)
    integer, intent(in) :: comm, keyval
    integer(MPI_ADDRESS_KIND), intent(in) :: value, extra_state
    integer, intent(out) :: error
    if (value > 2_8**40 .and. extra_state == -3 .and. comm /= keyval) deletions = deletions + 1
    error = MPI_SUCCESS
  end subroutine delete
  ! MPI-1's: plain integers.
  subroutine old_copy(comm, keyval, extra_state, value, new_value, flag, error)
    integer, intent(in) :: comm, keyval, extra_state, value
    integer, intent(out) :: new_value, error
    logical, intent(out) :: flag
    new_value = value * extra_state
    flag = value /= 13 .and. comm /= keyval
    error = MPI_SUCCESS
  end subroutine old_copy
  subroutine old_delete(comm, keyval, value, extra_state, error)
    integer, intent(in) :: comm, keyval, value, extra_state
    integer, intent(out) :: error
    error = merge(MPI_ERR_OTHER, MPI_SUCCESS, value == 99)
    if (comm /= keyval .and. extra_state == 10) deletions = deletions + 1
  end subroutine old_delete

  subroutine query(extra_state, status, error)
    integer(MPI_ADDRESS_KIND), intent(in) :: extra_state
    integer, intent(inout) :: status(MPI_STATUS_SIZE)
    integer, intent(out) :: error
    queries = queries + 1
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra_state), error)
    call MPI_Status_set_cancelled(status, .false., error)
    status(MPI_SOURCE) = 7
    status(MPI_TAG) = 8
  end subroutine query
  subroutine release(extra_state, error)
    integer(MPI_ADDRESS_KIND), intent(inout) :: extra_state
    integer, intent(out) :: error
    if (extra_state == 5) frees = frees + 1
    extra_state = extra_state + 1
    error = MPI_SUCCESS
  end subroutine release
  subroutine cancel(extra_state, complete, error)
    integer(MPI_ADDRESS_KIND), intent(in) :: extra_state
    logical, intent(in) :: complete
    integer, intent(out) :: error
    if (.not. complete .and. extra_state == 5) cancels = cancels + 1
    error = MPI_SUCCESS
  end subroutine cancel
end module functions

program attributes
  use mpi
  use checks
  use functions
  implicit none
  integer :: error
  call start()
  call predefined()
  call of_communicators()
  call ready_functions()
  call of_datatypes()
  call old_ones()
  call generalized_request()
  call finish()
contains

  subroutine predefined()
    integer(MPI_ADDRESS_KIND) :: value
    integer :: old_value
    logical :: flag
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, error)
    call check(flag .and. value == huge(1), 'the greatest tag')
    call MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, old_value, flag, error)
    call check(flag .and. old_value == huge(1), 'the greatest tag as an integer')
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, value, flag, error)
    call check(flag .and. value == 1, 'a global clock')
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, value, flag, error)
    call check(flag .and. value == MPI_PROC_NULL, 'no host')
  end subroutine predefined

  subroutine of_communicators()
    integer :: key, comm
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Comm_create_keyval(copy_sum, delete, key, -3_MPI_ADDRESS_KIND, error)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, flag, error)
    call check(.not. flag, 'no attribute yet')
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 2_MPI_ADDRESS_KIND**50, error)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, flag, error)
    call check(flag .and. value == 2_8**50, 'a long value')
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
    call MPI_Comm_get_attr(comm, key, value, flag, error)
    call check(copies == 1 .and. flag .and. value == 2_8**50 - 3, 'what the function copied')
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, error)
    call check(deletions == 1, 'one deletion')
    call MPI_Comm_free_keyval(key, error)
    call check(key == MPI_KEYVAL_INVALID, 'no key any more')
    call MPI_Comm_free(comm, error)
    call check(deletions == 2, 'the copy deleted')
  end subroutine of_communicators

  subroutine ready_functions()
    integer :: keys(2), comm, i
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, keys(1), &
                                0_MPI_ADDRESS_KIND, error)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keys(2), &
                                0_MPI_ADDRESS_KIND, error)
    do i = 1, 2
      call MPI_Comm_set_attr(MPI_COMM_SELF, keys(i), -17_MPI_ADDRESS_KIND, error)
    end do
    call MPI_Comm_dup(MPI_COMM_SELF, comm, error)
    call MPI_Comm_get_attr(comm, keys(1), value, flag, error)
    call check(.not. flag, 'nothing copied')
    call MPI_Comm_get_attr(comm, keys(2), value, flag, error)
    call check(flag .and. value == -17, 'the value copied')
    call MPI_Comm_free(comm, error)
    do i = 1, 2
      call MPI_Comm_delete_attr(MPI_COMM_SELF, keys(i), error)
      call MPI_Comm_free_keyval(keys(i), error)
    end do
  end subroutine ready_functions

  subroutine of_datatypes()
    integer :: key, type, copy
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, key, &
                                0_MPI_ADDRESS_KIND, error)
    call MPI_Type_contiguous(2, MPI_REAL, type, error)
    call MPI_Type_set_attr(type, key, 77_MPI_ADDRESS_KIND, error)
    call MPI_Type_dup(type, copy, error)
    call MPI_Type_get_attr(copy, key, value, flag, error)
    call check(flag .and. value == 77, 'a datatype''s attribute')
    call MPI_Type_free(type, error)
    call MPI_Type_free(copy, error)
    call MPI_Type_free_keyval(key, error)
  end subroutine of_datatypes

  subroutine old_ones()
    integer :: key, comm, value, before
    logical :: flag
    call MPI_Keyval_create(old_copy, old_delete, key, 10, error)
    call MPI_Attr_put(MPI_COMM_WORLD, key, -4, error)
    call MPI_Attr_get(MPI_COMM_WORLD, key, value, flag, error)
    call check(flag .and. value == -4, 'a plain integer')
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
    call MPI_Attr_get(comm, key, value, flag, error)
    call check(flag .and. value == -40, 'what the old function copied')
    call MPI_Comm_free(comm, error)
    call MPI_Attr_put(MPI_COMM_WORLD, key, 13, error)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
    call MPI_Attr_get(comm, key, value, flag, error)
    call check(.not. flag, 'what the old function did not copy')
    call MPI_Comm_free(comm, error)
    call MPI_Attr_put(MPI_COMM_WORLD, key, 99, error)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, error)
    before = deletions
    call MPI_Attr_delete(MPI_COMM_WORLD, key, error)
    call check(error == MPI_ERR_OTHER .and. deletions == before + 1, 'the function''s error')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, error)
    call MPI_Keyval_free(key, error)
  end subroutine old_ones

  subroutine generalized_request()
    integer :: request, status(MPI_STATUS_SIZE), count
    integer(MPI_ADDRESS_KIND), volatile :: state
    logical :: flag
    state = 5
    call MPI_Grequest_start(query, release, cancel, state, request, error)
    call MPI_Test(request, flag, status, error)
    call check(.not. flag, 'a request that is not complete')
    call MPI_Cancel(request, error)
    call MPI_Grequest_complete(request, error)
    call MPI_Wait(request, status, error)
    call MPI_Get_count(status, MPI_INTEGER, count, error)
    call check(count == 5 .and. status(MPI_SOURCE) == 7 .and. status(MPI_TAG) == 8, 'its status')
    call check(state == 6, 'the changed state')
    call check(queries == 1 .and. frees == 1 .and. cancels == 1, 'one call of each function')
  end subroutine generalized_request
end program attributes
