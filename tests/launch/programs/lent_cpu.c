// Two ranks: rank 1 computes while its progress thread takes in messages of a megabyte from rank 0,
// and prints after each where the kernel lets that thread run: at "home" on its rank's CPU, "lent"
// rank 0's, or "elsewhere". Rank 0 sends and computes, then sends and waits, then computes again.
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { bytes = 1 << 20, list = 256 };

// "Cpus_allowed_list" of the process's thread of that name; the main one's for null.
static void cpus_of(const char* thread, char* cpus) {
  snprintf(cpus, list, "?");
  DIR* tasks = opendir("/proc/self/task");
  for (const struct dirent* task = NULL; tasks != NULL && (task = readdir(tasks)) != NULL;) {
    char path[300], line[512], name[64] = "";
    if (task->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
    FILE* file = fopen(path, "r");
    const int is_main = atoi(task->d_name) == getpid();
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
      sscanf(line, "Name: %63s", name);
      if (thread == NULL ? is_main : strcmp(name, thread) == 0) {
        sscanf(line, "Cpus_allowed_list: %255s", cpus);
      }
    }
    if (file != NULL) fclose(file);
  }
  if (tasks != NULL) closedir(tasks);
}

static void compute(void) { usleep(100 * 1000); }

int main(int argc, char** argv) {
  int rank = 0;
  char own[list], other[list], thread[list];
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* buffer = calloc(1, bytes);
  cpus_of(NULL, own);
  MPI_Sendrecv(own, list, MPI_CHAR, 1 - rank, 0, other, list, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int waits = 0; waits < 3; ++waits) {
    if (rank == 0) {
      MPI_Barrier(MPI_COMM_WORLD);
      compute();  // rank 1 is out of MPI
      if (waits == 1) {
        MPI_Send(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
      } else {
        MPI_Isend(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        compute();
        compute();
        compute();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
    } else {
      MPI_Irecv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
      MPI_Barrier(MPI_COMM_WORLD);
      compute();
      compute();
      compute();
      cpus_of("castor-progress", thread);
      printf("%s\n", strcmp(thread, own) == 0     ? "home"
                     : strcmp(thread, other) == 0 ? "lent"
                                                  : "elsewhere");
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  free(buffer);
  MPI_Finalize();
  return 0;
}
