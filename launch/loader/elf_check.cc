// Checks an ELF file's tables, as far as loaders follow them without a look.
#include "launch/loader/elf_check.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/loader/elf_file.h"

namespace launch {
namespace {

class Check {
 public:
  explicit Check(const ElfFile& file) : file_(file) {}

  void run() const {
    check_segments();
    if (!file_.has_segment(PT_DYNAMIC)) return;
    check_dynamic();
    const std::uint64_t symbols = check_hashes();
    check_symbols(symbols);
    check_relocations(check_versions(symbols));
    check_constructors();
  }

 private:
  static constexpr std::uint64_t page = 4096;
  static constexpr std::uint64_t word = sizeof(std::uint64_t);
  static constexpr std::uint64_t greatest_alignment = std::uint64_t{1} << 30;

  static bool is_power_of_two(std::uint64_t value) {
    return value != 0 && (value & (value - 1)) == 0;
  }

  void require(bool good, const char* what) const {
    if (!good) file_.damaged(what);
  }

  /// The loaded segment with all of [address, address + bytes) in its memory, or null.
  const Elf64_Phdr* segment_of(std::uint64_t address, std::uint64_t bytes) const {
    for (const Elf64_Phdr& segment : file_.segments()) {
      if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
          address - segment.p_vaddr <= segment.p_memsz &&
          segment.p_memsz - (address - segment.p_vaddr) >= bytes) {
        return &segment;
      }
    }
    return nullptr;
  }
  bool in_memory(std::uint64_t address, std::uint64_t bytes) const {
    return segment_of(address, bytes) != nullptr;
  }
  bool in_code(std::uint64_t address) const {
    const Elf64_Phdr* segment = segment_of(address, 1);
    return segment != nullptr && (segment->p_flags & PF_X) != 0;
  }
  /// In the file's part of a segment, where tables are.
  bool in_file(std::uint64_t address, std::uint64_t bytes) const {
    const Elf64_Phdr* segment = segment_of(address, bytes);
    return segment != nullptr && address - segment->p_vaddr + bytes <= segment->p_filesz;
  }
  bool can_write(std::uint64_t address, std::uint64_t bytes) const {
    const Elf64_Phdr* segment = segment_of(address, bytes);
    if (segment == nullptr) return false;
    const bool writes_text = file_.dynamic(DT_TEXTREL).has_value() ||
                             (file_.dynamic(DT_FLAGS).value_or(0) & DF_TEXTREL) != 0;
    return (segment->p_flags & PF_W) != 0 || writes_text;
  }
  template <typename T>
  T read(std::uint64_t address) const {
    if (!in_file(address, sizeof(T))) file_.damaged("a table lies outside of what is loaded");
    return file_.at<T>(file_.file_offset(address));
  }

  void check_segments() const {
    const std::uint64_t headers = file_.segments().size() * sizeof(Elf64_Phdr);
    const std::uint64_t first = file_.header().e_phoff + file_.lowest_address();
    bool has_headers = false;
    std::uint64_t end = 0;
    int dynamic = 0;
    for (const Elf64_Phdr& segment : file_.segments()) {
      switch (segment.p_type) {
        case PT_LOAD:
          require(is_power_of_two(segment.p_align) && segment.p_align <= greatest_alignment &&
                      segment.p_vaddr % page == segment.p_offset % page &&
                      (segment.p_vaddr - segment.p_offset) % segment.p_align == 0,
                  "a segment's alignment");
          require(segment.p_vaddr >= end, "the order of segments");
          end = segment.p_vaddr + segment.p_memsz;
          has_headers = has_headers || in_file(first, headers);
          break;
        case PT_DYNAMIC:
          require(++dynamic == 1 && segment.p_vaddr % word == 0 &&
                      in_file(segment.p_vaddr, segment.p_filesz) && segment.p_filesz > 0 &&
                      file_.file_offset(segment.p_vaddr) == segment.p_offset,
                  "the place of the dynamic section");
          break;
        case PT_INTERP:
          require(segment.p_filesz > 1 &&
                      file_.at<char>(segment.p_offset + segment.p_filesz - 1) == '\0',
                  "the dynamic loader's name");
          break;
        case PT_TLS:
          require(segment.p_memsz >= segment.p_filesz && segment.p_memsz <= greatest_alignment &&
                      (segment.p_align == 0 || is_power_of_two(segment.p_align)) &&
                      segment.p_align <= page &&
                      (segment.p_filesz == 0 || in_file(segment.p_vaddr, segment.p_filesz)),
                  "thread-local variables");
          break;
        case PT_GNU_RELRO: {
          const Elf64_Phdr* protects = segment_of(segment.p_vaddr, 1);
          require(
              segment.p_memsz == 0 || (protects != nullptr && (protects->p_flags & PF_W) != 0 &&
                                       segment.p_memsz <= page_end(*protects) - segment.p_vaddr),
              "what becomes read-only");
          break;
        }
        default:
          break;
      }
    }
    if (!file_.has_segment(PT_INTERP)) return;  // a library's are not used
    require(has_headers, "the place of program headers");
    const std::uint64_t entry = file_.header().e_entry;
    require(entry == 0 || in_code(entry), "the entry point");
  }
  static std::uint64_t page_end(const Elf64_Phdr& segment) {
    return (segment.p_vaddr + segment.p_memsz + page - 1) / page * page;
  }

