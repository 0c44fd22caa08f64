// Datatypes made by the program, info objects, memory.
#include <cstring>

#include "tests/netmod/mpi_run.h"

namespace netmod::testing {
namespace {

struct Shape {
  int size;
  MPI_Aint lb, extent, true_lb, true_extent;
  bool operator==(const Shape&) const = default;
};
Shape shape_of(MPI_Datatype type) {
  Shape shape{};
  MPI_Type_size(type, &shape.size);
  MPI_Type_get_extent(type, &shape.lb, &shape.extent);
  MPI_Type_get_true_extent(type, &shape.true_lb, &shape.true_extent);
  return shape;
}

TEST(Datatypes, PredefinedShapes) {
  run_mpi(1, [](int) {
    EXPECT_EQ(shape_of(MPI_INT), (Shape{4, 0, 4, 0, 4}));
    EXPECT_EQ(shape_of(MPI_DOUBLE_INT), (Shape{12, 0, 16, 0, 12}));
    EXPECT_EQ(shape_of(MPI_FLOAT_INT), (Shape{8, 0, 8, 0, 8}));
    EXPECT_EQ(shape_of(MPI_SHORT_INT), (Shape{6, 0, 8, 0, 8}));
    EXPECT_EQ(shape_of(MPI_LONG_INT), (Shape{12, 0, 16, 0, 12}));
    EXPECT_EQ(shape_of(MPI_LONG_DOUBLE_INT), (Shape{20, 0, 32, 0, 20}));
    EXPECT_EQ(shape_of(MPI_2INT), (Shape{8, 0, 8, 0, 8}));
  });
}

TEST(Datatypes, ConstructedShapes) {
  run_mpi(1, [](int) {
    MPI_Datatype type, other;
    const auto expect = [&type](const Shape& shape) {
      EXPECT_EQ(shape_of(type), shape);
      MPI_Type_free(&type);
    };
    MPI_Type_contiguous(3, MPI_DOUBLE_INT, &type);
    expect({36, 0, 48, 0, 44});
    MPI_Type_vector(3, 2, 4, MPI_INT, &type);
    expect({24, 0, 40, 0, 40});
    MPI_Type_vector(3, 2, -4, MPI_INT, &type);
    expect({24, -32, 40, -32, 40});
    MPI_Type_create_hvector(2, 1, 10, MPI_SHORT, &type);
    expect({4, 0, 12, 0, 12});
    const int lengths[] = {2, 1, 0}, places[] = {5, 1, 100};
    MPI_Type_indexed(3, lengths, places, MPI_INT, &type);
    expect({12, 4, 24, 4, 24});
    MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &type);
    expect({8, 4, 20, 4, 20});
    const MPI_Aint offsets[] = {0, 8, 12};
    MPI_Type_create_hindexed(2, lengths, offsets, MPI_CHAR, &type);
    expect({3, 0, 9, 0, 9});
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_CHAR, MPI_CHAR};
    const int ones[] = {1, 1, 1};
    MPI_Type_create_struct(3, ones, offsets, types, &type);
    expect({10, 0, 16, 0, 13});
    MPI_Type_create_resized(MPI_INT, -4, 20, &type);
    expect({4, -4, 20, 0, 4});
    MPI_Type_create_resized(MPI_INT, 0, 12, &other);
    MPI_Type_contiguous(2, other, &type);
    expect({8, 0, 24, 0, 16});
    MPI_Type_dup(other, &type);
    expect({4, 0, 12, 0, 4});
    MPI_Type_free(&other);
    MPI_Type_contiguous(0, MPI_INT, &type);
    expect({0, 0, 0, 0, 0});
  });
}

