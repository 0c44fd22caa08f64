// The libraries that a program's copies open while they run, each read once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "launch/loader/image_file.h"
#include "launch/loader/library_search.h"

namespace launch {

/// Libraries as their copies get them, for all copies of a program: made at the first one's
/// dlopen(), and kept. A file that has changed since is another library.
class LibraryImages {
 public:
  struct Library {
    explicit Library(ImageFile file) : image(std::move(file)) {}
    /// Private libraries have the numbers of `needs` here.
    ImageFile image;
    std::vector<std::string> needs;  ///< paths of its private libraries
  };

  /// The library at `path`, which `program` opens, or another one at `opened` needs. Libraries are
  /// looked for as `search` and the run paths say. Throws LoadError, which names `opened`.
  const Library& read(const std::string& path, const std::string& opened,
                      const LibrarySearch& search, const ElfFile& program);

 private:
  /// The path, and what tells one file from another there: file system, number, size, time.
  using Key = std::tuple<std::string, std::uint64_t, std::uint64_t, std::int64_t, std::int64_t,
                         std::int64_t>;
  static Key key_of(const std::string& path);

  std::map<Key, Library> libraries_;
};

}  // namespace launch
