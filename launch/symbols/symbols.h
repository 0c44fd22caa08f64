// Names of places in a program: source line, function, inlined callers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "launch/symbols/code_place.h"

namespace launch {

/// Reads what the program's files say, and separate debug files: those of their build id below
/// /usr/lib/debug, those that they name (.gnu_debuglink). Never asks a server. Opens a file when it
/// is first asked for, and keeps it and the names for as long as it exists.
class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  /// " at ring.c:41 (main)" of the first of `places` that is no function of MPI's own, like the
  /// Fortran bindings or a wrapper. If it is inlined: " at pair.h:12 (exchange, inlined at
  /// ring.c:41 in main)". Of a file without lines: " at ring+0x12ab (main)"; stripped: " at
  /// ring+0x12ab".
  std::string text(const std::vector<CodePlace>& places);

 private:
  class File;
  struct Named {
    std::string text;
    std::string function;  ///< of the program's code there; empty: not known
  };
  const Named& name(const CodePlace& place);

  std::map<std::string, std::unique_ptr<File>> files_;
  std::map<std::pair<std::string, std::uint64_t>, Named> names_;
};

/// Symbols made when they are first asked for.
SayPlaces say_by_symbols();

}  // namespace launch
