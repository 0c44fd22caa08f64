// Functions of a program's own files that stand before those of Castor's libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "launch/loader/image_file.h"

namespace launch {

/// The dynamic loader looks for a copy's symbols in the launcher first, and so finds MPI_Send in
/// Castor's library even where a tool's library comes before that one, as in a process of its own.
/// This says which references of a copy are the tool's. (What the launcher itself defines stays
/// before all: it stands for what a process owns.)
class Interposition {
 public:
  /// `files` in the order in which a process would search them: the program, then its private
  /// libraries, of which the first `preloaded` stand before all. `needs` has of each file the
  /// numbers of its private libraries, less 1, in the order of ElfFile::needed().
  Interposition(const std::vector<ImageFile>& files,
                const std::vector<std::vector<std::size_t>>& needs, std::size_t preloaded);

  /// A reference at `address` of a file, which is to have the address `definition` of file
  /// `number`. Both addresses are relative to where the files are loaded.
  struct Use {
    std::uint64_t address;
    std::size_t number;
    std::uint64_t definition;
  };
  /// Those of a file of the copy, or one that it opens.
  std::vector<Use> uses_in(const ElfFile& file) const;

 private:
  struct Definition {
    std::size_t number;
    std::uint64_t address;
  };
  void find_order(const std::vector<ImageFile>& files,
                  const std::vector<std::vector<std::size_t>>& needs, std::size_t preloaded);
  bool stands_before(std::size_t number, const std::string& name) const;

  /// How many of the files come before each of Castor's libraries.
  std::map<std::string, std::size_t> files_before_;
  std::map<std::string, Definition> definitions_;
};

}  // namespace launch
