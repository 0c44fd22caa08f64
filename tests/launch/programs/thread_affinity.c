// Prints, for each thread of each rank, its name and the CPUs that the kernel lets it run on.
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The rest of the line of `file` that begins with `key`; "?" if there is none.
static void read_field(const char* file, const char* key, char* value, size_t size) {
  char line[512];
  FILE* opened = fopen(file, "r");
  snprintf(value, size, "?");
  if (opened == NULL) return;
  while (fgets(line, sizeof line, opened) != NULL) {
    if (strncmp(line, key, strlen(key)) != 0) continue;
    char* begin = line + strlen(key);
    begin += strspn(begin, " \t");
    begin[strcspn(begin, "\n")] = '\0';
    snprintf(value, size, "%s", begin);
    break;
  }
  fclose(opened);
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  DIR* tasks = opendir("/proc/self/task");
  for (const struct dirent* task = NULL; tasks != NULL && (task = readdir(tasks)) != NULL;) {
    if (task->d_name[0] == '.') continue;
    char file[300], name[128], cpus[256];
    snprintf(file, sizeof file, "/proc/self/task/%s/status", task->d_name);
    read_field(file, "Name:", name, sizeof name);
    read_field(file, "Cpus_allowed_list:", cpus, sizeof cpus);
    printf("%d %s %s\n", rank, atoi(task->d_name) == getpid() ? "main" : name, cpus);
  }
  if (tasks != NULL) closedir(tasks);
  MPI_Finalize();
  return 0;
}
