// Numbers of a program whose products or sums do not fit into 64 bits are errors, never small
// sizes.
#include <array>
#include <climits>
#include <cstdint>
#include <limits>

#include "tests/netmod/mpi_run.h"

namespace netmod::testing {
namespace {

constexpr MPI_Aint far = std::numeric_limits<MPI_Aint>::max();

/// 2^power bytes, committed.
MPI_Datatype bytes_of_power(int power) {
  MPI_Datatype type = MPI_BYTE;
  for (; power > 0; power -= 30) {
    MPI_Datatype next = MPI_DATATYPE_NULL;
    EXPECT_EQ(MPI_Type_contiguous(1 << std::min(power, 30), type, &next), MPI_SUCCESS);
    type = next;
  }
  MPI_Type_commit(&type);
  return type;
}

/// Elements 2^power bytes apart with one byte of data each.
MPI_Datatype sparse(int power) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  EXPECT_EQ(MPI_Type_create_resized(MPI_BYTE, 0, MPI_Aint{1} << power, &type), MPI_SUCCESS);
  MPI_Type_commit(&type);
  return type;
}

TEST(Overflow, OfSizesWhenTypesAreMade) {
  run_returning(1, [](int) {
    const MPI_Datatype large = bytes_of_power(61);
    MPI_Count size = 0;
    EXPECT_EQ(MPI_Type_size_x(large, &size), MPI_SUCCESS);
    EXPECT_EQ(size, MPI_Count{1} << 61);
    MPI_Datatype made = MPI_DATATYPE_NULL;
    EXPECT_EQ(MPI_Type_contiguous(3, large, &made), MPI_SUCCESS);
    EXPECT_EQ(MPI_Type_contiguous(4, large, &made), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_contiguous(1 << 30, large, &made), MPI_ERR_ARG);  // wraps to 0
    EXPECT_EQ(MPI_Type_vector(8, 1, 1, large, &made), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_create_hvector(2, 2, 0, large, &made), MPI_ERR_ARG);
    const std::array<int, 2> lengths{3, 3}, places{0, 0}, sizes{4, 4}, starts{0, 0};
    const std::array<MPI_Aint, 2> offsets{0, 0};
    const std::array<MPI_Datatype, 2> types{large, large};
    EXPECT_EQ(MPI_Type_indexed(2, lengths.data(), places.data(), large, &made), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_create_hindexed(2, lengths.data(), offsets.data(), large, &made),
              MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_create_indexed_block(2, 2, places.data(), large, &made), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_create_hindexed_block(2, 2, offsets.data(), large, &made), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_create_struct(2, lengths.data(), offsets.data(), types.data(), &made),
              MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_create_subarray(2, sizes.data(), lengths.data(), starts.data(), MPI_ORDER_C,
                                       large, &made),
              MPI_ERR_ARG);
    const std::array<int, 2> blocks{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE};
    const std::array<int, 2> arguments{MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    const std::array<int, 2> grid{2, 1};
    EXPECT_EQ(MPI_Type_create_darray(2, 1, 2, sizes.data(), blocks.data(), arguments.data(),
                                     grid.data(), MPI_ORDER_C, large, &made),
              MPI_ERR_ARG);
  });
}

TEST(Overflow, OfPlacesWhenTypesAreMade) {
  run_returning(1, [](int) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    EXPECT_EQ(MPI_Type_create_hvector(3, 1, MPI_Aint{1} << 62, MPI_BYTE, &made), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_create_hvector(1 << 16, 1, MPI_Aint{1} << 48, MPI_BYTE, &made), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_vector(3, 1, INT_MAX, sparse(40), &made), MPI_ERR_ARG);
    const std::array<int, 2> ones{1, 1}, places{0, INT_MAX};
    EXPECT_EQ(MPI_Type_indexed(2, ones.data(), places.data(), sparse(40), &made), MPI_ERR_ARG);
    const std::array<MPI_Aint, 2> ends{-far, far};
    EXPECT_EQ(MPI_Type_create_hindexed(2, ones.data(), ends.data(), MPI_BYTE, &made), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_create_hindexed_block(1, 8, &ends[1], MPI_BYTE, &made), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_create_resized(MPI_INT, far, 1, &made), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_create_resized(MPI_INT, -far, -3, &made), MPI_ERR_ARG);
    // As large as they may be.
    MPI_Aint lb = 0, extent = 0;
    EXPECT_EQ(MPI_Type_create_hvector(2, 1, far - 1, MPI_BYTE, &made), MPI_SUCCESS);
    EXPECT_EQ(MPI_Type_get_extent(made, &lb, &extent), MPI_SUCCESS);
    EXPECT_EQ(extent, far);
    EXPECT_EQ(MPI_Type_create_resized(MPI_INT, 0, far, &made), MPI_SUCCESS);
  });
}

TEST(Overflow, OfElementsInUse) {
  run_returning(1, [](int) {
    const MPI_Datatype large = bytes_of_power(33);
    char out[8] = {}, in[8] = {};
    int at = 0, size = 0;
    MPI_Aint position = 0, external = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status* const ignored = MPI_STATUS_IGNORE;
    const MPI_Comm world = MPI_COMM_WORLD;
    // 2^31 - 1 elements of 2^33 bytes; of 2^40 bytes apart.
    for (const MPI_Datatype type : {large, sparse(40)}) {
      SCOPED_TRACE(type);
      EXPECT_EQ(MPI_Send(out, INT_MAX, type, 0, 0, world), MPI_ERR_COUNT);
      EXPECT_EQ(MPI_Isend(out, INT_MAX, type, 0, 0, world, &request), MPI_ERR_COUNT);
      EXPECT_EQ(MPI_Send_init(out, INT_MAX, type, 0, 0, world, &request), MPI_ERR_COUNT);
      EXPECT_EQ(MPI_Bsend(out, INT_MAX, type, 0, 0, world), MPI_ERR_COUNT);
      EXPECT_EQ(MPI_Recv(in, INT_MAX, type, 0, 0, world, ignored), MPI_ERR_COUNT);
      EXPECT_EQ(MPI_Irecv(in, INT_MAX, type, 0, 0, world, &request), MPI_ERR_COUNT);
      EXPECT_EQ(MPI_Sendrecv(out, INT_MAX, type, MPI_PROC_NULL, 0, in, 1, MPI_CHAR, MPI_PROC_NULL,
                             0, world, ignored),
                MPI_ERR_COUNT);
      EXPECT_EQ(MPI_Pack(out, INT_MAX, type, in, 8, &at, world), MPI_ERR_COUNT);
      EXPECT_EQ(MPI_Unpack(out, 8, &at, in, INT_MAX, type, world), MPI_ERR_COUNT);
      EXPECT_EQ(MPI_Pack_size(INT_MAX, type, world, &size), MPI_ERR_COUNT);
      EXPECT_EQ(MPI_Pack_external_size("external32", INT_MAX, type, &external), MPI_ERR_COUNT);
      EXPECT_EQ(MPI_Pack_external("external32", out, INT_MAX, type, in, 8, &position),
                MPI_ERR_COUNT);
      EXPECT_EQ(MPI_Bcast(out, INT_MAX, type, 0, world), MPI_ERR_COUNT);
      EXPECT_EQ(MPI_Gather(out, INT_MAX, type, in, INT_MAX, type, 0, world), MPI_ERR_COUNT);
      EXPECT_EQ(MPI_Iallgather(out, INT_MAX, type, in, INT_MAX, type, world, &request),
                MPI_ERR_COUNT);
      EXPECT_EQ(MPI_Alltoall(out, INT_MAX, type, in, INT_MAX, type, world), MPI_ERR_COUNT);
      const int most = INT_MAX, one = 1, nothing = 0;
      EXPECT_EQ(MPI_Allgatherv(out, 1, MPI_CHAR, in, &most, &nothing, type, world), MPI_ERR_COUNT);
      EXPECT_EQ(MPI_Alltoallw(out, &most, &nothing, &type, in, &one, &nothing, &type, world),
                MPI_ERR_COUNT);
      EXPECT_EQ(MPI_Reduce_scatter_block(out, in, INT_MAX, type, MPI_BOR, world), MPI_ERR_COUNT);
      EXPECT_EQ(MPI_Reduce_local(out, in, INT_MAX, type, MPI_BOR), MPI_ERR_COUNT);
    }
    const int one = 1, beyond = INT_MAX;
    EXPECT_EQ(MPI_Gatherv(out, 1, MPI_CHAR, in, &one, &beyond, sparse(40), 0, world),
              MPI_ERR_COUNT);
    EXPECT_EQ(at, 0);
  });
}

// Of each rank they fit, of all of them they do not.
TEST(Overflow, OfAllRanksElements) {
  run_mpi(4, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const MPI_Datatype large = bytes_of_power(61);
    char out[8] = {}, in[8] = {};
    MPI_Request request = MPI_REQUEST_NULL;
    const MPI_Comm world = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Allgather(out, 1, large, in, 1, large, world), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Alltoall(out, 1, large, in, 1, large, world), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Ialltoall(out, 1, large, in, 1, large, world, &request), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Reduce_scatter_block(out, in, 1, large, MPI_BOR, world), MPI_ERR_COUNT);
    const std::array<int, 4> ones{1, 1, 1, 1};
    EXPECT_EQ(MPI_Reduce_scatter(out, in, ones.data(), large, MPI_BOR, world), MPI_ERR_COUNT);
  });
}

