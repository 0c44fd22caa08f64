// Finds definitions that come before those of Castor's libraries, and what refers to them.
#include "launch/loader/interposition.h"

#include <dlfcn.h>

#include <algorithm>

#include "launch/loader/library_search.h"

namespace launch {
namespace {

bool is_defined_function(const Elf64_Sym& symbol) {
  const auto type = ELF64_ST_TYPE(symbol.st_info);
  return symbol.st_shndx != SHN_UNDEF && type == STT_FUNC &&
         ELF64_ST_BIND(symbol.st_info) != STB_LOCAL;
}

/// The file name of the library in which the launcher finds `name`; empty if it does not.
std::string library_of(const std::string& name) {
  const void* address = dlsym(RTLD_DEFAULT, name.c_str());
  Dl_info found{};
  if (address == nullptr || dladdr(address, &found) == 0) return {};
  const std::string path = found.dli_fname;
  return canonical_library_name(path.substr(path.rfind('/') + 1));
}

}  // namespace

Interposition::Interposition(const std::vector<ImageFile>& files,
                             const std::vector<std::vector<std::size_t>>& needs,
                             std::size_t preloaded) {
  if (files.size() < 2) return;  // the linker has seen to what a program refers to of its own
  find_order(files, needs, preloaded);
  for (std::size_t number = 0; number < files.size(); ++number) {
    const ElfFile& file = files[number].elf();
    const std::uint64_t count = file.symbol_count();
    for (std::uint64_t i = 1; i < count; ++i) {
      const ElfFile::Symbol symbol = file.symbol(i);
      if (!is_defined_function(symbol.entry) || definitions_.count(symbol.name) != 0) continue;
      if (!stands_before(number, symbol.name)) continue;
      definitions_[symbol.name] = {number, symbol.entry.st_value};
    }
  }
}

void Interposition::find_order(const std::vector<ImageFile>& files,
                               const std::vector<std::vector<std::size_t>>& needs,
                               std::size_t preloaded) {
  std::size_t known = 1 + preloaded;
  for (std::size_t at = 0; at < files.size(); ++at) {
    std::size_t next = 0;
    for (const std::string& each : files[at].elf().needed()) {
      const std::string name = canonical_library_name(each);
      if (is_own_shared(name)) {
        files_before_.emplace(name, known);
      } else if (!safe_to_share(name)) {
        known = std::max(known, needs[at][next++] + 2);
      }
    }
  }
}

bool Interposition::stands_before(std::size_t number, const std::string& name) const {
  const std::string library = library_of(name);
  if (!is_own_shared(library)) return false;
  const auto before = files_before_.find(library);
  return before == files_before_.end() || number < before->second;
}

std::vector<Interposition::Use> Interposition::uses_in(const ElfFile& file) const {
  std::vector<Use> uses;
  if (definitions_.empty()) return uses;
  file.for_each_symbol_relocation([&](const Elf64_Rela& relocation) {
    const auto type = ELF64_R_TYPE(relocation.r_info);
    const bool is_slot = type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
    if (!is_slot && type != R_X86_64_64) return;
    const auto found = definitions_.find(file.symbol(ELF64_R_SYM(relocation.r_info)).name);
    if (found == definitions_.end()) return;
    const auto addend = is_slot ? 0 : static_cast<std::uint64_t>(relocation.r_addend);
    uses.push_back({relocation.r_offset, found->second.number, found->second.address + addend});
  });
  return uses;
}

}  // namespace launch
