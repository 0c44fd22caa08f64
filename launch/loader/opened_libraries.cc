// dlopen() and dlclose() for one copy of a program.
#include "launch/loader/opened_libraries.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>

#include "launch/loader/library_images.h"
#include "launch/loader/load_error.h"
#include "launch/loader/memory_file.h"
#include "launch/loader/needed_libraries.h"

namespace launch {
namespace {

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool same_file(const std::string& one, const std::string& other) {
  struct stat first {
  }, second{};
  return stat(one.c_str(), &first) == 0 && stat(other.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

constexpr int binding(int mode) { return mode & (RTLD_LAZY | RTLD_NOW); }

}  // namespace

OpenedLibraries::OpenedLibraries(ProgramCopy& copy) : copy_(copy) {
  for (std::size_t i = 0; i < copy.libraries().size(); ++i) {
    File file;
    file.image = &copy.image().private_library(i);
    file.descriptor = copy.libraries()[i].file;
    file.handle = copy.libraries()[i].handle;
    files_.push_back(std::move(file));
  }
}

OpenedLibraries::~OpenedLibraries() = default;

OpenedLibraries::Opened OpenedLibraries::open(const std::string& name, int mode,
                                              const void* caller) {
  const std::string shared = canonical_library_name(last_name(name));
  if (const std::string reason = reason_to_refuse(shared); !reason.empty()) {
    throw LoadError(name, reason);
  }
  if (safe_to_share(shared)) return {open_shared(name, mode, caller), {}};
  const std::string path = find(name, caller);
  const std::size_t number = known(path);
  Opened opened;
  if (number == files_.size()) {
    if ((mode & RTLD_NOLOAD) != 0) return opened;
    add(path);
    load(number, mode);
    opened.constructors = adopt(number);
  }
  File& file = files_[number];
  file.global = file.global || (mode & RTLD_GLOBAL) != 0;
  if ((mode & RTLD_NOLOAD) != 0 && file.opened == 0 && number >= copy_.libraries().size()) {
    return opened;  // closed, for all that the program knows
  }
  ++file.opened;
  opened.handle = file.handle;
  return opened;
}

void* OpenedLibraries::open_shared(const std::string& name, int mode, const void* caller) const {
  std::string library = canonical_library_name(last_name(name));
  if (!loaded_in_launcher(library)) {
    if ((mode & RTLD_NOLOAD) != 0) return nullptr;
    library = find(name, caller);
  }
  void* handle = dlopen(library.c_str(), mode);
  if (handle == nullptr) throw LoadError(name, loader_message());
  return handle;
}

std::string OpenedLibraries::find(const std::string& name, const void* caller) const {
  if (name.find('/') != std::string::npos) {
    if (access(name.c_str(), R_OK) != 0) throw LoadError(name, std::strerror(errno));
    return name;
  }
  for (const File& file : files_) {
    const ElfFile& elf = file.image->elf();
    if (name == elf.dynamic_string(DT_SONAME) || name == last_name(elf.path())) return elf.path();
  }
  const ElfFile& program = copy_.image().program().elf();
  const ImageFile* const asking = copy_.file_at(caller);
  const ElfFile& loader = asking == nullptr ? program : asking->elf();
  std::string path =
      find_library(loader, name, with_run_paths(copy_.image().search(), loader, program));
  if (path.empty()) {
    throw LoadError(name, "not found; set LD_LIBRARY_PATH, or name its folder, too");
  }
  return path;
}

std::size_t OpenedLibraries::known(const std::string& path) const {
  const auto found = std::find_if(files_.begin(), files_.end(), [&](const File& file) {
    return file.image->elf().path() == path || same_file(file.image->elf().path(), path);
  });
  return static_cast<std::size_t>(found - files_.begin());
}

/// The file and those of its libraries that the copy does not have.
void OpenedLibraries::add(const std::string& path) {
  const std::size_t first = files_.size();
  const ProgramImage& program = copy_.image();
  std::vector<const LibraryImages::Library*> added;
  const auto add_one = [&](const std::string& file) {
    const std::string reason =
        program.shared() ? not_for_shared_images(last_name(file)) : std::string();
    if (!reason.empty()) throw LoadError(program.path(), reason);
    added.push_back(&program.opened().read(file, path, program.search(), program.program().elf()));
    File one;
    one.image = &added.back()->image;
    files_.push_back(std::move(one));
  };
  try {
    add_one(path);
    for (std::size_t at = 0; at < added.size(); ++at) {
      for (const std::string& needed : added[at]->needs) {
        const std::size_t number = known(needed);
        if (number == files_.size()) add_one(needed);
        files_[first + at].needs.push_back(number);
      }
    }
  } catch (...) {
    forget(first);
    throw;
  }
}

void OpenedLibraries::forget(std::size_t first) {
  for (std::size_t i = first; i < files_.size(); ++i) {
    if (files_[i].descriptor >= 0) ::close(files_[i].descriptor);
  }
  files_.resize(first);
}

void OpenedLibraries::make_copies(std::size_t first) {
  for (std::size_t i = first; i < files_.size(); ++i) {
    files_[i].descriptor = memfd_create("castor", MFD_CLOEXEC);
    if (files_[i].descriptor < 0) {
      throw LoadError(files_[i].image->elf().path(),
                      "too many open files for a copy; raise 'ulimit -n'");
    }
  }
  for (std::size_t i = first; i < files_.size(); ++i) {
    std::vector<int> descriptors;
    for (const std::size_t needed : files_[i].needs) {
      descriptors.push_back(files_[needed].descriptor);
    }
    const int written = files_[i].image->make_copy(descriptors);
    dup3(written, files_[i].descriptor, O_CLOEXEC);
    ::close(written);
  }
}

/// As the dynamic loader lets a library be opened lazily that calls functions which do not exist.
/// Those that it would look for at once are left to it.
void OpenedLibraries::add_missing_calls(std::size_t first, std::vector<std::string>& paths) {
  std::vector<const ElfFile*> added;
  for (std::size_t i = first; i < files_.size(); ++i) added.push_back(&files_[i].image->elf());
  LoadedDefinitions loaded(added);
  loaded.add(copy_.handle());
  for (std::size_t i = 0; i < first; ++i) {
    if (files_[i].global) loaded.add(files_[i].handle);
  }
  for (std::size_t i = first; i < files_.size(); ++i) {
    for (const std::size_t needed : files_[i].needs) {
      if (needed < first) loaded.add(files_[needed].handle);
    }
  }
  const MissingSymbols missing = find_missing(
      added,
      [&loaded](const std::string& name, const std::string& version) {
        return loaded.have(name, version);
      },
      References::calls);
  std::unique_ptr<MissingLibrary> library = MissingLibrary::make(missing, added.front()->path());
  if (library == nullptr) return;
  paths.push_back(library->path());
  missing_.push_back(std::move(library));
}

/// In a group with the program, which is to find each other's symbols: first the program's.
void OpenedLibraries::load(std::size_t first, int mode) {
  try {
    make_copies(first);
    std::vector<std::string> paths{copy_.name()};
    for (std::size_t i = 0; i < first; ++i) {
      if (files_[i].global) paths.push_back(open_path(files_[i].descriptor));
    }
    paths.push_back(open_path(files_[first].descriptor));
    const bool lazy = (mode & RTLD_LAZY) != 0;
    if (lazy) add_missing_calls(first, paths);
    // What is to be looked for late is there: nothing is left over of which the dynamic loader
    // would end the process.
    copy_.load_group(files_[first].image->elf().path(), paths, lazy ? RTLD_NOW : binding(mode));
  } catch (...) {
    forget(first);
    throw;
  }
  for (std::size_t i = first; i < files_.size(); ++i) {
    File& file = files_[i];
    file.handle = dlopen(open_path(file.descriptor).c_str(), RTLD_NOLOAD | binding(mode));
    try {
      file.image->map_constant_parts(load_address(file.handle), file.descriptor);
    } catch (const LoadError&) {
      // Loaded it is: this copy goes on with more memory than it needs.
    }
  }
}

/// Libraries before those that need them.
std::vector<ProgramCopy::Function> OpenedLibraries::adopt(std::size_t first) {
  std::vector<ProgramCopy::Function> constructors;
  std::vector<bool> visited(files_.size(), false);
  const std::function<void(std::size_t)> visit = [&](std::size_t number) {
    if (number < first || visited[number]) return;
    visited[number] = true;
    for (const std::size_t library : files_[number].needs) visit(library);
    const std::vector<ProgramCopy::Function> own =
        copy_.adopt(*files_[number].image, load_address(files_[number].handle));
    constructors.insert(constructors.end(), own.begin(), own.end());
  };
  visit(first);
  return constructors;
}

bool OpenedLibraries::close(const void* handle) {
  const auto found = std::find_if(files_.begin(), files_.end(),
                                  [handle](const File& file) { return file.handle == handle; });
  if (found == files_.end()) return false;
  if (found->opened == 0) throw LoadError(found->image->elf().path(), "is not open");
  --found->opened;
  return true;
}

}  // namespace launch
