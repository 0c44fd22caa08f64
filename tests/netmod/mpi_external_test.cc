// "external32", elements in statuses, error classes of the program's own, groups by ranges.
#include <cstring>
#include <string>

#include "netmod/mpi/datatypes/datatype.h"
#include "tests/netmod/mpi_run.h"

namespace netmod::testing {
namespace {

std::vector<int> packed_bytes(const void* data, int count, MPI_Datatype type) {
  MPI_Aint size = 0, position = 0;
  MPI_Pack_external_size("external32", count, type, &size);
  std::vector<unsigned char> packed(static_cast<std::size_t>(size));
  EXPECT_EQ(MPI_Pack_external("external32", data, count, type, packed.data(), size, &position),
            MPI_SUCCESS);
  EXPECT_EQ(position, size);
  return {packed.begin(), packed.end()};
}

using Ints = std::vector<int>;

TEST(External32, IsBigEndianWithItsOwnSizes) {
  run_mpi(1, [](int) {
    const int integers[] = {0x01020304, -2};
    EXPECT_EQ(packed_bytes(integers, 2, MPI_INT), (Ints{1, 2, 3, 4, 255, 255, 255, 254}));
    const long large[] = {0x01020304, -2};
    EXPECT_EQ(packed_bytes(large, 2, MPI_LONG), (Ints{1, 2, 3, 4, 255, 255, 255, 254}));
    const double one = 1.0;
    EXPECT_EQ(packed_bytes(&one, 1, MPI_DOUBLE), (Ints{0x3f, 0xf0, 0, 0, 0, 0, 0, 0}));
    const long double half = -1.5L;
    EXPECT_EQ(packed_bytes(&half, 1, MPI_LONG_DOUBLE),
              (Ints{0xbf, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
    const netmod::Quad quad = -1.5L;
    EXPECT_EQ(packed_bytes(&quad, 1, MPI_REAL16),
              (Ints{0xbf, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
    const float complex[] = {1.0f, 2.0f};
    EXPECT_EQ(packed_bytes(complex, 1, MPI_C_FLOAT_COMPLEX),
              (Ints{0x3f, 0x80, 0, 0, 0x40, 0, 0, 0}));
    const struct {
      short value;
      int index;
    } pair{258, 3};
    EXPECT_EQ(packed_bytes(&pair, 1, MPI_SHORT_INT), (Ints{1, 2, 0, 0, 0, 3}));
    EXPECT_EQ(packed_bytes("ab", 2, MPI_CHAR), (Ints{'a', 'b'}));
  });
}

TEST(External32, ComesBackAsItWent) {
  run_mpi(1, [](int) {
    struct Record {
      long number;
      char letter;
      long double value;
    } records[3] = {{-5, 'x', 0.1L}, {7, 'y', -3e4000L}, {1 << 30, 'z', 0.0L}}, back[3] = {};
    const int ones[] = {1, 1, 1};
    const MPI_Aint places[] = {offsetof(Record, number), offsetof(Record, letter),
                               offsetof(Record, value)};
    const MPI_Datatype types[] = {MPI_LONG, MPI_CHAR, MPI_LONG_DOUBLE};
    MPI_Datatype type;
    MPI_Type_create_struct(3, ones, places, types, &type);
    MPI_Type_commit(&type);
    MPI_Aint size = 0, position = 0;
    MPI_Pack_external_size("external32", 3, type, &size);
    EXPECT_EQ(size, 3 * (4 + 1 + 16));
    std::vector<char> packed(static_cast<std::size_t>(size));
    MPI_Pack_external("external32", records, 3, type, packed.data(), size, &position);
    position = 0;
    MPI_Unpack_external("external32", packed.data(), size, &position, back, 3, type);
    EXPECT_EQ(position, size);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(back[i].number, records[i].number);
      EXPECT_EQ(back[i].letter, records[i].letter);
      EXPECT_EQ(back[i].value, records[i].value);
    }
    MPI_Type_free(&type);
  });
}

TEST(External32, WhatDoesNotFitIsRefused) {
  run_mpi(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const long large = 1L << 40;
    char room[8];
    MPI_Aint position = 0, size = 0;
    EXPECT_EQ(MPI_Pack_external("external32", &large, 1, MPI_LONG, room, 8, &position),
              MPI_ERR_CONVERSION);
    position = 6;
    EXPECT_EQ(MPI_Pack_external("external32", &large, 1, MPI_LONG, room, 8, &position),
              MPI_ERR_ARG);
    EXPECT_EQ(MPI_Pack_external_size("native", 1, MPI_INT, &size), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Pack_external_size("external32", -1, MPI_INT, &size), MPI_ERR_COUNT);
  });
}

TEST(StatusElements, AreThoseThatWereSet) {
  run_mpi(1, [](int) {
    MPI_Status status{};
    int count = -1;
    MPI_Count large = -1;
    for (int elements = 0; elements < 9; ++elements) {
      MPI_Status_set_elements(&status, MPI_DOUBLE_INT, elements);
      MPI_Get_elements(&status, MPI_DOUBLE_INT, &count);
      EXPECT_EQ(count, elements);
      MPI_Get_count(&status, MPI_DOUBLE_INT, &count);
      EXPECT_EQ(count, elements % 2 == 0 ? elements / 2 : MPI_UNDEFINED);
    }
    MPI_Status_set_cancelled(&status, 1);
    MPI_Status_set_elements_x(&status, MPI_INT, MPI_Count{1} << 33);
    MPI_Get_elements_x(&status, MPI_INT, &large);
    EXPECT_EQ(large, MPI_Count{1} << 33);
    MPI_Get_elements(&status, MPI_INT, &count);
    EXPECT_EQ(count, MPI_UNDEFINED);
    MPI_Test_cancelled(&status, &count);
    EXPECT_EQ(count, 1);
    MPI_Status_set_cancelled(&status, 0);
    MPI_Test_cancelled(&status, &count);
    EXPECT_EQ(count, 0);
  });
}

TEST(AddedErrors, HaveClassesAndStrings) {
  run_mpi(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int added = 0, code = 0, other = 0, found = 0, length = -1, flag = 0;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Add_error_class(&added);
    EXPECT_GT(added, MPI_ERR_LASTCODE);
    MPI_Add_error_code(added, &code);
    MPI_Add_error_code(MPI_ERR_ARG, &other);
    int* last = nullptr;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
    EXPECT_EQ(*last, other);
    MPI_Error_class(added, &found);
    EXPECT_EQ(found, added);
    MPI_Error_class(code, &found);
    EXPECT_EQ(found, added);
    MPI_Error_class(other, &found);
    EXPECT_EQ(found, MPI_ERR_ARG);
    EXPECT_EQ(MPI_Error_string(code, text, &length), MPI_SUCCESS);
    EXPECT_EQ(length, 0);
    MPI_Add_error_string(code, "the tape is full");
    MPI_Error_string(code, text, &length);
    EXPECT_STREQ(text, "the tape is full");
    EXPECT_EQ(MPI_Add_error_code(code, &found), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Add_error_string(MPI_ERR_ARG, "x"), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Error_class(other + 1, &found), MPI_ERR_ARG);
  });
}

TEST(GroupRanges, NameTheirMembers) {
  run_mpi(8, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Group world, made, expected;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int ranges[2][3] = {{1, 5, 2}, {7, 6, -1}};
    const int ranks[] = {1, 3, 5, 7, 6};
    int result = -1;
    MPI_Group_range_incl(world, 2, ranges, &made);
    MPI_Group_incl(world, 5, ranks, &expected);
    MPI_Group_compare(made, expected, &result);
    EXPECT_EQ(result, MPI_IDENT);
    MPI_Group_free(&made);
    MPI_Group_free(&expected);
    MPI_Group_range_excl(world, 2, ranges, &made);
    MPI_Group_excl(world, 5, ranks, &expected);
    MPI_Group_compare(made, expected, &result);
    EXPECT_EQ(result, MPI_IDENT);
    MPI_Group_free(&made);
    MPI_Group_free(&expected);
    int beyond[1][3] = {{0, 9, 7}};  // it ends at 7
    EXPECT_EQ(MPI_Group_range_incl(world, 1, beyond, &made), MPI_SUCCESS);
    int members = 0;
    MPI_Group_size(made, &members);
    EXPECT_EQ(members, 2);
    MPI_Group_free(&made);
    int still[1][3] = {{1, 5, 0}}, endless[1][3] = {{5, 1, 2}}, backwards[1][3] = {{1, 5, -1}};
    int outside[1][3] = {{1, 8, 1}}, negative[1][3] = {{-1, 2, 1}};
    int twice[2][3] = {{1, 3, 1}, {3, 3, 1}};
    for (auto* range : {still, endless, backwards, outside, negative}) {
      EXPECT_EQ(MPI_Group_range_incl(world, 1, range, &made), MPI_ERR_ARG);
      EXPECT_EQ(MPI_Group_range_excl(world, 1, range, &made), MPI_ERR_ARG);
    }
    EXPECT_EQ(MPI_Group_range_incl(world, 2, twice, &made), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Group_range_excl(world, 2, twice, &made), MPI_ERR_ARG);
    MPI_Group_free(&world);
  });
}

}  // namespace
}  // namespace netmod::testing
