// Writes the smallest ELF file that a dynamic loader takes, and what is wanted in it.
#include "launch/loader/elf_writer.h"

#include <algorithm>
#include <cstring>

#include "launch/loader/pages.h"

namespace launch {
namespace {

template <typename Value>
void put(std::vector<std::byte>& bytes, const Value& value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(Value));
  std::memcpy(bytes.data() + at, &value, sizeof(Value));
}

Elf64_Ehdr file_header(std::size_t segments) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof(Elf64_Ehdr);
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<Elf64_Half>(segments);
  return header;
}

Elf64_Phdr segment(std::uint32_t type, std::uint32_t rights, std::uint64_t begin,
                   std::uint64_t file_bytes, std::uint64_t bytes, std::uint64_t alignment) {
  Elf64_Phdr header{};
  header.p_type = type;
  header.p_flags = rights;
  header.p_offset = header.p_vaddr = header.p_paddr = begin;
  header.p_filesz = file_bytes;
  header.p_memsz = bytes;
  header.p_align = alignment;
  return header;
}

/// The function of the System V ABI.
std::uint32_t hash_of(const std::string& name) {
  std::uint32_t hash = 0;
  for (const char letter : name) {
    hash = (hash << 4) + static_cast<unsigned char>(letter);
    const std::uint32_t high = hash & 0xf0000000U;
    hash = (hash ^ (high >> 24)) & ~high;
  }
  return hash;
}

/// Buckets, number of symbols, the buckets' first symbols, each symbol's next one.
std::vector<std::uint32_t> hash_table(const std::vector<MadeLibrary::Symbol>& symbols) {
  const auto count = static_cast<std::uint32_t>(symbols.size() + 1);
  const std::uint32_t buckets = count;
  std::vector<std::uint32_t> table(2 + buckets + count, 0);
  table[0] = buckets;
  table[1] = count;
  for (std::uint32_t i = 1; i < count; ++i) {
    if (!symbols[i - 1].defined) continue;
    std::uint32_t& first = table[2 + hash_of(symbols[i - 1].name) % buckets];
    table[2 + buckets + i] = first;
    first = i;
  }
  return table;
}

class Writer {
 public:
  explicit Writer(const MadeLibrary& library) : library_(library) {}

  std::vector<std::byte> write() {
    hash_ = hash_table(library_.symbols);
    add_names();
    lay_out();
    put_headers();
    put_dynamic_section();
    put_tables();
    put_segments();
    return std::move(bytes_);
  }

 private:
  std::uint64_t add_name(const std::string& name) {
    const std::uint64_t at = names_.size();
    names_ += name;
    names_ += '\0';
    return at;
  }

  void add_names() {
    names_.assign(1, '\0');
    if (!library_.directory.empty()) {
      entries_.push_back({DT_RPATH, {add_name(library_.directory)}});
    }
    for (const std::string& name : library_.needed) {
      entries_.push_back({DT_NEEDED, {add_name(name)}});
    }
    for (const MadeLibrary::Symbol& symbol : library_.symbols) {
      symbol_names_.push_back(add_name(symbol.name));
    }
  }

  void lay_out() {
    constexpr std::size_t other_entries = 9;  // DT_HASH to DT_NULL
    dynamic_ = sizeof(Elf64_Ehdr) + segment_count() * sizeof(Elf64_Phdr);
    dynamic_bytes_ = (entries_.size() + other_entries) * sizeof(Elf64_Dyn);
    symbols_ = dynamic_ + dynamic_bytes_;
    relocations_ = symbols_ + (library_.symbols.size() + 1) * sizeof(Elf64_Sym);
    hash_place_ = relocations_ + library_.addresses.size() * sizeof(Elf64_Rela);
    strings_ = hash_place_ + hash_.size() * sizeof(std::uint32_t);
    tables_end_ = strings_ + names_.size();
    body_ = page_ceiling(tables_end_);
  }

