// Looks for the definition of each symbol that files refer to.
#include "launch/loader/missing_symbols.h"

#include <elf.h>

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "corespec/job/missing_function.h"
#include "launch/loader/load_error.h"
#include "launch/loader/symbol_versions.h"

namespace launch {
namespace {

/// How a symbol is referred to.
struct Use {
  bool is_function = false;  ///< said, or called
  bool is_data = false;      ///< said, or copied
  bool is_looked_for_at_once = false;

  void add(const Use& other) {
    is_function = is_function || other.is_function;
    is_data = is_data || other.is_data;
    is_looked_for_at_once = is_looked_for_at_once || other.is_looked_for_at_once;
  }
};

Use use_of(std::uint64_t relocation, unsigned char type) {
  Use use;
  use.is_function = relocation == R_X86_64_JUMP_SLOT || type == STT_FUNC || type == STT_GNU_IFUNC;
  switch (relocation) {
    case R_X86_64_COPY:
    case R_X86_64_SIZE32:
    case R_X86_64_SIZE64:
    case R_X86_64_DTPMOD64:
    case R_X86_64_DTPOFF64:
    case R_X86_64_TPOFF64:
    case R_X86_64_TLSDESC:
      use.is_data = true;
      break;
    default:
      use.is_data = type == STT_OBJECT || type == STT_COMMON || type == STT_TLS;
  }
  use.is_looked_for_at_once = relocation != R_X86_64_JUMP_SLOT;
  return use;
}

struct Name {
  std::string name, version;
  bool operator<(const Name& other) const {
    return std::tie(name, version) < std::tie(other.name, other.version);
  }
};

std::map<Name, Use> uses_of(const ElfFile& file) {
  std::map<std::uint64_t, Use> uses;
  std::map<std::uint64_t, ElfFile::Symbol> symbols;
  file.for_each_symbol_relocation([&](const Elf64_Rela& relocation) {
    const std::uint64_t index = ELF64_R_SYM(relocation.r_info);
    auto found = symbols.find(index);
    if (found == symbols.end()) found = symbols.emplace(index, file.symbol(index)).first;
    const Elf64_Sym& symbol = found->second.entry;
    const auto type = ELF64_R_TYPE(relocation.r_info);
    // What is copied has a place here, too.
    const bool refers = symbol.st_shndx == SHN_UNDEF || type == R_X86_64_COPY;
    if (!refers || ELF64_ST_BIND(symbol.st_info) != STB_GLOBAL) return;
    uses[index].add(use_of(type, ELF64_ST_TYPE(symbol.st_info)));
  });
  const SymbolVersions versions(file);
  std::map<Name, Use> named;
  for (const auto& [index, use] : uses) {
    named[{symbols.at(index).name, versions.of(index)}].add(use);
  }
  return named;
}

/// What files define, as the dynamic loader would find it there.
class Definitions {
 public:
  /// Of the names in `wanted` alone: libraries have many others.
  Definitions(const std::vector<const ElfFile*>& files, const std::map<Name, Use>& wanted) {
    for (const auto& [name, use] : wanted) definitions_[name.name];
    for (const ElfFile* file : files) add(*file);
  }
  bool has(const Name& reference) const {
    const Found& definition = definitions_.at(reference.name);
    if (reference.version.empty()) return definition.by_default;
    return definition.of_every_version || definition.versions.count(reference.version) != 0;
  }

 private:
  struct Found {
    bool by_default = false;  ///< for references without a version
    bool of_every_version = false;
    std::set<std::string> versions;
  };

  void add(const ElfFile& file) {
    const SymbolVersions versions(file);
    std::set<std::uint64_t> copies;
    file.for_each_symbol_relocation([&copies](const Elf64_Rela& relocation) {
      if (ELF64_R_TYPE(relocation.r_info) != R_X86_64_COPY) return;
      copies.insert(ELF64_R_SYM(relocation.r_info));
    });
    const std::uint64_t count = file.symbol_count();
    for (std::uint64_t i = 1; i < count; ++i) {
      const ElfFile::Symbol symbol = file.symbol(i);
      if (symbol.entry.st_shndx == SHN_UNDEF || copies.count(i) != 0 ||
          ELF64_ST_BIND(symbol.entry.st_info) == STB_LOCAL) {
        continue;
      }
      const auto wanted = definitions_.find(symbol.name);
      if (wanted == definitions_.end()) continue;
      Found& found = wanted->second;
      const std::string version = versions.of(i);
      const bool hidden = versions.is_hidden(i);
      found.by_default = found.by_default || !hidden;
      if (version.empty()) {
        found.of_every_version = found.of_every_version || !hidden;
      } else {
        found.versions.insert(version);
      }
    }
  }

  std::map<std::string, Found> definitions_;
};

}  // namespace

MissingSymbols find_missing(const std::vector<const ElfFile*>& files, const IsDefined& is_defined,
                            References references) {
  std::map<Name, Use> candidates;
  for (const ElfFile* file : files) {
    for (const auto& [name, use] : uses_of(*file)) {
      if (candidates.count(name) != 0 || !is_defined(name.name, name.version)) {
        candidates[name].add(use);
      }
    }
  }
  std::map<std::string, Use> missing;  // of all versions
  if (!candidates.empty()) {
    const Definitions own(files, candidates);
    for (const auto& [name, use] : candidates) {
      if (!own.has(name)) missing[name.name].add(use);
    }
  }
  MissingSymbols result;
  for (const auto& [name, use] : missing) {
    if (references == References::calls && use.is_looked_for_at_once) continue;
    if (use.is_data) {
      result.data.push_back(name);
    } else {
      (use.is_function ? result.functions : result.unknown).push_back(name);
    }
  }
  return result;
}

void refuse_missing_data(const MissingSymbols& missing, const std::string& program) {
  if (!missing.data.empty()) throw LoadError(program, missing_text(missing.data.front()));
}

std::string missing_text(const std::string& name) {
  return "uses " + name + ", which no library here has; " + corespec::missing_function_remedy(name);
}

}  // namespace launch