TEST(Datatypes, UncommittedOnesAreRefused) {
  run_mpi(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Datatype type, dup;
    MPI_Type_contiguous(2, MPI_INT, &type);
    int data[2] = {};
    EXPECT_EQ(MPI_Send(data, 1, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    MPI_Type_commit(&type);
    EXPECT_EQ(MPI_Send(data, 1, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    MPI_Type_dup(type, &dup);
    EXPECT_EQ(MPI_Send(data, 1, dup, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    MPI_Type_free(&dup);
    MPI_Datatype stale = type;
    MPI_Type_free(&type);
    EXPECT_EQ(MPI_Type_free(&stale), MPI_ERR_TYPE);
    MPI_Datatype predefined = MPI_INT;
    EXPECT_EQ(MPI_Type_free(&predefined), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Type_commit(&predefined), MPI_SUCCESS);
  });
}

TEST(Datatypes, AbsoluteAddresses) {
  run_mpi(1, [](int) {
    int a = 1, b = 2, c = 0, d = 0;
    const auto both = [](int& first, int& second) {
      MPI_Aint places[2];
      MPI_Get_address(&first, &places[0]);
      MPI_Get_address(&second, &places[1]);
      const int ones[] = {1, 1};
      MPI_Datatype type;
      MPI_Type_create_hindexed(2, ones, places, MPI_INT, &type);
      MPI_Type_commit(&type);
      return type;
    };
    MPI_Datatype from = both(a, b), to = both(c, d);
    MPI_Sendrecv(MPI_BOTTOM, 1, from, 0, 0, MPI_BOTTOM, 1, to, 0, 0, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    EXPECT_EQ(c, 1);
    EXPECT_EQ(d, 2);
    MPI_Type_free(&from);
    MPI_Type_free(&to);
  });
}

TEST(Packing, PackedBytesTravelAndComeApart) {
  run_mpi(2, [](int rank) {
    MPI_Datatype column;
    MPI_Type_vector(3, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    int count_size = 0, column_size = 0, position = 0;
    MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, &count_size);
    MPI_Pack_size(2, column, MPI_COMM_WORLD, &column_size);
    EXPECT_EQ(count_size, 4);
    EXPECT_EQ(column_size, 24);
    char packed[28];
    if (rank == 0) {
      const int count = 2, data[] = {1, -1, 2, -1, 3, 4, -1, 5, -1, 6};
      MPI_Pack(&count, 1, MPI_INT, packed, 28, &position, MPI_COMM_WORLD);
      EXPECT_EQ(position, 4);
      MPI_Pack(data, 2, column, packed, 28, &position, MPI_COMM_WORLD);
      EXPECT_EQ(position, 28);
      MPI_Send(packed, position, MPI_PACKED, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(packed, 28, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      int count = 0, data[6] = {};
      MPI_Unpack(packed, 28, &position, &count, 1, MPI_INT, MPI_COMM_WORLD);
      EXPECT_EQ(count, 2);
      MPI_Unpack(packed, 28, &position, data, 6, MPI_INT, MPI_COMM_WORLD);
      EXPECT_EQ(position, 28);
      for (int i = 0; i < 6; ++i) EXPECT_EQ(data[i], i + 1);
    }
    MPI_Type_free(&column);
  });
}

TEST(Packing, WhatDoesNotFitIsRefused) {
  run_mpi(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const MPI_Comm world = MPI_COMM_WORLD;
    int data[4] = {1, 2, 3, 4}, out[4] = {}, position = 8, size = 0;
    EXPECT_EQ(MPI_Pack(data, 3, MPI_INT, out, 16, &position, world), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Unpack(data, 16, &position, out, 3, MPI_INT, world), MPI_ERR_ARG);
    EXPECT_EQ(position, 8);
    EXPECT_EQ(out[2], 0);
    EXPECT_EQ(MPI_Pack(data, 2, MPI_INT, out, 16, &position, world), MPI_SUCCESS);
    EXPECT_EQ(position, 16);
    EXPECT_EQ(out[2], 1);
    position = -4;
    EXPECT_EQ(MPI_Pack(data, 1, MPI_INT, out, 16, &position, world), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Pack(data, 1, MPI_INT, out, 16, nullptr, world), MPI_ERR_ARG);
    position = 0;
    EXPECT_EQ(MPI_Pack(data, 1, MPI_INT, out, -1, &position, world), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Pack(data, -1, MPI_INT, out, 16, &position, world), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Pack(nullptr, 1, MPI_INT, out, 16, &position, world), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Pack(data, 1, MPI_INT, nullptr, 16, &position, world), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Pack(data, 1, MPI_DATATYPE_NULL, out, 16, &position, world), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Unpack(data, 16, &position, out, 1, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Pack_size(-1, MPI_INT, world, &size), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Pack_size(INT32_MAX, MPI_INT, world, &size), MPI_SUCCESS);
    EXPECT_EQ(size, MPI_UNDEFINED);
  });
}

TEST(Datatypes, AreFoundByClassAndSize) {
  run_mpi(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const auto match = [](int typeclass, int size) {
      MPI_Datatype type = MPI_DATATYPE_NULL;
      MPI_Type_match_size(typeclass, size, &type);
      return type;
    };
    EXPECT_EQ(match(MPI_TYPECLASS_REAL, 4), MPI_REAL4);
    EXPECT_EQ(match(MPI_TYPECLASS_REAL, 8), MPI_REAL8);
    EXPECT_EQ(match(MPI_TYPECLASS_INTEGER, 1), MPI_INTEGER1);
    EXPECT_EQ(match(MPI_TYPECLASS_INTEGER, 8), MPI_INTEGER8);
    EXPECT_EQ(match(MPI_TYPECLASS_COMPLEX, 16), MPI_COMPLEX16);
    MPI_Datatype type = MPI_INT;
    EXPECT_EQ(MPI_Type_match_size(MPI_TYPECLASS_REAL, 5, &type), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_match_size(4, 4, &type), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_match_size(MPI_TYPECLASS_REAL, 4, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(type, MPI_INT);
  });
}

TEST(Info, KeysKeepTheirOrder) {
  run_mpi(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Info info, copy;
    MPI_Info_create(&info);
    MPI_Info_set(info, "second", "2");
    MPI_Info_set(info, "first", "one");
    MPI_Info_set(info, "second", "two");
    MPI_Info_dup(info, &copy);
    MPI_Info_delete(info, "second");
    EXPECT_EQ(MPI_Info_delete(info, "second"), MPI_ERR_INFO_NOKEY);
    int keys = 0, flag = -1, length = -1;
    MPI_Info_get_nkeys(copy, &keys);
    EXPECT_EQ(keys, 2);
    char text[MPI_MAX_INFO_KEY + 1];
    MPI_Info_get_nthkey(copy, 0, text);
    EXPECT_STREQ(text, "second");
    MPI_Info_get(copy, "second", 2, text, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_STREQ(text, "tw");
    MPI_Info_get_valuelen(copy, "first", &length, &flag);
    EXPECT_EQ(length, 3);
    MPI_Info_get(info, "second", 2, text, &flag);
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(MPI_Info_set(info, "first", ""), MPI_SUCCESS);  // a value may be empty
    MPI_Info_get_valuelen(info, "first", &length, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(length, 0);
    MPI_Info_get(info, "first", 3, text, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_STREQ(text, "");
    EXPECT_EQ(MPI_Info_set(info, "", "x"), MPI_ERR_INFO_KEY);
    EXPECT_EQ(MPI_Info_set(info, std::string(256, 'k').c_str(), "x"), MPI_ERR_INFO_KEY);
    EXPECT_EQ(MPI_Info_set(info, "k", std::string(1025, 'v').c_str()), MPI_ERR_INFO_VALUE);
    MPI_Info_free(&info);
    EXPECT_EQ(info, MPI_INFO_NULL);
    EXPECT_EQ(MPI_Info_free(&info), MPI_ERR_INFO);
    MPI_Info_free(&copy);
  });
}

TEST(Memory, AllocatedMemoryIsUsable) {
  run_mpi(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    char* memory = nullptr;
    ASSERT_EQ(MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &memory), MPI_SUCCESS);
    std::memset(memory, 1, 1 << 20);
    EXPECT_EQ(MPI_Free_mem(memory), MPI_SUCCESS);
    EXPECT_EQ(MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Alloc_mem(MPI_Aint{1} << 62, MPI_INFO_NULL, &memory), MPI_ERR_NO_MEM);
  });
}

}  // namespace
}  // namespace netmod::testing
