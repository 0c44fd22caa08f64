// What files refer to that nothing defines.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launch/loader/elf_file.h"

namespace launch {

/// Names, each once, in alphabetical order.
struct MissingSymbols {
  std::vector<std::string> functions;
  std::vector<std::string> data;
  /// A library takes their addresses, and does not say of what.
  std::vector<std::string> unknown;
};

/// Throws LoadError, which names `program`, if data are missing: there is nothing to put there.
void refuse_missing_data(const MissingSymbols& missing, const std::string& program);

/// What is said of a missing symbol at the start.
std::string missing_text(const std::string& name);

/// Of what is referred to, only calls, which the dynamic loader may look for when they are made.
enum class References : unsigned char { all, calls };

/// True if something else than the files defines the symbol; `version` may be empty.
using IsDefined = std::function<bool(const std::string& name, const std::string& version)>;

/// What `files`, which find each other's symbols, refer to, and neither they nor others define.
/// Weak references, which may be null, do not count. Throws LoadError for a damaged file.
MissingSymbols find_missing(const std::vector<const ElfFile*>& files, const IsDefined& is_defined,
                            References references = References::all);

}  // namespace launch