  /// The tables', those of the library, the dynamic section's, the stack's.
  std::size_t segment_count() const { return library_.segments.size() + 3; }

  void put_headers() {
    put(bytes_, file_header(segment_count()));
    // Written to: it has addresses.
    put(bytes_, segment(PT_LOAD, PF_R | PF_W, 0, tables_end_, tables_end_, page_bytes));
    std::uint64_t at = body_;
    for (const MadeLibrary::Segment& one : library_.segments) {
      put(bytes_, segment(PT_LOAD, one.rights, at, one.content.size(), one.bytes, page_bytes));
      at += page_ceiling(one.bytes);
    }
    put(bytes_, segment(PT_DYNAMIC, PF_R | PF_W, dynamic_, dynamic_bytes_, dynamic_bytes_,
                        sizeof(std::uint64_t)));
    // Without it, stacks of code.
    put(bytes_, segment(PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, sizeof(std::uint64_t)));
  }

  void put_dynamic_section() {
    const auto add = [this](std::int64_t tag, std::uint64_t value) {
      entries_.push_back({tag, {value}});
    };
    add(DT_HASH, hash_place_);
    add(DT_STRTAB, strings_);
    add(DT_SYMTAB, symbols_);
    add(DT_STRSZ, names_.size());
    add(DT_SYMENT, sizeof(Elf64_Sym));
    add(DT_RELA, relocations_);
    add(DT_RELASZ, library_.addresses.size() * sizeof(Elf64_Rela));
    add(DT_RELAENT, sizeof(Elf64_Rela));
    add(DT_NULL, 0);
    for (const Elf64_Dyn& entry : entries_) put(bytes_, entry);
  }

  void put_tables() {
    put(bytes_, Elf64_Sym{});
    for (std::size_t i = 0; i < library_.symbols.size(); ++i) {
      const MadeLibrary::Symbol& symbol = library_.symbols[i];
      Elf64_Sym entry{};
      entry.st_name = static_cast<Elf64_Word>(symbol_names_[i]);
      entry.st_info = ELF64_ST_INFO(symbol.binding, symbol.type);
      // Which section it is of, nothing asks, but whether it is of one.
      entry.st_shndx = symbol.defined ? 1 : SHN_UNDEF;
      entry.st_value = symbol.defined ? body_ + symbol.place : 0;
      entry.st_size = symbol.bytes;
      put(bytes_, entry);
    }
    for (const MadeLibrary::Address& address : library_.addresses) {
      put(bytes_, Elf64_Rela{body_ + address.place,
                             ELF64_R_INFO(address.symbol + 1, R_X86_64_GLOB_DAT), 0});
    }
    for (const std::uint32_t word : hash_) put(bytes_, word);
    for (const char letter : names_) bytes_.push_back(static_cast<std::byte>(letter));
  }

  void put_segments() {
    std::uint64_t at = body_;
    for (const MadeLibrary::Segment& one : library_.segments) {
      bytes_.resize(at);
      bytes_.insert(bytes_.end(), one.content.begin(), one.content.end());
      at += page_ceiling(one.bytes);
    }
  }

  const MadeLibrary& library_;
  std::string names_;
  std::vector<Elf64_Dyn> entries_;
  std::vector<std::uint64_t> symbol_names_;
  std::vector<std::uint32_t> hash_;
  std::uint64_t dynamic_ = 0, dynamic_bytes_ = 0, symbols_ = 0, relocations_ = 0, hash_place_ = 0;
  std::uint64_t strings_ = 0, tables_end_ = 0, body_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace

std::uint64_t next_place(const MadeLibrary& library) {
  std::uint64_t place = 0;
  for (const MadeLibrary::Segment& one : library.segments) place += page_ceiling(one.bytes);
  return place;
}

std::vector<std::byte> write_elf(const MadeLibrary& library) { return Writer(library).write(); }

}  // namespace launch