  /// Tables that the dynamic loader takes to be whole once one entry is there.
  void check_dynamic() const {
    const std::uint64_t strings = file_.dynamic(DT_STRTAB).value_or(0);
    const std::uint64_t size = file_.dynamic(DT_STRSZ).value_or(0);
    require(size > 0 && in_file(strings, size), "the table of names");
    require(read<char>(strings + size - 1) == '\0', "the table of names");
    require(file_.dynamic(DT_SYMENT).value_or(sizeof(Elf64_Sym)) == sizeof(Elf64_Sym),
            "the size of symbols");
    require(file_.dynamic(DT_SYMTAB).has_value(), "no symbols");
    require(file_.dynamic(DT_PLTREL).value_or(DT_RELA) == DT_RELA, "the kind of relocations");
    require(!file_.dynamic(DT_REL).has_value(), "the kind of relocations");
    require(in_memory(file_.dynamic(DT_PLTGOT).value_or(file_.lowest_address()), 0),
            "the table of addresses");
    for (const auto& [offset, entry] : file_.dynamic_entries()) {
      switch (entry.d_tag) {
        case DT_NEEDED:
        case DT_SONAME:
        case DT_RPATH:
        case DT_RUNPATH:
        case DT_AUXILIARY:
        case DT_FILTER:
        case DT_AUDIT:
        case DT_DEPAUDIT:
          require(entry.d_un.d_val < size, "a name");
          break;
        default:
          break;
      }
    }
  }

  /// The number of symbols that can be found by name.
  std::uint64_t check_hashes() const {
    std::uint64_t count = 0;
    if (const auto table = file_.dynamic(DT_HASH)) count = check_old_hash(*table);
    if (const auto table = file_.dynamic(DT_GNU_HASH)) {
      count = std::max(count, check_gnu_hash(*table));
    }
    return count;
  }

  std::uint64_t check_old_hash(std::uint64_t table) const {
    constexpr std::uint64_t entry_bytes = sizeof(std::uint32_t);
    constexpr std::uint64_t header_bytes = 2 * entry_bytes;
    const auto buckets = read<std::uint32_t>(table);
    const auto symbols = read<std::uint32_t>(table + entry_bytes);
    const std::uint64_t chains = table + header_bytes + entry_bytes * buckets;
    require(buckets > 0 && in_file(table, header_bytes + entry_bytes * buckets) &&
                in_file(chains, entry_bytes * symbols),
            "the table that symbols are found by");
    std::vector<bool> seen(symbols, false);
    for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
      auto symbol = read<std::uint32_t>(table + header_bytes + entry_bytes * bucket);
      while (symbol != 0) {
        require(symbol < symbols && !seen[symbol], "the table that symbols are found by");
        seen[symbol] = true;
        symbol = read<std::uint32_t>(chains + entry_bytes * symbol);
      }
    }
    return symbols;
  }

