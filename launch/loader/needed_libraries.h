// What a file needs: libraries that all ranks share, and those that each copy has of its own.
#pragma once

#include <string>
#include <vector>

#include "launch/loader/image_file.h"
#include "launch/loader/library_search.h"

namespace launch {

/// A library that copies have of their own, by the name under which a file needs it.
struct NeededLibrary {
  std::string name;
  std::string path;
};

/// Lets `file` find what it needs of what all ranks share, which is loaded if it is not, and
/// returns the rest. Throws LoadError, which names `program`, if one is missing or unsuitable.
std::vector<NeededLibrary> private_libraries_of(ImageFile& file, const std::string& program,
                                                const LibrarySearch& search);

/// What files that are still to be loaded will find: in the launcher, whose libraries come first,
/// and in the libraries that they need and all ranks share.
class LoadedDefinitions {
 public:
  /// The libraries have been loaded (private_libraries_of()).
  explicit LoadedDefinitions(const std::vector<const ElfFile*>& files);
  ~LoadedDefinitions();
  LoadedDefinitions(const LoadedDefinitions&) = delete;
  LoadedDefinitions& operator=(const LoadedDefinitions&) = delete;

  /// They will also find what `handle`, of dlopen(), has.
  void add(void* handle) { handles_.push_back(handle); }
  /// `version` may be empty.
  bool have(const std::string& name, const std::string& version) const;

 private:
  std::vector<void*> shared_;   ///< to be closed
  std::vector<void*> handles_;  ///< all
};

/// `search` with the run paths that `file` and the program's own `outer` hand on.
LibrarySearch with_run_paths(LibrarySearch search, const ElfFile& file, const ElfFile& outer);

bool loaded_in_launcher(const std::string& name);

}  // namespace launch
