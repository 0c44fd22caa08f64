// Datatypes of arrays and Fortran kinds, their contents, names and attributes.
#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "tests/netmod/mpi_run.h"

namespace netmod::testing {
namespace {

/// Numbers of the ints of an array 0, 1, 2 ... that one element of `type` holds.
std::vector<int> ints_of(MPI_Datatype type, int array_size) {
  std::vector<int> array(static_cast<std::size_t>(array_size));
  std::iota(array.begin(), array.end(), 0);
  int bytes = 0, position = 0;
  MPI_Type_commit(&type);
  MPI_Pack_size(1, type, MPI_COMM_SELF, &bytes);
  std::vector<int> packed(static_cast<std::size_t>(bytes) / 4);
  MPI_Pack(array.data(), 1, type, packed.data(), bytes, &position, MPI_COMM_SELF);
  EXPECT_EQ(position, bytes);
  return packed;
}

TEST(ArrayTypes, SubarraysInBothOrders) {
  run_mpi(1, [](int) {
    const int sizes[] = {4, 5}, subsizes[] = {2, 3}, starts[] = {1, 2};
    MPI_Datatype type;
    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type);
    EXPECT_EQ(ints_of(type, 20), (std::vector<int>{7, 8, 9, 12, 13, 14}));
    MPI_Aint lb, extent;
    MPI_Type_get_extent(type, &lb, &extent);
    EXPECT_EQ(lb, 0);
    EXPECT_EQ(extent, 80);
    MPI_Type_free(&type);
    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_INT, &type);
    EXPECT_EQ(ints_of(type, 20), (std::vector<int>{9, 10, 13, 14, 17, 18}));
    MPI_Type_free(&type);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int late[] = {3, 2};
    EXPECT_EQ(MPI_Type_create_subarray(2, sizes, subsizes, late, MPI_ORDER_C, MPI_INT, &type),
              MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_create_subarray(2, sizes, subsizes, starts, 1, MPI_INT, &type), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_create_subarray(0, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type),
              MPI_ERR_ARG);
  });
}

TEST(ArrayTypes, DistributedArraysAreDealtOutOnce) {
  run_mpi(1, [](int) {
    const int sizes[] = {7, 10}, grid[] = {2, 3};
    const int kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
      for (const int argument : {MPI_DISTRIBUTE_DFLT_DARG, 2, 4}) {
        const int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, argument};
        const std::int64_t block = argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : argument;
        std::set<int> seen;
        for (int rank = 0; rank < 6; ++rank) {
          MPI_Datatype type;
          ASSERT_EQ(MPI_Type_create_darray(6, rank, 2, sizes, kinds, arguments, grid, order,
                                           MPI_INT, &type),
                    MPI_SUCCESS);
          const std::vector<int> mine = ints_of(type, 70);
          EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
          for (const int number : mine) {
            EXPECT_TRUE(seen.insert(number).second) << number;
            const int first = order == MPI_ORDER_C ? number / 10 : number % 7;
            const int second = order == MPI_ORDER_C ? number % 10 : number / 7;
            EXPECT_EQ(first / 4, rank / 3);
            EXPECT_EQ(second / block % 3, rank % 3);
          }
          MPI_Aint lb, extent;
          MPI_Type_get_extent(type, &lb, &extent);
          EXPECT_EQ(extent, 280);
          MPI_Type_free(&type);
        }
        EXPECT_EQ(seen.size(), 70u);
      }
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Datatype type;
    const int small[] = {3, 1};
    EXPECT_EQ(
        MPI_Type_create_darray(6, 6, 2, sizes, kinds, kinds, grid, MPI_ORDER_C, MPI_INT, &type),
        MPI_ERR_ARG);
    EXPECT_EQ(
        MPI_Type_create_darray(5, 0, 2, sizes, kinds, kinds, grid, MPI_ORDER_C, MPI_INT, &type),
        MPI_ERR_ARG);
    EXPECT_EQ(
        MPI_Type_create_darray(6, 0, 2, sizes, kinds, small, grid, MPI_ORDER_C, MPI_INT, &type),
        MPI_ERR_ARG);
  });
}

