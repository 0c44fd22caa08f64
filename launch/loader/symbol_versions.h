// The versions of an ELF file's symbols.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "launch/loader/elf_file.h"

namespace launch {

/// What a file says of versions; what it leads outside of throws LoadError, as ElfFile does.
class SymbolVersions {
 public:
  explicit SymbolVersions(const ElfFile& file);

  /// The version that symbol number `index` refers to, or that it defines; empty if it has none.
  std::string of(std::uint64_t index) const;
  /// True for a definition that only references of its version find.
  bool is_hidden(std::uint64_t index) const;

 private:
  std::uint16_t number(std::uint64_t index) const;

  const ElfFile& file_;
  std::map<std::uint16_t, std::string> names_;
};

}  // namespace launch
