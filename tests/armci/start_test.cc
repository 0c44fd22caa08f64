// ARMCI: its start and its end, again and again.
#include <mpi.h>

#include "tests/armci/job.h"

namespace castor_test {
namespace {

/// Where the next keyval's place is: places that have been given back come again.
int next_place() {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  int freed = key;
  MPI_Comm_free_keyval(&freed);
  return key & 0xffff;  // above it is how often the place has been given
}

TEST(Start, AgainAfterEachEndAndNothingIsLeft) {
  run_armci(small_job(4, 2), {}, [](int rank) {
    int place = -1;
    for (int round = 0; round < 4; ++round) {
      ASSERT_EQ(0, ARMCI_Init());  // the second start of two
      EXPECT_EQ(0, ARMCI_Finalize());
      EXPECT_EQ(1, ARMCI_Initialized());
      EXPECT_EQ(0, ARMCI_Finalize());
      EXPECT_EQ(0, ARMCI_Initialized());
      EXPECT_EQ(0, ARMCI_Init());
      if (round == 0) place = next_place();
      EXPECT_EQ(place, next_place());
      Shared<int> memory(1);
      *memory.at(rank) = -1;
      ARMCI_Barrier();
      int value = 100 * round + rank;
      EXPECT_EQ(0, ARMCI_Put(&value, memory.at((rank + 1) % ranks()), sizeof value,
                             (rank + 1) % ranks()));
      ARMCI_Barrier();
      EXPECT_EQ(100 * round + (rank + ranks() - 1) % ranks(), *memory.at(rank));
      memory.free(rank);
    }
  });
}

}  // namespace
}  // namespace castor_test