TEST(FortranKinds, AreOneTypeEach) {
  run_mpi(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Datatype type, again;
    MPI_Type_create_f90_integer(9, &type);
    MPI_Type_create_f90_integer(9, &again);
    EXPECT_EQ(type, again);
    int size = 0, counts[3], combiner = 0, arguments[2];
    MPI_Type_size(type, &size);
    EXPECT_EQ(size, 4);
    EXPECT_EQ(MPI_Type_free(&again), MPI_ERR_TYPE);
    MPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &combiner);
    EXPECT_EQ(combiner, MPI_COMBINER_F90_INTEGER);
    EXPECT_EQ(counts[0] + 10 * counts[1] + 100 * counts[2], 1);
    MPI_Type_create_f90_real(15, MPI_UNDEFINED, &type);
    MPI_Type_size(type, &size);
    EXPECT_EQ(size, 8);
    MPI_Type_get_contents(type, 2, 0, 0, arguments, nullptr, nullptr);
    EXPECT_EQ(arguments[0], 15);
    EXPECT_EQ(arguments[1], MPI_UNDEFINED);
    double one = 1.5, sum = 0;
    EXPECT_EQ(MPI_Allreduce(&one, &sum, 1, type, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(sum, 1.5);
    MPI_Type_create_f90_complex(6, 37, &type);
    MPI_Type_size(type, &size);
    EXPECT_EQ(size, 8);
    EXPECT_EQ(MPI_Type_create_f90_real(40, 10, &type), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_create_f90_integer(19, &type), MPI_ERR_ARG);
  });
}

TEST(Contents, TellHowATypeWasMade) {
  run_mpi(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Datatype inner, outer, used[2];
    MPI_Type_vector(3, 2, 5, MPI_INT, &inner);
    const int lengths[] = {1, 2};
    const MPI_Aint places[] = {0, 100};
    const MPI_Datatype types[] = {inner, MPI_CHAR};
    MPI_Type_create_struct(2, lengths, places, types, &outer);
    MPI_Type_free(&inner);
    int integers[8] = {}, ni, na, nd, combiner;
    MPI_Aint addresses[2] = {};
    MPI_Type_get_envelope(outer, &ni, &na, &nd, &combiner);
    EXPECT_EQ(combiner, MPI_COMBINER_STRUCT);
    EXPECT_EQ(ni, 3);
    EXPECT_EQ(na, 2);
    EXPECT_EQ(nd, 2);
    EXPECT_EQ(MPI_Type_get_contents(outer, 2, 2, 2, integers, addresses, used), MPI_ERR_ARG);
    ASSERT_EQ(MPI_Type_get_contents(outer, 3, 2, 2, integers, addresses, used), MPI_SUCCESS);
    EXPECT_EQ(std::vector<int>(integers, integers + 3), (std::vector<int>{2, 1, 2}));
    EXPECT_EQ(addresses[1], 100);
    EXPECT_EQ(used[1], MPI_CHAR);
    // What the program has freed is there again, as it was.
    MPI_Type_get_envelope(used[0], &ni, &na, &nd, &combiner);
    EXPECT_EQ(combiner, MPI_COMBINER_VECTOR);
    MPI_Datatype named;
    MPI_Type_get_contents(used[0], 3, 0, 1, integers, nullptr, &named);
    EXPECT_EQ(std::vector<int>(integers, integers + 3), (std::vector<int>{3, 2, 5}));
    EXPECT_EQ(named, MPI_INT);
    MPI_Type_free(&outer);
    EXPECT_EQ(ints_of(used[0], 12), (std::vector<int>{0, 1, 5, 6, 10, 11}));
    MPI_Type_free(&used[0]);
    MPI_Type_get_envelope(MPI_INT, &ni, &na, &nd, &combiner);
    EXPECT_EQ(combiner, MPI_COMBINER_NAMED);
    EXPECT_EQ(MPI_Type_get_contents(MPI_INT, 0, 0, 0, nullptr, nullptr, nullptr), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Type_get_envelope(MPI_DATATYPE_NULL, &ni, &na, &nd, &combiner), MPI_ERR_TYPE);
  });
}

