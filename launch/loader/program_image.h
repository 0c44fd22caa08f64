// A program file, checked and prepared: what every rank's copy is made from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launch/loader/image_file.h"
#include "launch/loader/interposition.h"
#include "launch/loader/library_images.h"
#include "launch/loader/library_search.h"
#include "launch/loader/load_error.h"
#include "launch/loader/missing_library.h"

namespace launch {

/// A program that can be loaded. Constant after open(), but for what its copies open.
class ProgramImage {
 public:
  /// Opens and checks the program at `path` (see find_program); `library_path` is
  /// LD_LIBRARY_PATH, `preloaded` the LD_PRELOAD of the ranks alone: each copy has its own of what
  /// it names. Throws LoadError with one line that names the way out: missing, not
  /// executable, script, no ELF, other processor, static, fixed addresses, thread-local variables
  /// in a plain executable, missing or unsuitable libraries.
  static std::unique_ptr<const ProgramImage> open(const std::string& path,
                                                  const std::string& library_path,
                                                  const std::string& preloaded = "");

  const std::string& path() const { return path_; }
  /// The program says what its computing costs (CORESPEC_MODELLED_PROGRAM).
  bool modelled() const { return modelled_; }
  /// The program has no mutable globals: all ranks may share one copy (CORESPEC_SHARED_IMAGE).
  bool shared() const { return shared_; }

  /// Where libraries are looked for, but for what the files that need them say.
  const LibrarySearch& search() const { return search_; }

  /// The program itself.
  const ImageFile& program() const { return files_.front(); }
  /// Libraries that every rank gets a copy of, in breadth-first order of need.
  std::size_t private_library_count() const { return files_.size() - 1; }
  const ImageFile& private_library(std::size_t index) const { return files_[index + 1]; }
  /// How many of them, the first ones, come before the program's own (LD_PRELOAD).
  std::size_t preloaded_count() const { return preloaded_count_; }
  /// Private libraries in the order in which their constructors run (needed ones first).
  const std::vector<std::size_t>& construction_order() const { return construction_order_; }

  /// What a copy takes of the block of thread-local variables that cannot grow; 0 if its files do
  /// without.
  std::uint64_t tls_room() const;
  /// The name of the OpenMP library among its private ones, or empty.
  const std::string& openmp() const { return openmp_; }

  /// True if the program or one of its private libraries needs a library whose name begins so.
  bool needs(std::string_view library) const;

  /// Data that the program copies out of a private library (copy relocations).
  struct CopiedData {
    std::uint64_t address;  ///< in the program
    std::size_t library;
    std::uint64_t library_address;
    std::uint64_t bytes;
  };
  const std::vector<CopiedData>& copied_data() const { return copied_data_; }

  /// What the program's files have to refer to of each other; of the program, then of the private
  /// libraries.
  const std::vector<std::vector<Interposition::Use>>& interposed() const { return interposed_; }
  /// The same of libraries that copies open.
  const Interposition& interposition() const { return *interposition_; }

  /// Stands in for the functions that the program and its libraries refer to and no library has;
  /// null if there are none.
  const MissingLibrary* missing() const { return missing_.get(); }

  /// What its copies open while they run.
  LibraryImages& opened() const { return *opened_; }

 private:
  explicit ProgramImage(std::string path) : path_(std::move(path)) {}
  void read_notes();
  void find_preloaded(const std::string& names);
  void find_libraries();
  std::size_t private_library(const std::string& file);
  void order_construction();
  void find_copied_data();
  void find_interposed();
  void find_missing_symbols();

  std::string path_;
  bool modelled_ = false;
  bool shared_ = false;
  std::string openmp_;
  LibrarySearch search_;
  std::vector<ImageFile> files_;
  std::vector<std::vector<std::size_t>> needs_;  ///< private libraries that a file needs
  std::size_t preloaded_count_ = 0;
  std::vector<std::size_t> construction_order_;
  std::vector<CopiedData> copied_data_;
  std::optional<Interposition> interposition_;
  std::vector<std::vector<Interposition::Use>> interposed_;
  std::unique_ptr<MissingLibrary> missing_;
  std::unique_ptr<LibraryImages> opened_ = std::make_unique<LibraryImages>();
};

/// The file a user means by `name`: itself if it has a slash, else the first executable of that
/// name in `search_path` (PATH) or the current directory. Throws LoadError if there is none.
std::string find_program(const std::string& name, const std::string& search_path);

}  // namespace launch
