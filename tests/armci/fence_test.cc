// ARMCI's fences: what was put before is there when word of it comes by the quickest way, whether
// it went directly, through the helper, or some this way and some that.
#include <mpi.h>

#include "tests/armci/job.h"

namespace castor_test {
namespace {

constexpr int contiguous = 1 << 20;  // ints: 4 MB are a while under way
constexpr int run_ints = 100;        // ints of each of the strided part's rows
constexpr int rows = 64;

struct Mixture {
  std::string name;
  std::string parts;  ///< in their order: d is contiguous and goes directly, h through the helper
};

class Fences : public ::testing::TestWithParam<Mixture> {
 protected:
  static void put(char part, const std::vector<int>& data, int* where, int target) {
    if (part == 'd') {
      ASSERT_EQ(0,
                ARMCI_NbPut(const_cast<int*>(data.data()), where, contiguous * 4, target, nullptr));
      return;
    }
    int from_stride = run_ints * 4;
    int to_stride = 2 * run_ints * 4;
    int count[] = {run_ints * 4, rows};
    ASSERT_EQ(0, ARMCI_NbPutS(const_cast<int*>(data.data()), &from_stride, where + contiguous,
                              &to_stride, count, 1, target, nullptr));
  }
  /// Where the last element of a part is.
  static int last_of(char part) {
    return part == 'd' ? contiguous - 1 : contiguous + (rows - 1) * 2 * run_ints + run_ints - 1;
  }
};

TEST_P(Fences, WaitForAllThatWasPut) {
  const std::string parts = GetParam().parts;
  run_armci(small_job(4, 2), {"CASTOR_ARMCI_DIRECT=1"}, [&parts](int rank) {
    Shared<int> memory(contiguous + rows * 2 * run_ints);
    const int other = (rank + 2) % 4;  // on the other node
    for (int turn = 1; turn <= 4; ++turn) {
      for (const char part : parts) memory.at(rank)[last_of(part)] = 0;
      ARMCI_Barrier();
      const std::vector<int> data(contiguous, turn * 10 + rank);
      for (const char part : parts) put(part, data, memory.at(other), other);
      if (turn % 2 == 0) {
        ARMCI_AllFence();
      } else {
        ARMCI_Fence(other);
      }
      int word = turn;
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(&word, 1, MPI_INT, other, turn, MPI_COMM_WORLD, &request);
      int received = 0;
      MPI_Recv(&received, 1, MPI_INT, other, turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (const char part : parts) {
        EXPECT_EQ(received * 10 + other, memory.at(rank)[last_of(part)]) << part;
      }
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      ARMCI_WaitAll();
      ARMCI_Barrier();
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, Fences,
                         ::testing::Values(Mixture{"Direct", "d"}, Mixture{"Helper", "h"},
                                           Mixture{"DirectThenHelper", "dh"},
                                           Mixture{"HelperThenDirect", "hd"},
                                           Mixture{"Alternating", "dhdh"}),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace castor_test
