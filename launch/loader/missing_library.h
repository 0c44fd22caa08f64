// A library that stands in for the functions that a program refers to and no library has.
#pragma once

#include <memory>
#include <string>

#include "launch/loader/missing_symbols.h"

namespace launch {

/// A file in memory that the dynamic loader can load: a call of one of the functions goes on to
/// castor_missing_function() with its name; what may be data has an address where nothing can be
/// read, written or executed. It has no versions, so references of any version find it.
class MissingLibrary {
 public:
  /// Null if nothing of this kind is missing. Throws LoadError, which names `program`.
  static std::unique_ptr<MissingLibrary> make(const MissingSymbols& missing,
                                              const std::string& program);
  ~MissingLibrary();
  MissingLibrary(const MissingLibrary&) = delete;
  MissingLibrary& operator=(const MissingLibrary&) = delete;

  /// What this process loads it by.
  std::string path() const;
  /// The same for other processes, as long as this one has it.
  std::string path_for_others() const;

 private:
  explicit MissingLibrary(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace launch
