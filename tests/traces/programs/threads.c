/* Two threads of each of two ranks exchange messages at the same time: with requests, the threads
   of the program, and as many as it says: threads MESSAGES. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static int rank, messages;

static void* exchange(void* given) {
  const int tag = (int)(intptr_t)given;
  int in = 0;
  for (int i = 0; i < messages; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&i, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided = 0;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  messages = atoi(argv[1]);
  if (provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 2);
  pthread_create(&thread, NULL, exchange, (void*)(intptr_t)1);
  exchange((void*)(intptr_t)0);
  pthread_join(thread, NULL);
  MPI_Finalize();
  return 0;
}
