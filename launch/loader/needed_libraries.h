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

/// `search` with the run paths that `file` and the program's own `outer` hand on.
LibrarySearch with_run_paths(LibrarySearch search, const ElfFile& file, const ElfFile& outer);

bool loaded_in_launcher(const std::string& name);

}  // namespace launch
