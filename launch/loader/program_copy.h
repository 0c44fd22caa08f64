// One private copy of a program, loaded: its own globals, its own libraries with state.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "launch/loader/program_image.h"

namespace launch {

/// Where a copy's libc variables are: in the copy, where it has them, else here.
struct LibcVariables {
  char* own_optarg = nullptr;
  int own_optind = 1, own_opterr = 1, own_optopt = '?';
  char** own_environ = nullptr;
  char* own_name = nullptr;
  char* own_short_name = nullptr;

  char** optarg = &own_optarg;
  int* optind = &own_optind;
  int* opterr = &own_opterr;
  int* optopt = &own_optopt;
  char*** environ = &own_environ;
  char** name = &own_name;
  char** short_name = &own_short_name;
};

/// A program in memory. Loading runs none of its code but resolvers of indirect functions; its
/// constructors run in RankProgram. A copy stays for the life of the process: destroying the
/// object does not unload it. Load copies from one OS thread, before any of them runs.
class ProgramCopy {
 public:
  /// Loads copy number `number` (each number once per process and image). Throws LoadError, for
  /// example for an undefined symbol.
  static std::unique_ptr<ProgramCopy> load(const ProgramImage& image, std::uint64_t number);

  const ProgramImage& image() const { return *image_; }
  /// Address of the ELF entry point, and what the program's auxiliary vector says of it.
  std::uintptr_t entry() const { return base_ + elf().header().e_entry; }
  std::uintptr_t program_headers() const { return program_headers_; }
  /// True if `address` lies in the copy or one of its private libraries.
  bool contains(const void* address) const;
  LibcVariables& variables() { return variables_; }

  using Function = void (*)(int, char**, char**);
  /// Constructors in the order in which they run: the pre-initialisers of the program, those of
  /// its libraries, and apart from them those of the program itself.
  const std::vector<Function>& library_constructors() const { return library_constructors_; }
  const std::vector<Function>& program_constructors() const { return program_constructors_; }
  /// Destructors in the order in which they run.
  const std::vector<void (*)()>& destructors() const { return destructors_; }

  /// True once, for the first caller: whether the copy's constructors are still to be run.
  bool claim_construction() { return !std::exchange(constructed_, true); }

 private:
  explicit ProgramCopy(const ProgramImage& image) : image_(&image) {}
  const ElfFile& elf() const { return image_->program().elf(); }
  void load_files(std::uint64_t number);
  void find_ranges();
  void copy_library_data();
  void place_variables(const ImageFile& file, std::uintptr_t base, bool storage);
  void find_constructors();
  void* variable(LibcVariable which) const;
  void set_variable(LibcVariable which, std::uintptr_t address);

  const ProgramImage* image_;
  std::uintptr_t base_ = 0;
  std::uintptr_t program_headers_ = 0;
  std::vector<std::uintptr_t> library_bases_;
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> ranges_;
  LibcVariables variables_;
  std::vector<Function> library_constructors_;
  std::vector<Function> program_constructors_;
  std::vector<void (*)()> destructors_;
  bool constructed_ = false;
};

}  // namespace launch