TEST(Contents, EveryConstructorIsNamed) {
  run_mpi(1, [](int) {
    const int lengths[] = {1, 2}, places[] = {0, 4}, sizes[] = {4}, subsizes[] = {2},
              starts[] = {1};
    int old_lengths[] = {1, 2};
    MPI_Aint offsets[] = {0, 16};
    MPI_Datatype types[] = {MPI_INT, MPI_CHAR};
    MPI_Datatype type;
    const auto expect = [&type](int combiner, int integers, int addresses, int datatypes) {
      int ni, na, nd, made;
      MPI_Type_get_envelope(type, &ni, &na, &nd, &made);
      EXPECT_EQ(made, combiner);
      EXPECT_EQ(ni, integers) << combiner;
      EXPECT_EQ(na, addresses) << combiner;
      EXPECT_EQ(nd, datatypes) << combiner;
      MPI_Type_free(&type);
    };
    MPI_Type_dup(MPI_INT, &type);
    expect(MPI_COMBINER_DUP, 0, 0, 1);
    MPI_Type_contiguous(2, MPI_INT, &type);
    expect(MPI_COMBINER_CONTIGUOUS, 1, 0, 1);
    MPI_Type_create_hvector(2, 1, 8, MPI_INT, &type);
    expect(MPI_COMBINER_HVECTOR, 2, 1, 1);
    MPI_Type_hvector(2, 1, 8, MPI_INT, &type);
    expect(MPI_COMBINER_HVECTOR, 2, 1, 1);
    MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
    expect(MPI_COMBINER_INDEXED, 5, 0, 1);
    MPI_Type_create_hindexed(2, lengths, offsets, MPI_INT, &type);
    expect(MPI_COMBINER_HINDEXED, 3, 2, 1);
    MPI_Type_hindexed(2, old_lengths, offsets, MPI_INT, &type);
    expect(MPI_COMBINER_HINDEXED, 3, 2, 1);
    MPI_Type_create_indexed_block(2, 3, places, MPI_INT, &type);
    expect(MPI_COMBINER_INDEXED_BLOCK, 4, 0, 1);
    MPI_Type_create_hindexed_block(2, 3, offsets, MPI_INT, &type);
    expect(MPI_COMBINER_HINDEXED_BLOCK, 2, 2, 1);
    MPI_Type_struct(2, old_lengths, offsets, types, &type);
    expect(MPI_COMBINER_STRUCT, 3, 2, 2);
    MPI_Type_create_subarray(1, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type);
    expect(MPI_COMBINER_SUBARRAY, 5, 0, 1);
    const int block[] = {MPI_DISTRIBUTE_BLOCK}, two[] = {2};
    MPI_Type_create_darray(2, 0, 1, sizes, block, two, two, MPI_ORDER_C, MPI_INT, &type);
    expect(MPI_COMBINER_DARRAY, 8, 0, 1);
    MPI_Type_create_resized(MPI_INT, 0, 8, &type);
    expect(MPI_COMBINER_RESIZED, 0, 2, 1);
  });
}

TEST(TypeBounds, OldAndLargeForms) {
  run_mpi(1, [](int) {
    MPI_Datatype type, huge;
    MPI_Type_create_resized(MPI_INT, -4, 20, &type);
    MPI_Aint value = 0;
    MPI_Type_lb(type, &value);
    EXPECT_EQ(value, -4);
    MPI_Type_ub(type, &value);
    EXPECT_EQ(value, 16);
    MPI_Type_extent(type, &value);
    EXPECT_EQ(value, 20);
    MPI_Type_contiguous(INT32_MAX, MPI_DOUBLE, &huge);
    MPI_Count size = 0, lb = 1, extent = 0;
    MPI_Type_size_x(huge, &size);
    EXPECT_EQ(size, MPI_Count{INT32_MAX} * 8);
    MPI_Type_get_extent_x(huge, &lb, &extent);
    EXPECT_EQ(lb, 0);
    EXPECT_EQ(extent, size);
    MPI_Type_get_true_extent_x(type, &lb, &extent);
    EXPECT_EQ(lb, 0);
    EXPECT_EQ(extent, 4);
    int small = 0;
    MPI_Type_size(huge, &small);
    EXPECT_EQ(small, MPI_UNDEFINED);
    MPI_Type_free(&type);
    MPI_Type_free(&huge);
  });
}

std::string name_of(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Type_get_name(type, name, &length);
  EXPECT_EQ(std::string(name).size(), static_cast<std::size_t>(length));
  return name;
}

TEST(TypeNames, OfAllTypes) {
  run_mpi(2, [](int rank) {
    EXPECT_EQ(name_of(MPI_INT), "MPI_INT");
    EXPECT_EQ(name_of(MPI_DOUBLE_INT), "MPI_DOUBLE_INT");
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    EXPECT_EQ(name_of(type), "");
    MPI_Type_set_name(type, "two");
    EXPECT_EQ(name_of(type), "two");
    MPI_Type_set_name(type, std::string(200, 'x').c_str());
    EXPECT_EQ(name_of(type), std::string(MPI_MAX_OBJECT_NAME - 1, 'x'));
    if (rank == 0) MPI_Type_set_name(MPI_CHAR, "letter");
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(name_of(MPI_CHAR), rank == 0 ? "letter" : "MPI_CHAR");
    MPI_Type_free(&type);
  });
}

