/* Stands for GASNet's test programs: what it does is in its name. */
#include <pmi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* By these GASNet's libraries mark a program. */
static const char model[] = "$GASNetThreadModel: GASNET_" MODEL " $";
static const char conduit[] = "$GASNetCoreLibraryName: " CONDUIT " $";

static void* nothing(void* argument) { return argument; }

static int thread(void) {
  pthread_t other;
  if (pthread_create(&other, NULL, nothing, NULL) != 0) return 1;
  return pthread_join(other, NULL);
}

static int run(const char* name, int rank, int size, int argc, char** argv) {
  if (strcmp(name, "testquiet") == 0) return 0;
  if (rank == 0) printf("%s %s%s\n", name, model, conduit);
  fflush(stdout);
  if (strcmp(name, "testcomplains") == 0) printf("ERROR: node %d: 3 is not 4\n", rank);
  if (strcmp(name, "testretries") == 0) printf("ERROR: no memory. Retrying allocation\n");
  if (strcmp(name, "testfails") == 0) return 3;
  if (strcmp(name, "testhangs") == 0) {
    for (;;) usleep(1000);
  }
  if (strcmp(name, "testthreads") == 0) return thread() + (argc != 2 || strcmp(argv[1], "2") != 0);
  if (strcmp(name, "testcore1") == 0) return argc != 2 || strcmp(argv[1], "1000") != 0;
  if (strcmp(name, "testbarrierconf") == 0) return size != 3;
  if (strcmp(name, "testenv") == 0) {
    return argc != 4 || strcmp(argv[3], "Global Address Space Networking") != 0 ||
           strcmp(getenv("GASNET_DUMMY"), "GASNet dummy value") != 0;
  }
  if (strcmp(name, "testnic") == 0) {
    const char* nic = getenv("CASTOR_NIC");
    return (strcmp(CONDUIT, "ARIES") == 0) != (nic != NULL && strcmp(nic, "aries") == 0);
  }
  if (strcmp(name, "testexit") == 0) return atoi(argv[1]) == 7 ? 1 : atoi(argv[1]);
  return 0;
}

int main(int argc, char** argv) {
  const char* slash = strrchr(argv[0], '/');
  int spawned, rank = -1, size = 0;
  PMI_Init(&spawned);
  PMI_Get_rank(&rank);
  PMI_Get_size(&size);
  PMI_Barrier();
  const int code = run(slash == NULL ? argv[0] : slash + 1, rank, size, argc, argv);
  PMI_Barrier();
  PMI_Finalize();
  return code;
}
