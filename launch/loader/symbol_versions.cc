// Reads the tables of versions: those that a file needs, and those that it defines.
#include "launch/loader/symbol_versions.h"

#include <elf.h>

namespace launch {
namespace {

constexpr std::uint16_t hidden = 0x8000;

}  // namespace

SymbolVersions::SymbolVersions(const ElfFile& file) : file_(file) {
  if (const auto table = file.dynamic(DT_VERNEED)) {
    for (std::uint64_t at = *table;;) {
      const auto from = file.at<Elf64_Verneed>(file.file_offset(at));
      for (std::uint64_t next = at + from.vn_aux;;) {
        const auto version = file.at<Elf64_Vernaux>(file.file_offset(next));
        names_[version.vna_other & ~hidden] = file.string(version.vna_name);
        if (version.vna_next == 0) break;
        next += version.vna_next;
      }
      if (from.vn_next == 0) break;
      at += from.vn_next;
    }
  }
  if (const auto table = file.dynamic(DT_VERDEF)) {
    for (std::uint64_t at = *table;;) {
      const auto version = file.at<Elf64_Verdef>(file.file_offset(at));
      const auto name = file.at<Elf64_Verdaux>(file.file_offset(at + version.vd_aux));
      // The first one is the file's own name.
      if ((version.vd_flags & VER_FLG_BASE) == 0) {
        names_[version.vd_ndx & ~hidden] = file.string(name.vda_name);
      }
      if (version.vd_next == 0) break;
      at += version.vd_next;
    }
  }
}

std::uint16_t SymbolVersions::number(std::uint64_t index) const {
  const auto numbers = file_.dynamic(DT_VERSYM);
  if (!numbers) return VER_NDX_GLOBAL;
  return file_.at<Elf64_Versym>(file_.file_offset(*numbers + index * sizeof(Elf64_Versym)));
}

std::string SymbolVersions::of(std::uint64_t index) const {
  const auto found = names_.find(number(index) & ~hidden);
  return found == names_.end() ? std::string() : found->second;
}

bool SymbolVersions::is_hidden(std::uint64_t index) const { return (number(index) & hidden) != 0; }

}  // namespace launch
