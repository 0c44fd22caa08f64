// One ELF file read into memory, with every access checked against its bounds.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace launch {

/// A dynamic 64-bit x86-64 ELF file: its headers, dynamic section, symbols and relocations.
/// What read() returns has passed check_elf(). Everything that leads outside the file throws
/// LoadError ("damaged ELF file").
class ElfFile {
 public:
  /// Reads and checks `path`. Throws LoadError if it cannot be read or is no ELF64 x86-64 file
  /// that a dynamic loader could take.
  static ElfFile read(const std::string& path);

  const std::string& path() const { return path_; }
  const Elf64_Ehdr& header() const { return header_; }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  bool has_segment(std::uint32_t type) const;
  /// Lowest and highest (exclusive) address of what is mapped, relative to the load address.
  std::uint64_t lowest_address() const { return lowest_; }
  std::uint64_t highest_address() const { return highest_; }

  /// Value of a dynamic entry, the last one if there are several, as for the dynamic loader;
  /// nothing if there is none.
  std::optional<std::uint64_t> dynamic(std::int64_t tag) const;
  /// The dynamic section's entries, with the file offset of each.
  const std::vector<std::pair<std::uint64_t, Elf64_Dyn>>& dynamic_entries() const {
    return dynamic_;
  }
  /// String at `offset` of the dynamic string table, and where that string lies in the file.
  std::string string(std::uint64_t offset) const;
  std::uint64_t string_file_offset(std::uint64_t offset) const;
  /// Names of the libraries it needs, in order.
  std::vector<std::string> needed() const;
  /// The string of a dynamic entry (DT_SONAME, DT_RUNPATH, ...), or empty.
  std::string dynamic_string(std::int64_t tag) const;

  struct Symbol {
    std::string name;
    Elf64_Sym entry;
    std::uint64_t file_offset;
  };
  /// The dynamic symbol number `index`.
  Symbol symbol(std::uint64_t index) const;
  /// Number of dynamic symbols (from the hash tables: section headers may be stripped).
  std::uint64_t symbol_count() const;
  /// True if that is the name of the dynamic symbol number `index`.
  bool is_named(std::uint64_t index, const std::string& name) const;
  /// The definition of `name`, if the file defines it.
  std::optional<Elf64_Sym> definition(const std::string& name) const;
  /// Calls `visit` for every relocation of the tables DT_RELA and DT_JMPREL.
  void for_each_relocation(const std::function<void(const Elf64_Rela&)>& visit) const;
  /// The same for those with a symbol.
  void for_each_symbol_relocation(const std::function<void(const Elf64_Rela&)>& visit) const;
  /// Calls `visit(type, description)` for every note of `owner`.
  void for_each_note(const std::string& owner,
                     const std::function<void(std::uint32_t, const std::string&)>& visit) const;

  /// The file's bytes up to the end of what is mapped (debug information is left out).
  std::vector<std::byte> loadable_bytes() const;
  /// File offset of address `address`; throws if it is not in the file.
  std::uint64_t file_offset(std::uint64_t address) const;
  /// The value at an offset of the file.
  template <typename T>
  T at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) damaged("cut short");
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }
  /// Throws LoadError, which says what is wrong.
  [[noreturn]] void damaged(const char* what) const;

 private:
  explicit ElfFile(std::string path) : path_(std::move(path)) {}
  void check_identity() const;
  void read_segments();
  void read_dynamic();
  std::uint64_t gnu_hash_symbol_count(std::uint64_t table) const;

  std::string path_;
  std::vector<std::byte> bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<std::pair<std::uint64_t, Elf64_Dyn>> dynamic_;
  std::uint64_t lowest_ = 0;
  std::uint64_t highest_ = 0;
};

}  // namespace launch
