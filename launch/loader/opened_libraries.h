// The libraries that a copy of a program opens while it runs: copies, too.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "launch/loader/image_file.h"
#include "launch/loader/missing_library.h"
#include "launch/loader/program_copy.h"

namespace launch {

/// What dlopen() and dlclose() do for one copy. Libraries that all ranks share are the launcher's;
/// each other one is loaded as a copy of its own, which finds the symbols of the program's copy.
/// As copies of programs, they are never unloaded.
class OpenedLibraries {
 public:
  explicit OpenedLibraries(ProgramCopy& copy);
  OpenedLibraries(const OpenedLibraries&) = delete;
  OpenedLibraries& operator=(const OpenedLibraries&) = delete;
  ~OpenedLibraries();

  struct Opened {
    void* handle = nullptr;                           ///< null: RTLD_NOLOAD, and it is not there
    std::vector<ProgramCopy::Function> constructors;  ///< still to be run, in this order
  };
  /// `name` as given to dlopen() by the code at `caller`, with a path that is the process's.
  /// Throws LoadError.
  Opened open(const std::string& name, int mode, const void* caller);
  /// False if the handle is not one of a library that the copy has of its own.
  bool close(const void* handle);

 private:
  /// The copy's private libraries come first, by their numbers.
  struct File {
    const ImageFile* image = nullptr;
    int descriptor = -1;
    void* handle = nullptr;
    bool global = false;             ///< libraries that are opened later find its symbols
    std::size_t opened = 0;          ///< how often, less how often it was closed
    std::vector<std::size_t> needs;  ///< its private libraries
  };

  void* open_shared(const std::string& name, int mode, const void* caller) const;
  std::string find(const std::string& name, const void* caller) const;
  /// The number of the file at `path`, or how many there are.
  std::size_t known(const std::string& path) const;
  void add(const std::string& path);
  void make_copies(std::size_t first);
  void load(std::size_t first, int mode);
  void add_missing_calls(std::size_t first, std::vector<std::string>& paths);
  void forget(std::size_t first);
  std::vector<ProgramCopy::Function> adopt(std::size_t first);

  ProgramCopy& copy_;
  std::vector<File> files_;
  /// Their names must not come again.
  std::vector<std::unique_ptr<MissingLibrary>> missing_;
};

}  // namespace launch
