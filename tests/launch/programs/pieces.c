/* Prints lines piece by piece while other ranks print theirs; the argument says by what. Every
 * rank's last line has no end. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

static void print_stdio(const char* piece) {
  printf("%s", piece);
  fflush(stdout);
}
static void print_errors(const char* piece) { fputs(piece, stderr); }
static void print_descriptor(const char* piece) {
  struct iovec part = {(void*)piece, strlen(piece) - 1};
  if (writev(1, &part, 1) < 0 || write(1, piece + part.iov_len, 1) != 1) exit(2);
}
static void print_formatted(const char* piece) { dprintf(fileno(stdout), "%s", piece); }
static void print_wide(const char* piece) {
  wprintf(L"%.1s", piece);
  for (const char* at = piece + 1; *at != '\0'; ++at) putwchar(btowc(*at));
  fflush(stdout);
}
static void print_closing(const char* piece) {
  print_stdio(piece);
  if (strstr(piece, "all") != NULL && fclose(stdout) != 0) exit(2);
}
static void print_reopened(const char* piece) {
  static int opened = 0;
  if (!opened && freopen("/dev/stderr", "a", stdout) == NULL) exit(2);
  opened = 1;
  print_stdio(piece);
}
static void print_buffered(const char* piece) { fwrite(piece, 1, strlen(piece), stdout); }

static void (*choose(const char* name))(const char*) {
  if (strcmp(name, "stdio") == 0) return print_stdio;
  if (strcmp(name, "errors") == 0) return print_errors;
  if (strcmp(name, "write") == 0) return print_descriptor;
  if (strcmp(name, "dprintf") == 0) return print_formatted;
  if (strcmp(name, "wide") == 0) return print_wide;
  if (strcmp(name, "closing") == 0) return print_closing;
  if (strcmp(name, "reopened") == 0) return print_reopened;
  if (strcmp(name, "buffered") == 0) return print_buffered;
  exit(2);
}

int main(int argc, char** argv) {
  static char buffer[100];
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* name = argc > 1 ? argv[1] : "stdio";
  void (*print)(const char*) = choose(name);
  if (print == print_buffered) setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  char number[32];
  snprintf(number, sizeof number, "of rank %d\n", rank);
  const char* const pieces[] = {"two pie", "ces ", number, "the last ", "line of all"};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; ++i) {
    print(pieces[i]);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