TEST(Overflow, OfStatuses) {
  run_returning(1, [](int) {
    MPI_Status status{};
    int count = 0;
    EXPECT_EQ(MPI_Status_set_elements_x(&status, MPI_DOUBLE, MPI_Count{1} << 61), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Status_set_elements_x(&status, MPI_DOUBLE, MPI_Count{1} << 40), MPI_SUCCESS);
    EXPECT_EQ(MPI_Get_count(&status, MPI_DOUBLE, &count), MPI_SUCCESS);
    EXPECT_EQ(count, MPI_UNDEFINED);
    EXPECT_EQ(MPI_Get_elements(&status, MPI_DOUBLE, &count), MPI_SUCCESS);
    EXPECT_EQ(count, MPI_UNDEFINED);
    EXPECT_EQ(MPI_Type_size(bytes_of_power(33), &count), MPI_SUCCESS);
    EXPECT_EQ(count, MPI_UNDEFINED);
  });
}

TEST(Overflow, OfMemoryAndGraphs) {
  run_returning(1, [](int) {
    void* memory = nullptr;
    EXPECT_EQ(MPI_Alloc_mem(far, MPI_INFO_NULL, &memory), MPI_ERR_NO_MEM);
    // A buffered message's overhead on top of the most bytes that there can be.
    char buffer[256];
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Datatype most = MPI_DATATYPE_NULL;
    const std::array<int, 2> ones{1, 1};
    const std::array<MPI_Aint, 2> places{0, 0};
    MPI_Datatype half = bytes_of_power(62), rest = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(1, MPI_BYTE, &rest);
    for (int power = 61; power >= 1; --power) {  // 2^62 - 1 in the end
      const std::array<MPI_Datatype, 2> parts{bytes_of_power(power), rest};
      ASSERT_EQ(MPI_Type_create_struct(2, ones.data(), places.data(), parts.data(), &rest),
                MPI_SUCCESS);
    }
    const std::array<MPI_Datatype, 2> parts{half, rest};
    ASSERT_EQ(MPI_Type_create_struct(2, ones.data(), places.data(), parts.data(), &most),
              MPI_SUCCESS);
    MPI_Type_commit(&most);
    MPI_Count size = 0;
    MPI_Type_size_x(most, &size);
    EXPECT_EQ(size, far);
    EXPECT_EQ(MPI_Bsend(buffer, 1, most, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    int detached = 0;
    MPI_Buffer_detach(&memory, &detached);
    // Edges.
    const std::array<int, 2> nodes{0, 0}, degrees{INT_MAX, INT_MAX};
    MPI_Comm graph = MPI_COMM_NULL;
    EXPECT_EQ(MPI_Dist_graph_create(MPI_COMM_WORLD, 2, nodes.data(), degrees.data(), nodes.data(),
                                    MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
              MPI_ERR_ARG);
    EXPECT_EQ(graph, MPI_COMM_NULL);
  });
}

// Elements far apart, of which a message has few: nothing wraps where they are found.
TEST(Overflow, DoesNotConcernOneElement) {
  run_returning(1, [](int) {
    MPI_Datatype wide = sparse(62);
    char out = 42, in = 0;
    EXPECT_EQ(
        MPI_Sendrecv(&out, 1, wide, 0, 0, &in, 1, wide, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        MPI_SUCCESS);
    EXPECT_EQ(in, 42);
    EXPECT_EQ(
        MPI_Sendrecv(&out, 2, wide, 0, 0, &in, 2, wide, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        MPI_ERR_COUNT);
  });
}

}  // namespace
}  // namespace netmod::testing
