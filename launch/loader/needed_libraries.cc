// Finds the libraries that a file needs, and loads those that all ranks share.
#include "launch/loader/needed_libraries.h"

#include <dlfcn.h>

#include <algorithm>
#include <set>

#include "launch/loader/load_error.h"

namespace launch {
namespace {

/// Loads a library that all copies share. They find it by its name, as one that is there: run
/// paths, which lead to it, are taken out of copies.
void load_in_launcher(const std::string& file) {
  if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) throw LoadError(file, dlerror());
}

}  // namespace

bool loaded_in_launcher(const std::string& name) {
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

LoadedDefinitions::LoadedDefinitions(const std::vector<const ElfFile*>& files) {
  std::set<std::string> names;
  for (const ElfFile* file : files) {
    for (const std::string& needed : file->needed()) names.insert(canonical_library_name(needed));
  }
  for (const std::string& name : names) {
    if (!safe_to_share(name)) continue;
    void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (handle != nullptr) shared_.push_back(handle);
  }
  handles_ = shared_;
  handles_.push_back(RTLD_DEFAULT);
}

LoadedDefinitions::~LoadedDefinitions() {
  for (void* handle : shared_) dlclose(handle);
}

bool LoadedDefinitions::have(const std::string& name, const std::string& version) const {
  return std::any_of(handles_.begin(), handles_.end(), [&](void* handle) {
    return dlsym(handle, name.c_str()) != nullptr ||
           (!version.empty() && dlvsym(handle, name.c_str(), version.c_str()) != nullptr);
  });
}

LibrarySearch with_run_paths(LibrarySearch search, const ElfFile& file, const ElfFile& outer) {
  for (const ElfFile* with_path : {&file, &outer}) {
    const auto inherited =
        search_directories(with_path->dynamic_string(DT_RPATH), with_path->path());
    search.inherited.insert(search.inherited.end(), inherited.begin(), inherited.end());
  }
  return search;
}

std::vector<NeededLibrary> private_libraries_of(ImageFile& file, const std::string& program,
                                                const LibrarySearch& search) {
  std::vector<NeededLibrary> libraries;
  const std::string path = file.elf().path();
  for (const std::string& needed : file.elf().needed()) {
    const std::string name = canonical_library_name(needed);
    if (const std::string reason = reason_to_refuse(name); !reason.empty()) {
      throw LoadError(program, reason);
    }
    if (name != needed) file.rename_needed(needed, name);
    if (safe_to_share(name) && loaded_in_launcher(name)) continue;
    const std::string library = find_library(file.elf(), name, search);
    if (library.empty()) {
      throw LoadError(program, (path == program ? "" : path + " ") + library_not_found(name));
    }
    if (safe_to_share(name)) {
      load_in_launcher(library);
    } else {
      libraries.push_back({needed, library});
    }
  }
  return libraries;
}

}  // namespace launch
