/* Functions that take paths, in a directory of the caller's own. Prints what does not work. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

static void check(int holds, const char* what, int line) {
  if (!holds) printf("line %d: %s (%s)\n", line, what, strerror(errno));
  sched_yield();
}
#define CHECK(condition) check(condition, #condition, __LINE__)

static char here[] = "/tmp/castor_paths_XXXXXX";

static int is(char* text, const char* expected) {
  const int same = text != NULL && !strcmp(text, expected);
  free(text);
  return same;
}

static int is_here(const char* path, const char* name) {
  char full[PATH_MAX];
  snprintf(full, sizeof full, "%s/%s", here, name);
  return path != NULL && !strcmp(path, full);
}

static void check_directory(void) {
  char room[PATH_MAX];
  CHECK(is(get_current_dir_name(), here));
  const int fd = open(".", O_RDONLY | O_DIRECTORY), file = open("file", O_RDONLY);
  CHECK(fchdir(file) == -1 && errno == ENOTDIR);
  CHECK(fchdir(-1) == -1 && errno == EBADF);
  CHECK(chdir("/usr/lib") == 0);
  CHECK(fchdir(fd) == 0 && getcwd(room, sizeof room) && !strcmp(room, here));
  close(file);
  close(fd);
}

static void check_links(void) {
  char room[PATH_MAX];
  struct stat status;
  CHECK(is_here(realpath("file", room), "file"));
  char* name = canonicalize_file_name("./file");
  CHECK(is_here(name, "file"));
  free(name);
  CHECK(euidaccess("file", R_OK) == 0 && eaccess("file", R_OK) == 0);
  CHECK(link("file", "hard") == 0 && stat("file", &status) == 0 && status.st_nlink == 2);
  CHECK(symlink("file", "soft") == 0);
  CHECK(readlink("soft", room, sizeof room) == 4 && !memcmp(room, "file", 4));
  CHECK(lstat("soft", &status) == 0 && S_ISLNK(status.st_mode));
  CHECK(unlink("hard") == 0 && unlink("soft") == 0);
  CHECK(mkfifo("pipe", 0600) == 0 && stat("pipe", &status) == 0 && S_ISFIFO(status.st_mode));
  CHECK(unlink("pipe") == 0);
  CHECK(mknod("node", S_IFREG | 0600, 0) == 0 && unlink("node") == 0);
}

static void check_attributes(void) {
  struct stat status;
  struct stat64 status64;
  struct statfs system;
  struct statvfs other;
  const struct utimbuf seconds = {100, 200};
  const struct timeval times[2] = {{300, 0}, {400, 0}};
  CHECK(utime("file", &seconds) == 0 && stat("file", &status) == 0 && status.st_mtime == 200);
  CHECK(utimes("file", times) == 0 && stat64("file", &status64) == 0);
  CHECK(status64.st_mtime == 400 && status64.st_size == 4);
  CHECK(lutimes("file", times) == 0 && lstat64("file", &status64) == 0);
  CHECK(chown("file", (uid_t)-1, (gid_t)-1) == 0 && lchown("file", (uid_t)-1, (gid_t)-1) == 0);
  CHECK(statfs("file", &system) == 0 && statvfs("file", &other) == 0);
  CHECK(pathconf("file", _PC_LINK_MAX) > 0);
  CHECK(truncate64("file", 4) == 0);
  const int made = creat64("created", 0600);
  CHECK(made >= 0 && close(made) == 0 && unlink("created") == 0);
}

static void check_at(void) {
  char room[PATH_MAX];
  struct stat status;
  struct statx extended;
  const struct timespec times[2] = {{500, 0}, {600, 0}};
  int fd = openat(AT_FDCWD, "at", O_CREAT | O_WRONLY, 0640);
  CHECK(fd >= 0 && close(fd) == 0);
  CHECK(access("at", F_OK) == 0 && fstatat(AT_FDCWD, "at", &status, 0) == 0);
  CHECK((status.st_mode & 07777) == 0640);
  CHECK(statx(AT_FDCWD, "at", 0, STATX_SIZE, &extended) == 0);
  CHECK(faccessat(AT_FDCWD, "at", R_OK, 0) == 0);
  CHECK(fchmodat(AT_FDCWD, "at", 0600, 0) == 0);
  CHECK(fchownat(AT_FDCWD, "at", (uid_t)-1, (gid_t)-1, 0) == 0);
  CHECK(utimensat(AT_FDCWD, "at", times, 0) == 0 && stat("at", &status) == 0);
  CHECK(status.st_mtime == 600);
  CHECK(renameat(AT_FDCWD, "at", AT_FDCWD, "to") == 0);
  CHECK(renameat2(AT_FDCWD, "to", AT_FDCWD, "at", 0) == 0);
  CHECK(linkat(AT_FDCWD, "at", AT_FDCWD, "to", 0) == 0 && unlinkat(AT_FDCWD, "to", 0) == 0);
  CHECK(symlinkat("at", AT_FDCWD, "to") == 0);
  CHECK(readlinkat(AT_FDCWD, "to", room, sizeof room) == 2 && unlink("to") == 0);
  CHECK(mkfifoat(AT_FDCWD, "to", 0600) == 0 && unlink("to") == 0);
  CHECK(mkdirat(AT_FDCWD, "to", 0700) == 0);
  fd = open("to", O_RDONLY | O_DIRECTORY);
  const int in = openat(fd, "inner", O_CREAT | O_WRONLY, 0600);
  CHECK(in >= 0 && close(in) == 0 && access("to/inner", F_OK) == 0);
  CHECK(unlinkat(fd, "inner", 0) == 0 && close(fd) == 0);
  CHECK(unlinkat(AT_FDCWD, "to", AT_REMOVEDIR) == 0 && unlink("at") == 0);
}

/* True if `name` is `pattern` filled in, and there. */
static int filled(const char* name, const char* pattern) {
  int same = strlen(name) == strlen(pattern) && !strstr(name, "XXXXXX");
  for (const char* at = name; *pattern; ++at, ++pattern) {
    if (*pattern != 'X' && *at != *pattern) same = 0;
  }
  return same && access(name, F_OK) == 0;
}

