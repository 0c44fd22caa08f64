// A program of another MPI library.
extern int MPI_Init(int*, char***);
extern int MPI_Finalize(void);

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return MPI_Finalize();
}
