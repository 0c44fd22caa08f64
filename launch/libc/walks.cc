// Interposed libc: functions that list directories, or walk through them, from the rank's own.
#include <dirent.h>
#include <ftw.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <utility>

#include "launch/libc/seen_path.h"
#include "launch/libc/sequence_state.h"
#include "launch/libc/walk.h"

using launch::RankProgram;
using launch::real_function;
using launch::running_program_or_null;
using launch::SeenPath;
using launch::Walk;

namespace launch {

/// Makes it the rank's present one while the object lives: the functions that libc calls for each
/// file are told nothing of the rank that walks.
class WalkScope {
 public:
  explicit WalkScope(RankProgram& program, Walk& walk)
      : present_(sequence_state(program).walk), before_(std::exchange(present_, &walk)) {}
  ~WalkScope() { present_ = before_; }
  WalkScope(const WalkScope&) = delete;
  WalkScope& operator=(const WalkScope&) = delete;

 private:
  Walk*& present_;
  Walk* before_;
};

}  // namespace launch

namespace {

Walk& present_walk() { return *launch::sequence_state(*running_program_or_null()).walk; }

int visit(const char* path, const struct stat* status, int type) {
  const Walk& walk = present_walk();
  return walk.visit(path + walk.prefix, status, type);
}

int visit_place(const char* path, const struct stat* status, int type, FTW* place) {
  const Walk& walk = present_walk();
  if (walk.changes_directory) {
    const std::string parent(path, static_cast<std::size_t>(place->base));
    if (chdir(parent.c_str()) != 0) return -1;
  }
  FTW seen = *place;
  seen.base -= static_cast<int>(walk.prefix);
  return walk.visit_place(path + walk.prefix, status, type, &seen);
}

void* open_seen(const char* path) { return opendir(path); }
void close_seen(void* directory) { closedir(static_cast<DIR*>(directory)); }
dirent* read_seen(void* directory) { return readdir(static_cast<DIR*>(directory)); }

}  // namespace

extern "C" {

DIR* opendir(const char* path) {
  return real_function<DIR*(const char*)>("opendir")(SeenPath(path).get());
}

using Filter = int(const dirent*);
using Order = int(const dirent**, const dirent**);

int scandir(const char* __restrict path, dirent*** __restrict list, Filter* filter, Order* order) {
  return real_function<int(const char*, dirent***, Filter*, Order*)>("scandir")(
      SeenPath(path).get(), list, filter, order);
}

int scandirat(int directory, const char* __restrict path, dirent*** __restrict list, Filter* filter,
              Order* order) {
  return real_function<int(int, const char*, dirent***, Filter*, Order*)>("scandirat")(
      directory, SeenPath(directory, path).get(), list, filter, order);
}

// The 64-bit structures are the same by another name.
using Filter64 = int(const dirent64*);
using Order64 = int(const dirent64**, const dirent64**);

int scandir64(const char* __restrict path, dirent64*** __restrict list, Filter64* filter,
              Order64* order) {
  return scandir(path, reinterpret_cast<dirent***>(list), reinterpret_cast<Filter*>(filter),
                 reinterpret_cast<Order*>(order));
}

int scandirat64(int directory, const char* __restrict path, dirent64*** __restrict list,
                Filter64* filter, Order64* order) {
  return scandirat(directory, path, reinterpret_cast<dirent***>(list),
                   reinterpret_cast<Filter*>(filter), reinterpret_cast<Order*>(order));
}

/// Has libc look through our functions, so that what it finds is named as the pattern is.
int glob(const char* __restrict pattern, int flags, int (*complain)(const char*, int),
         glob_t* __restrict result) noexcept {
  const RankProgram* program = running_program_or_null();
  const bool resolves = program != nullptr && program->moved() && (flags & GLOB_ALTDIRFUNC) == 0;
  if (resolves) {
    flags |= GLOB_ALTDIRFUNC;
    result->gl_opendir = open_seen;
    result->gl_readdir = read_seen;
    result->gl_closedir = close_seen;
    result->gl_stat = stat;
    result->gl_lstat = lstat;
  }
  static const auto real =
      real_function<int(const char*, int, int (*)(const char*, int), glob_t*)>("glob");
  const int found = real(pattern, flags, complain, result);
  if (resolves) result->gl_flags &= ~GLOB_ALTDIRFUNC;
  return found;
}

int glob64(const char* __restrict pattern, int flags, int (*complain)(const char*, int),
           glob64_t* __restrict result) noexcept {
  return glob(pattern, flags, complain, reinterpret_cast<glob_t*>(result));
}

int ftw(const char* path, __ftw_func_t function, int descriptors) {
  static const auto real = real_function<int(const char*, __ftw_func_t, int)>("ftw");
  RankProgram* program = running_program_or_null();
  const SeenPath seen(path);
  if (program == nullptr || seen.get() == path) return real(path, function, descriptors);
  Walk walk{std::strlen(seen.get()) - std::strlen(path), function, nullptr, false};
  const launch::WalkScope scope(*program, walk);
  return real(seen.get(), visit, descriptors);
}

int ftw64(const char* path, __ftw64_func_t function, int descriptors) {
  return ftw(path, reinterpret_cast<__ftw_func_t>(function), descriptors);
}

int nftw(const char* path, __nftw_func_t function, int descriptors, int flags) {
  static const auto real = real_function<int(const char*, __nftw_func_t, int, int)>("nftw");
  RankProgram* program = running_program_or_null();
  if (program == nullptr) return real(path, function, descriptors, flags);
  // libc would change the directory of all ranks: the rank's own is changed in its place.
  const bool changes = (flags & FTW_CHDIR) != 0;
  const std::string seen = changes || program->moved() ? program->resolve(path) : path;
  Walk walk{seen.size() - std::strlen(path), nullptr, function, changes};
  const launch::WalkScope scope(*program, walk);
  const std::string before = program->directory();
  const int result = real(seen.c_str(), visit_place, descriptors, flags & ~FTW_CHDIR);
  if (changes) program->set_directory(before);
  return result;
}

int nftw64(const char* path, __nftw64_func_t function, int descriptors, int flags) {
  return nftw(path, reinterpret_cast<__nftw_func_t>(function), descriptors, flags);
}

}  // extern "C"
