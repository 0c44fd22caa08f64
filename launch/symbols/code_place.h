// Where code is: a file of the program, and the place in it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct link_map;

namespace launch {

/// The last byte of a call.
struct CodePlace {
  std::string file;
  std::uint64_t offset = 0;  ///< address as the file has it: what addr2line takes
  bool operator==(const CodePlace&) const = default;
};

/// Of a path.
std::string_view file_name(std::string_view path);

/// The file that code at `address` comes from, if it is a private copy of it; else empty.
using OriginalFile = std::function<std::string(const void* address)>;

/// Finds places of the program in calling contexts; knows the process's files after the first ones.
class PlaceFinder {
 public:
  PlaceFinder();
  /// Of the return addresses `context`, innermost first, the innermost that lie in the program or
  /// in its libraries: not in Castor's, and not in those of the C, C++ and Fortran languages.
  std::vector<CodePlace> find(std::span<void* const> context, const OriginalFile& original = {});

 private:
  const std::string& file_of(const link_map& module, const void* address,
                             const OriginalFile& original);
  bool is_foreign(const std::string& path);

  std::string own_directory_;                     ///< of Castor's libraries
  std::map<std::string, bool> foreign_;           ///< by path: whether it is not the program's
  std::map<const link_map*, std::string> files_;  ///< of modules that are no copies
  std::string copied_;                            ///< the file of the copy asked for last
};

/// Places as marks in a text. The process that prints the text turns them into names; it may be
/// another one than the process that has made it.
std::string marked(const std::vector<CodePlace>& places);
constexpr char place_begins = '\x03';
constexpr char place_ends = '\x04';

/// What is said of places: " at ring.c:41 (main)".
using SayPlaces = std::function<std::string(const std::vector<CodePlace>& places)>;
/// `text` with each run of marked places replaced by what `say` makes of them.
std::string with_places(std::string_view text, const SayPlaces& say);

/// What is said without names: " at ring+0x12ab".
std::string plain_text(const std::vector<CodePlace>& places);

}  // namespace launch
