// The dynamic loader's search: run path, LD_LIBRARY_PATH, ld.so.cache, default directories.
#include "launch/loader/library_search.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

namespace launch {
namespace {

bool readable(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

std::string directory_of(const std::string& file) {
  std::array<char, PATH_MAX> resolved{};
  const std::string path = realpath(file.c_str(), resolved.data()) ? resolved.data() : file;
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

void replace_all(std::string& text, std::string_view what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

/// What /etc/ld.so.cache says; empty if it says nothing or is of another format.
std::string find_in_cache(const std::string& name) {
  std::ifstream file("/etc/ld.so.cache", std::ios::binary);
  const std::string cache((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  constexpr std::string_view magic = "glibc-ld.so.cache1.1";
  constexpr std::size_t header_bytes = 48;
  constexpr std::size_t entry_bytes = 24;
  constexpr std::uint32_t x86_64_library = 0x0303;
  if (cache.size() < header_bytes || cache.compare(0, magic.size(), magic) != 0) return {};
  const auto word = [&cache](std::size_t at) {
    std::uint32_t value = 0;
    if (at + sizeof(value) <= cache.size()) std::memcpy(&value, cache.data() + at, sizeof(value));
    return value;
  };
  const auto text = [&cache](std::size_t at) {
    return at < cache.size() ? std::string_view(cache).substr(at, cache.find('\0', at) - at)
                             : std::string_view();
  };
  const std::uint32_t count = word(magic.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t entry = header_bytes + i * entry_bytes;
    if (entry + entry_bytes > cache.size()) break;
    if (word(entry) != x86_64_library || text(word(entry + 4)) != name) continue;
    std::string path(text(word(entry + 8)));
    if (readable(path)) return path;
  }
  return {};
}

constexpr std::array shared_names{
    // The C and C++ run-time libraries: the launcher interposes what a process owns.
    "libc.so.6", "libm.so.6", "libmvec.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1",
    "libutil.so.1", "libresolv.so.2", "libanl.so.1", "libgcc_s.so.1", "libstdc++.so.6",
    "libatomic.so.1", "ld-linux-x86-64.so.2",
    // No state of one program.
    "libfmt.so.9", "libquadmath.so.0"};

/// Ours that are shared: everything of a rank hangs off its Process.
constexpr std::array own_shared_names{
    "libcorespec.so",   "libcastor_ugni.so", "libugni.so",    "libugni.so.0",    "libdmapp.so",
    "libdmapp.so.1",    "libpmi.so",         "libpmi.so.0",   "libmpi.so.12",    "libmpi.so",
    "libarmci.so",      "libarmci.so.1",     "libalpslli.so", "libalpslli.so.0", "libalpsutil.so",
    "libalpsutil.so.0", "librca.so",         "librca.so.0",   "libudreg.so",     "libudreg.so.0",
    "libgpcd.so",       "libgpcd.so.0"};
/// Ours of which each copy has its own.
constexpr std::array own_private_names{"libmpifort.so", "libmpifort.so.12", "libcastor_papi.so",
                                       "libcastor_papi.so.0"};

template <typename Names>
bool is_in(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_own(const std::string& name) {
  return is_in(own_shared_names, name) || is_in(own_private_names, name);
}

}  // namespace

std::string own_library_directory() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  const std::string program(path.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return directory_of(directory_of(program)) + "/" CASTOR_LIBRARY_FOLDER;
}

std::vector<std::string> search_directories(const std::string& path, const std::string& file) {
  std::vector<std::string> directories;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    std::string directory = path.substr(begin, end - begin);
    if (directory.find("$ORIGIN") != std::string::npos ||
        directory.find("${ORIGIN}") != std::string::npos) {
      const std::string origin = directory_of(file);
      replace_all(directory, "$ORIGIN", origin);
      replace_all(directory, "${ORIGIN}", origin);
    }
    directories.push_back(directory.empty() ? "." : directory);
    begin = end + 1;
  }
  return directories;
}

std::string find_library(const ElfFile& loader, const std::string& name,
                         const LibrarySearch& search) {
  if (name.find('/') != std::string::npos) return readable(name) ? name : std::string();
  if (std::string path = search.own + "/" + name; is_own(name) && readable(path)) return path;
  std::vector<std::string> directories;
  const std::string run_path = loader.dynamic_string(DT_RUNPATH);
  if (run_path.empty()) directories = search.inherited;
  directories.insert(directories.end(), search.from_environment.begin(),
                     search.from_environment.end());
  const auto own = search_directories(run_path, loader.path());
  directories.insert(directories.end(), own.begin(), own.end());
  for (const std::string& directory : directories) {
    if (std::string path = directory + "/" + name; readable(path)) return path;
  }
  if (std::string path = find_in_cache(name); !path.empty()) return path;
  for (const char* directory : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64",
                                "/usr/lib64", "/lib", "/usr/lib"}) {
    if (std::string path = std::string(directory) + "/" + name; readable(path)) return path;
  }
  return {};
}

bool safe_to_share(const std::string& name) {
  return is_in(shared_names, name) || is_in(own_shared_names, name);
}

bool is_own_shared(const std::string& name) { return is_in(own_shared_names, name); }

std::string other_mpi(const ElfFile& file) {
  // Tools define MPI_Init, too, but not the function that theirs calls.
  if (!file.definition("PMPI_Init")) return {};
  return "takes MPI_Init from " + file.path() +
         ", whose ranks would each be alone; link it with Castor's mpicc, or without what leads "
         "there";
}

std::string other_mpi_name(const std::string& name) {
  for (const std::string_view prefix :
       {"libmpi.so.40", "libmpi.so.20", "libopen-rte.so", "libopen-pal.so"}) {
    if (name.compare(0, prefix.size(), prefix) == 0) {
      return "built for Open MPI (" + name + "); build it with Castor's mpicc or with MPICH";
    }
  }
  return {};
}

bool is_openmp(const std::string& name) {
  constexpr std::array<std::string_view, 3> names{"libgomp.so", "libomp.so", "libiomp5.so"};
  return std::any_of(names.begin(), names.end(), [&name](std::string_view beginning) {
    return name.compare(0, beginning.size(), beginning) == 0;
  });
}

std::string not_for_shared_images(const std::string& name) {
  const bool papi = name.starts_with("libcastor_papi.so");
  if (!papi && !is_openmp(name)) return {};
  return "declares CORESPEC_SHARED_IMAGE, and ranks cannot share " + name +
         (papi ? " (PAPI)" : " (OpenMP)") + "; build it without one of the two";
}

std::string library_not_found(const std::string& name) {
  return "needs " + name + ", which is not found; set LD_LIBRARY_PATH or link with -Wl,-rpath";
}

std::string reason_to_refuse(const std::string& name) {
  const auto starts = [&name](std::string_view prefix) {
    return name.compare(0, prefix.size(), prefix) == 0;
  };
  if (starts("libasan.so") || starts("libtsan.so") || starts("liblsan.so")) {
    return "built with a sanitizer, which owns the whole process; build it without -fsanitize";
  }
  if (std::string other = other_mpi_name(name); !other.empty()) return other;
  if (starts("libcastor_launch.so")) {
    return "makes a machine of its own, as aprun does; name the program that is to run on this one";
  }
  return {};
}

std::string canonical_library_name(const std::string& name) {
  if (name == "libmpich.so.12") return "libmpi.so.12";
  return name == "libmpichfort.so.12" ? "libmpifort.so.12" : name;
}

}  // namespace launch
