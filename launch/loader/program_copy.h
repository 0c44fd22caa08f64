// One private copy of a program, loaded: its own globals, its own libraries with state.
#pragma once

#include <time.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "launch/loader/program_image.h"

namespace launch {

class OpenedLibraries;

/// Where a copy's libc variables are: in the copy, where it has them, else here.
struct LibcVariables {
  char* own_optarg = nullptr;
  int own_optind = 1, own_opterr = 1, own_optopt = '?';
  char** own_environ = nullptr;
  char* own_name = nullptr;
  char* own_short_name = nullptr;
  int own_signgam = 0;
  long own_timezone = 0;
  int own_daylight = 0;
  std::array<char*, 2> own_tzname{::tzname[0], ::tzname[1]};

  char** optarg = &own_optarg;
  int* optind = &own_optind;
  int* opterr = &own_opterr;
  int* optopt = &own_optopt;
  char*** environ = &own_environ;
  char** name = &own_name;
  char** short_name = &own_short_name;
  int* signgam = &own_signgam;
  long* timezone = &own_timezone;
  int* daylight = &own_daylight;
  char** tzname = own_tzname.data();  ///< two
};

/// A program in memory. Loading runs none of its code but resolvers of indirect functions; its
/// constructors run in RankProgram. A copy stays for the life of the process: destroying the
/// object does not unload it. Load copies from one OS thread, before any of them runs.
class ProgramCopy {
 public:
  /// Loads copy number `number` (each number once per process and image). Throws LoadError, for
  /// example for an undefined symbol.
  static std::unique_ptr<ProgramCopy> load(const ProgramImage& image, std::uint64_t number);

  ~ProgramCopy();

  const ProgramImage& image() const { return *image_; }
  std::uint64_t number() const { return number_; }
  /// The dynamic loader's handle of the program, and its name there.
  void* handle() const { return handle_; }
  const std::string& name() const { return name_; }
  /// The open file and the handle of each private library.
  struct Library {
    int file;
    void* handle;
  };
  const std::vector<Library>& libraries() const { return libraries_; }
  /// Address of the ELF entry point, and what the program's auxiliary vector says of it.
  std::uintptr_t entry() const { return base_ + elf().header().e_entry; }
  std::uintptr_t program_headers() const { return program_headers_; }
  /// The file of the copy (the program, a library of its own) in which `address` lies, or null.
  const ImageFile* file_at(const void* address) const;
  bool contains(const void* address) const { return file_at(address) != nullptr; }
  LibcVariables& variables() { return variables_; }

  using Function = void (*)(int, char**, char**);
  /// Constructors in the order in which they run: the pre-initialisers of the program, those of
  /// its libraries, and apart from them those of the program itself.
  const std::vector<Function>& library_constructors() const { return library_constructors_; }
  const std::vector<Function>& program_constructors() const { return program_constructors_; }
  /// Destructors in the order in which they run.
  const std::vector<void (*)()>& destructors() const { return destructors_; }

  /// Loads the files at `paths`, in this order, as a group in which each finds the symbols of the
  /// others and of the libraries that they need; `path` is the file that errors name. Throws
  /// LoadError.
  void load_group(const std::string& path, const std::vector<std::string>& paths, int mode);

  /// What it opens while it runs.
  OpenedLibraries& opened();
  /// Makes a library that has been loaded at `base` one of the copy's; its destructors run before
  /// those of what was there. Returns its constructors.
  std::vector<Function> adopt(const ImageFile& library, std::uintptr_t base);

  /// True once, for the first caller: whether the copy's constructors are still to be run.
  bool claim_construction() { return !std::exchange(constructed_, true); }

 private:
  ProgramCopy(const ProgramImage& image, std::uint64_t number);
  const ElfFile& elf() const { return image_->program().elf(); }
  void load_files();
  void load_program(int file, const std::vector<int>& libraries);
  /// Of the program (0), or of a private library by its number and 1.
  std::uintptr_t base_of(std::size_t file) const;
  void interpose(const std::vector<Interposition::Use>& uses, const ImageFile& file,
                 std::uintptr_t base);
  void copy_library_data();
  void place_variables(const ImageFile& file, std::uintptr_t base, bool storage);
  void find_constructors();

  struct Part {
    const ImageFile* image;
    std::uintptr_t base;
  };

  const ProgramImage* image_;
  std::uint64_t number_;
  std::uint64_t groups_ = 0;  ///< that have been loaded
  std::string name_;
  void* handle_ = nullptr;
  std::uintptr_t base_ = 0;
  std::uintptr_t program_headers_ = 0;
  std::vector<std::uintptr_t> library_bases_;
  std::vector<Library> libraries_;
  std::vector<Part> parts_;
  std::unique_ptr<OpenedLibraries> opened_;
  LibcVariables variables_;
  std::vector<Function> library_constructors_;
  std::vector<Function> program_constructors_;
  std::vector<void (*)()> destructors_;
  bool constructed_ = false;
};

}  // namespace launch
