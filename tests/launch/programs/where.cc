// Waits for ever in a function that is inlined in another one.
#include <mpi.h>

namespace {

template <typename Value>
[[gnu::always_inline]] inline void exchange(Value& value) {
  MPI_Recv(&value, sizeof value, MPI_BYTE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // here: inner
}

[[gnu::always_inline]] inline void halo(double& value) {
  exchange(value);  // here: middle
}

[[gnu::noinline]] void step(double& value) {
  halo(value);  // here: outer
  value += 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double value = 0;
  step(value);
  return MPI_Finalize();
}