  std::uint64_t check_gnu_hash(std::uint64_t table) const {
    constexpr std::uint64_t entry_bytes = sizeof(std::uint32_t);
    constexpr std::uint64_t header_bytes = 4 * entry_bytes;
    const auto buckets = read<std::uint32_t>(table);
    const auto first = read<std::uint32_t>(table + entry_bytes);
    const auto filter_words = read<std::uint32_t>(table + 2 * entry_bytes);
    const std::uint64_t bucket_table = table + header_bytes + word * filter_words;
    const std::uint64_t chains = bucket_table + entry_bytes * buckets;
    require(buckets > 0 && is_power_of_two(filter_words) &&
                in_file(table, header_bytes + word * filter_words + entry_bytes * buckets),
            "the table that symbols are found by");
    std::uint64_t count = first;
    for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
      std::uint64_t symbol = read<std::uint32_t>(bucket_table + entry_bytes * bucket);
      if (symbol == 0) continue;
      require(symbol >= first, "the table that symbols are found by");
      // Chains lie one behind the other: none reaches into what another has passed.
      if (symbol < count) continue;
      while ((read<std::uint32_t>(chains + entry_bytes * (symbol - first)) & 1) == 0) ++symbol;
      count = symbol + 1;
    }
    return count;
  }

  void check_symbols(std::uint64_t count) const {
    const std::uint64_t table = *file_.dynamic(DT_SYMTAB);
    const std::uint64_t names = *file_.dynamic(DT_STRSZ);
    require(in_file(table, std::max<std::uint64_t>(count, 1) * sizeof(Elf64_Sym)),
            "the table of symbols");
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto symbol = read<Elf64_Sym>(table + i * sizeof(Elf64_Sym));
      require(symbol.st_name < names, "a symbol's name");
      const auto type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS || type == STT_TLS) continue;
      // One that marks the end of what is loaded may lie behind it.
      require(symbol.st_value <= page + file_.highest_address(), "a symbol's address");
      require(type != STT_GNU_IFUNC || in_code(symbol.st_value), "a symbol's address");
    }
  }

  /// The highest version's number, of those that are needed and those that are defined.
  std::uint64_t check_versions(std::uint64_t symbols) const {
    std::uint64_t highest = VER_NDX_GLOBAL;
    if (const auto table = file_.dynamic(DT_VERNEED)) check_needed_versions(*table, highest);
    if (const auto table = file_.dynamic(DT_VERDEF)) check_defined_versions(*table, highest);
    const auto numbers = file_.dynamic(DT_VERSYM);
    require(numbers.has_value() ||
                (!file_.dynamic(DT_VERNEED).has_value() && !file_.dynamic(DT_VERDEF).has_value()),
            "versions");
    if (!numbers) return highest;
    require(in_file(*numbers, symbols * sizeof(Elf64_Versym)), "versions");
    for (std::uint64_t i = 0; i < symbols; ++i) check_version_of(i, highest);
    return highest;
  }

  void check_version_of(std::uint64_t symbol, std::uint64_t highest) const {
    constexpr std::uint16_t hidden = 0x8000;
    const auto numbers = file_.dynamic(DT_VERSYM);
    if (!numbers) return;
    const auto number = read<Elf64_Versym>(*numbers + symbol * sizeof(Elf64_Versym));
    require((number & ~hidden) <= static_cast<int>(highest), "a symbol's version");
  }

  void check_needed_versions(std::uint64_t table, std::uint64_t& highest) const {
    constexpr std::uint16_t mask = 0x7fff;
    const std::vector<std::string> libraries = file_.needed();
    for (;;) {
      const auto file = read<Elf64_Verneed>(table);
      require(file.vn_version == VER_NEED_CURRENT, "versions");
      require(std::find(libraries.begin(), libraries.end(), file_.string(file.vn_file)) !=
                  libraries.end(),
              "versions");
      for (std::uint64_t at = table + file.vn_aux;;) {
        const auto version = read<Elf64_Vernaux>(at);
        check_version_name(version.vna_name);
        highest = std::max<std::uint64_t>(highest, version.vna_other & mask);
        if (version.vna_next == 0) break;
        at += version.vna_next;
      }
      if (file.vn_next == 0) return;
      table += file.vn_next;
    }
  }

  void check_defined_versions(std::uint64_t table, std::uint64_t& highest) const {
    constexpr std::uint16_t mask = 0x7fff;
    for (;;) {
      const auto version = read<Elf64_Verdef>(table);
      require(version.vd_version == VER_DEF_CURRENT, "versions");
      check_version_name(read<Elf64_Verdaux>(table + version.vd_aux).vda_name);
      highest = std::max<std::uint64_t>(highest, version.vd_ndx & mask);
      if (version.vd_next == 0) return;
      table += version.vd_next;
    }
  }

  void check_version_name(std::uint64_t name) const {
    require(name < *file_.dynamic(DT_STRSZ), "a version's name");
  }

  void check_table(std::int64_t tag, std::int64_t size_tag, std::uint64_t entry_bytes) const {
    const auto table = file_.dynamic(tag);
    const auto size = file_.dynamic(size_tag);
    require(table.has_value() == size.has_value(), "relocations");
    if (!table) return;
    require(*table % word == 0 && *size % entry_bytes == 0 && in_file(*table, *size),
            "relocations");
  }

  void check_relocations(std::uint64_t highest_version) const {
    check_table(DT_RELA, DT_RELASZ, sizeof(Elf64_Rela));
    check_table(DT_JMPREL, DT_PLTRELSZ, sizeof(Elf64_Rela));
    check_table(DT_RELR, DT_RELRSZ, sizeof(Elf64_Relr));
    require(!file_.dynamic(DT_PLTREL) || file_.dynamic(DT_JMPREL), "relocations");
    require(file_.dynamic(DT_RELAENT).value_or(sizeof(Elf64_Rela)) == sizeof(Elf64_Rela) &&
                file_.dynamic(DT_RELRENT).value_or(sizeof(Elf64_Relr)) == sizeof(Elf64_Relr),
            "the size of relocations");
    check_relative();
    file_.for_each_relocation(
        [&](const Elf64_Rela& relocation) { check_relocation(relocation, highest_version); });
    check_packed();
  }

  /// The first ones are said to be of one kind, which the dynamic loader believes.
  void check_relative() const {
    const std::uint64_t count = file_.dynamic(DT_RELACOUNT).value_or(0);
    const std::uint64_t room = file_.dynamic(DT_RELASZ).value_or(0) / sizeof(Elf64_Rela);
    require(count <= room, "the number of relocations");
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto relocation = read<Elf64_Rela>(*file_.dynamic(DT_RELA) + i * sizeof(Elf64_Rela));
      require(ELF64_R_TYPE(relocation.r_info) == R_X86_64_RELATIVE, "a relocation's kind");
    }
  }

  void check_relocation(const Elf64_Rela& relocation, std::uint64_t highest_version) const {
    constexpr std::array kinds{R_X86_64_NONE,      R_X86_64_64,        R_X86_64_PC32,
                               R_X86_64_COPY,      R_X86_64_GLOB_DAT,  R_X86_64_JUMP_SLOT,
                               R_X86_64_RELATIVE,  R_X86_64_32,        R_X86_64_DTPMOD64,
                               R_X86_64_DTPOFF64,  R_X86_64_TPOFF64,   R_X86_64_PC64,
                               R_X86_64_SIZE32,    R_X86_64_SIZE64,    R_X86_64_TLSDESC,
                               R_X86_64_IRELATIVE, R_X86_64_RELATIVE64};
    const auto kind = ELF64_R_TYPE(relocation.r_info);
    require(std::find(kinds.begin(), kinds.end(), static_cast<int>(kind)) != kinds.end(),
            "a relocation's kind");
    if (kind == R_X86_64_NONE) return;
    std::uint64_t bytes = word;
    const std::uint64_t symbol = ELF64_R_SYM(relocation.r_info);
    if (symbol != 0) {
      const auto entry = read<Elf64_Sym>(*file_.dynamic(DT_SYMTAB) + symbol * sizeof(Elf64_Sym));
      require(entry.st_name < *file_.dynamic(DT_STRSZ), "a symbol's name");
      check_version_of(symbol, highest_version);
      if (kind == R_X86_64_COPY) bytes = entry.st_size;
    }
    if (kind == R_X86_64_TLSDESC) bytes = 2 * word;
    require(can_write(relocation.r_offset, bytes), "a relocation's address");
    require(!in_dynamic_section(relocation.r_offset, bytes), "a relocation's address");
    require(kind != R_X86_64_IRELATIVE || in_code(static_cast<std::uint64_t>(relocation.r_addend)),
            "a relocation's function");
  }

  /// What the dynamic loader goes on reading while it relocates.
  bool in_dynamic_section(std::uint64_t address, std::uint64_t bytes) const {
    return std::any_of(
        file_.segments().begin(), file_.segments().end(), [&](const Elf64_Phdr& segment) {
          return segment.p_type == PT_DYNAMIC && address < segment.p_vaddr + segment.p_filesz &&
                 address + bytes > segment.p_vaddr;
        });
  }

  /// Relative relocations as addresses, each followed by bits for the words behind it.
  void check_packed() const {
    const auto table = file_.dynamic(DT_RELR);
    if (!table) return;
    constexpr std::uint64_t bits = 63;
    std::uint64_t next = 0;
    for (std::uint64_t at = 0; at < *file_.dynamic(DT_RELRSZ); at += sizeof(Elf64_Relr)) {
      const auto entry = read<Elf64_Relr>(*table + at);
      if ((entry & 1) == 0) {
        check_packed_place(entry);
        next = entry + word;
        continue;
      }
      for (std::uint64_t bit = 0; bit < bits; ++bit) {
        if ((entry >> (bit + 1) & 1) != 0) check_packed_place(next + bit * word);
      }
      next += bits * word;
    }
  }
  void check_packed_place(std::uint64_t address) const {
    require(can_write(address, word) && !in_dynamic_section(address, word),
            "a relocation's address");
  }

  void check_constructors() const {
    for (const std::int64_t tag : {DT_INIT, DT_FINI}) {
      const auto function = file_.dynamic(tag);
      require(!function || in_code(*function), "a constructor");
    }
    constexpr std::array<std::array<std::int64_t, 2>, 3> arrays{
        {{DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ},
         {DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
         {DT_FINI_ARRAY, DT_FINI_ARRAYSZ}}};
    for (const auto& [tag, size_tag] : arrays) {
      const auto array = file_.dynamic(tag);
      const std::uint64_t size = file_.dynamic(size_tag).value_or(0);
      require(array.has_value() || size == 0, "constructors");
      require(!array || (size % word == 0 && in_memory(*array, size)), "constructors");
    }
  }

  const ElfFile& file_;
};

}  // namespace

void check_elf(const ElfFile& file) { Check(file).run(); }

}  // namespace launch
