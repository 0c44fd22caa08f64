// Reads the libraries that a program's copies open.
#include "launch/loader/library_images.h"

#include <sys/stat.h>

#include <utility>

#include "launch/loader/load_error.h"
#include "launch/loader/needed_libraries.h"

namespace launch {

LibraryImages::Key LibraryImages::key_of(const std::string& path) {
  struct stat file {};
  stat(path.c_str(), &file);  // what is not there, reading complains of
  return {path, file.st_dev, file.st_ino, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec};
}

const LibraryImages::Library& LibraryImages::read(const std::string& path,
                                                  const std::string& opened,
                                                  const LibrarySearch& search,
                                                  const ElfFile& program) {
  const Key key = key_of(path);
  if (const auto known = libraries_.find(key); known != libraries_.end()) return known->second;
  ElfFile file = ElfFile::read(path);
  if (const std::string reason = other_mpi(file); !reason.empty()) throw LoadError(opened, reason);
  Library library{ImageFile(std::move(file))};
  const std::string name = path.substr(path.rfind('/') + 1);
  if (library.image.needs_tls_room() || is_openmp(name)) {
    throw LoadError(opened, "needs " + name +
                                ", which has to be there from the start; link the program with it, "
                                "too");
  }
  const LibrarySearch own = with_run_paths(search, library.image.elf(), program);
  for (const NeededLibrary& needed : private_libraries_of(library.image, opened, own)) {
    library.image.rename_needed(needed.name, library.needs.size());
    library.needs.push_back(needed.path);
  }
  library.image.share_constant_parts();
  return libraries_.emplace(key, std::move(library)).first->second;
}

}  // namespace launch
