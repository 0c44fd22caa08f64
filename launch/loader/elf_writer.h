// Writes shared objects that are made up here, for the dynamic loader.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace launch {

/// A shared object: what it needs, and what it has behind its tables. Places are counted from the
/// first byte behind these, a page's.
struct MadeLibrary {
  /// Files that are loaded with it, in this order, and find each other's symbols. Their own
  /// libraries are looked for in `directory`.
  std::vector<std::string> needed;
  std::string directory;

  struct Symbol {
    std::string name;
    unsigned char binding = STB_GLOBAL;
    unsigned char type = STT_NOTYPE;
    bool defined = false;
    std::uint64_t place = 0;
    std::uint64_t bytes = 0;
  };
  std::vector<Symbol> symbols;

  /// A word that becomes the address of symbol number `symbol` (counted from 0).
  struct Address {
    std::uint64_t place;
    std::size_t symbol;
  };
  std::vector<Address> addresses;

  /// Lies at a page's begin, one behind the other; zeros follow `content` up to `bytes`.
  struct Segment {
    std::uint32_t rights = 0;  ///< PF_R, PF_W, PF_X
    std::vector<std::byte> content;
    std::uint64_t bytes = 0;
  };
  std::vector<Segment> segments;
};

/// The place of the segment that would be added next.
std::uint64_t next_place(const MadeLibrary& library);

/// The file's bytes.
std::vector<std::byte> write_elf(const MadeLibrary& library);

}  // namespace launch