/// Extra state of a key.
struct Counts {
  int step = 0;
  int deleted = 0;
};
int copy_next(MPI_Datatype, int, void* extra, void* value, void* copy, int* flag) {
  *static_cast<void**>(copy) = static_cast<char*>(value) + static_cast<Counts*>(extra)->step;
  *flag = 1;
  return MPI_SUCCESS;
}
int count_deleted(MPI_Datatype, int, void*, void* extra) {
  ++static_cast<Counts*>(extra)->deleted;
  return MPI_SUCCESS;
}
int refuse(MPI_Datatype, int, void*, void*) { return MPI_ERR_OTHER; }
int refuse_copy(MPI_Datatype, int, void*, void*, void*, int*) { return MPI_ERR_OTHER; }

TEST(TypeAttributes, AreCopiedAndDeletedWithTheType) {
  run_mpi(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    char place[4];
    int key = 0, plain = 0, flag = -1;
    Counts counts{2, 0};
    const int& deleted = counts.deleted;
    MPI_Type_create_keyval(copy_next, count_deleted, &key, &counts);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &plain, nullptr);
    MPI_Datatype type, dup, outer, again;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_set_attr(type, key, place);
    MPI_Type_set_attr(type, plain, place);
    MPI_Type_dup(type, &dup);
    void* value = nullptr;
    MPI_Type_get_attr(dup, key, &value, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(value, place + 2);
    MPI_Type_get_attr(dup, plain, &value, &flag);
    EXPECT_EQ(flag, 0);
    MPI_Type_free(&dup);
    EXPECT_EQ(deleted, 1);
    // A type has its attributes until its last handle goes.
    MPI_Type_contiguous(1, type, &outer);
    int count = 0;
    MPI_Type_get_contents(outer, 1, 0, 1, &count, nullptr, &again);
    MPI_Type_free(&type);
    EXPECT_EQ(deleted, 1);
    MPI_Type_get_attr(again, key, &value, &flag);
    EXPECT_EQ(flag, 1);
    MPI_Type_free(&again);
    EXPECT_EQ(deleted, 2);
    MPI_Type_free(&outer);
    MPI_Type_set_attr(MPI_INT, key, place);
    EXPECT_EQ(MPI_Type_delete_attr(MPI_INT, key), MPI_SUCCESS);
    EXPECT_EQ(deleted, 3);
    // One that is not set may be deleted, as under MPICH.
    EXPECT_EQ(MPI_Type_delete_attr(MPI_INT, key), MPI_SUCCESS);
    EXPECT_EQ(deleted, 3);
    EXPECT_EQ(MPI_Comm_set_attr(MPI_COMM_WORLD, key, place), MPI_ERR_KEYVAL);
    MPI_Type_free_keyval(&key);
    EXPECT_EQ(key, MPI_KEYVAL_INVALID);
    EXPECT_EQ(MPI_Type_set_attr(MPI_INT, key, place), MPI_ERR_KEYVAL);
    MPI_Type_free_keyval(&plain);
  });
}

TEST(TypeAttributes, FunctionsThatFailKeepTheType) {
  run_mpi(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Datatype type, dup = MPI_INT;
    int key = 0, copying = 0;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, refuse, &key, nullptr);
    MPI_Type_create_keyval(refuse_copy, MPI_TYPE_NULL_DELETE_FN, &copying, nullptr);
    MPI_Type_set_attr(type, key, nullptr);
    EXPECT_EQ(MPI_Type_free(&type), MPI_ERR_OTHER);
    EXPECT_NE(type, MPI_DATATYPE_NULL);
    int size = 0;
    EXPECT_EQ(MPI_Type_size(type, &size), MPI_SUCCESS);
    MPI_Type_set_attr(type, copying, nullptr);
    EXPECT_EQ(MPI_Type_dup(type, &dup), MPI_ERR_OTHER);
    EXPECT_EQ(dup, MPI_DATATYPE_NULL);
  });
}

}  // namespace
}  // namespace netmod::testing
