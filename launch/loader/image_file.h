// One file of a program (itself or a library it brings along), prepared for private copies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "launch/loader/elf_file.h"

namespace launch {

/// Variables of libc that a program sees as its own memory. Each rank needs its own.
enum class LibcVariable : std::uint8_t {
  optarg,
  optind,
  opterr,
  optopt,
  environ,
  invocation_name,
  invocation_short_name,
  signgam,
  timezone,
  daylight,
  tzname,
  count
};

/// What the dynamic section says of constructors and destructors; addresses are relative to the
/// load address, array sizes count functions.
struct Initializers {
  std::uint64_t init = 0, fini = 0;
  std::uint64_t preinit_array = 0, preinit_count = 0;
  std::uint64_t init_array = 0, init_count = 0;
  std::uint64_t fini_array = 0, fini_count = 0;
};

/// The bytes of a file as its copies get them: constructors and destructors taken out of the
/// dynamic section, marks that keep dlopen from loading it cleared, symbols unique to a process
/// made ordinary. What differs between copies (names of private libraries) is written per copy.
class ImageFile {
 public:
  explicit ImageFile(ElfFile file);
  ImageFile(ImageFile&& other) noexcept;
  ImageFile(const ImageFile&) = delete;
  ImageFile& operator=(const ImageFile&) = delete;
  ~ImageFile();

  const ElfFile& elf() const { return elf_; }
  const Initializers& initializers() const { return initializers_; }

  /// What a copy's thread-local variables take, at most.
  std::uint64_t thread_local_bytes() const;
  /// They lie in a block of the thread's that is as large as it was when the process began.
  bool needs_tls_room() const;

  /// Lets the copies ask for private library number `library` by a name of the copy's own where
  /// the file asks for `name`.
  void rename_needed(const std::string& name, std::size_t library);
  /// Replaces the needed name `name` in all copies.
  void rename_needed(const std::string& name, const std::string& other);
  /// Makes the dynamic loader look for names without a slash in /proc/self/fd.
  void search_in_open_files();
  /// Keeps one copy of what no rank changes, if that is worth the mappings. Call it last.
  void share_constant_parts();

  /// A new memory file with the copy's bytes; `library_files` are the descriptors of private
  /// libraries, by the numbers that rename_needed() was given. Throws LoadError if the system
  /// refuses.
  int make_copy(const std::vector<int>& library_files) const;
  /// Maps what no rank changes from the shared copy over the private one loaded at `base` from
  /// `copy`, and gives the private one's memory back.
  void map_constant_parts(std::uintptr_t base, int copy) const;

  /// Where the file refers to a libc variable: as storage of its own (a copy relocation) or
  /// through a pointer that the dynamic loader fills in.
  struct VariableUse {
    LibcVariable variable;
    std::uint64_t address;
    bool is_storage;
  };
  const std::vector<VariableUse>& variable_uses() const { return variable_uses_; }

 private:
  struct Renamed {
    std::uint64_t file_offset;
    std::size_t room;
    std::size_t library;
  };

  void prepare_dynamic_section();
  void make_unique_symbols_ordinary();
  void find_variable_uses();
  std::uint64_t needed_name_offset(const std::string& name) const;
  /// Throws LoadError where that is not within the file's loaded part.
  void check_loaded(std::uint64_t file_offset, std::size_t size) const;
  void overwrite(std::uint64_t file_offset, const void* data, std::size_t size);
  void retag(std::uint64_t file_offset, std::int64_t tag);
  bool constant(const Elf64_Phdr& segment) const;

  ElfFile elf_;
  std::vector<std::byte> bytes_;
  Initializers initializers_;
  std::vector<Renamed> renamed_;
  std::vector<VariableUse> variable_uses_;
  std::uint64_t spare_entry_ = 0;  ///< file offset of a dynamic entry that is free for use
  int shared_file_ = -1;           ///< memory file that all copies map their constant parts from
};

}  // namespace launch