static void check_temporaries(void) {
  char one[] = "oneXXXXXX", two[] = "twoXXXXXX.c", three[] = "./threeXXXXXX";
  char four[] = "fourXXXXXX.c", five[] = "fiveXXXXXX", six[] = "sixXXXXXX", bad[] = "XX";
  CHECK(close(mkstemp(one)) == 0 && filled(one, "oneXXXXXX") && unlink(one) == 0);
  CHECK(close(mkstemps(two, 2)) == 0 && filled(two, "twoXXXXXX.c") && unlink(two) == 0);
  CHECK(close(mkostemp(three, O_CLOEXEC)) == 0);
  CHECK(filled(three, "./threeXXXXXX") && unlink(three) == 0);
  CHECK(close(mkostemps64(four, 2, 0)) == 0 && filled(four, "fourXXXXXX.c") && unlink(four) == 0);
  CHECK(mkdtemp(five) == five && filled(five, "fiveXXXXXX") && rmdir(five) == 0);
  CHECK(mkdtemp(bad) == NULL && errno == EINVAL && !strcmp(bad, "XX"));
  close(mkstemp64(six));
  CHECK(filled(six, "sixXXXXXX") && unlink(six) == 0);
}

/* What walks have found, in any order. */
static int found, wrong;

static int count(const char* path, const struct stat* status, int type) {
  const int known = !strcmp(path, ".") || !strcmp(path, "./file") || !strcmp(path, "./sub") ||
                    !strcmp(path, "./sub/inner");
  struct stat again;
  ++found;
  wrong += !known || type == FTW_NS || stat(path, &again) != 0 || again.st_ino != status->st_ino;
  sched_yield();
  return 0;
}

static int count_placed(const char* path, const struct stat* status, int type, struct FTW* place) {
  const char* base = strrchr(path, '/');
  base = base ? base + 1 : path;
  wrong += path + place->base != base;
  return count(path, status, type);
}

static int count_bases(const char* path, const struct stat* status, int type, struct FTW* place) {
  struct stat again;
  ++found;
  wrong +=
      type == FTW_NS || lstat(path + place->base, &again) != 0 || again.st_ino != status->st_ino;
  sched_yield();
  return 0;
}

static int no_dots(const struct dirent* entry) { return entry->d_name[0] != '.'; }

static void check_walks(void) {
  char room[PATH_MAX];
  struct dirent** names = NULL;
  glob_t matches;
  CHECK(mkdir("sub", 0700) == 0 && close(open("sub/inner", O_CREAT | O_WRONLY, 0600)) == 0);
  CHECK(scandir(".", &names, no_dots, alphasort) == 2);
  CHECK(!strcmp(names[0]->d_name, "file") && !strcmp(names[1]->d_name, "sub"));
  CHECK(scandirat(AT_FDCWD, "sub", &names, no_dots, alphasort) == 1);
  CHECK(glob("*", 0, NULL, &matches) == 0 && matches.gl_pathc == 2);
  CHECK(!strcmp(matches.gl_pathv[0], "file") && (matches.gl_flags & GLOB_ALTDIRFUNC) == 0);
  CHECK(glob("s*/inn?r", GLOB_APPEND, NULL, &matches) == 0 && matches.gl_pathc == 3);
  CHECK(!strcmp(matches.gl_pathv[2], "sub/inner"));
  globfree(&matches);
  CHECK(glob("absent*", 0, NULL, &matches) == GLOB_NOMATCH);
  CHECK(ftw(".", count, 8) == 0 && found == 4 && wrong == 0);
  found = 0;
  CHECK(nftw(".", count_placed, 8, FTW_PHYS) == 0 && found == 4 && wrong == 0);
  found = 0;
  CHECK(nftw("sub/", count_bases, 8, FTW_PHYS | FTW_CHDIR) == 0 && found == 2 && wrong == 0);
  CHECK(getcwd(room, sizeof room) && !strcmp(room, here));
  CHECK(ftw("absent", count, 8) == -1 && errno == ENOENT);
  CHECK(unlink("sub/inner") == 0 && rmdir("sub") == 0);
}

int main(void) {
  if (!mkdtemp(here) || chdir(here) != 0) return 1;
  sched_yield();
  FILE* file = fopen("file", "w");
  fprintf(file, "text");
  fclose(file);
  check_directory();
  check_links();
  check_attributes();
  check_at();
  check_temporaries();
  check_walks();
  CHECK(unlink("file") == 0 && chdir("..") == 0 && rmdir(here) == 0);
  printf("done\n");
  return 0;
}
