// Writes the smallest ELF file that a dynamic loader takes.
#include "launch/loader/library_group.h"

#include <elf.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace launch {
namespace {

constexpr std::uint64_t alignment_of_pages = 4096;

/// No symbols: one bucket, and the null symbol in no chain.
constexpr std::array<std::uint32_t, 4> hash_table{1, 1, 0, 0};

template <typename Value>
void put(std::vector<std::byte>& bytes, const Value& value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(Value));
  std::memcpy(bytes.data() + at, &value, sizeof(Value));
}

Elf64_Dyn dynamic_entry(std::int64_t tag, std::uint64_t value) {
  Elf64_Dyn entry{};
  entry.d_tag = tag;
  entry.d_un.d_val = value;
  return entry;
}

Elf64_Phdr segment(std::uint32_t type, std::uint64_t begin, std::uint64_t bytes,
                   std::uint64_t alignment) {
  Elf64_Phdr header{};
  header.p_type = type;
  header.p_flags = PF_R | PF_W;
  header.p_offset = header.p_vaddr = header.p_paddr = begin;
  header.p_filesz = header.p_memsz = bytes;
  header.p_align = alignment;
  return header;
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

}  // namespace

std::vector<std::byte> library_group(const std::vector<std::string>& needed,
                                     const std::string& directory) {
  constexpr std::size_t segments = 3;
  constexpr std::size_t other_entries = 7;  // DT_RPATH to DT_NULL
  const std::uint64_t dynamic = sizeof(Elf64_Ehdr) + segments * sizeof(Elf64_Phdr);
  const std::uint64_t dynamic_bytes = (needed.size() + other_entries) * sizeof(Elf64_Dyn);
  const std::uint64_t symbols = dynamic + dynamic_bytes;
  const std::uint64_t hash = symbols + sizeof(Elf64_Sym);
  const std::uint64_t strings = hash + sizeof hash_table;

  std::string texts(1, '\0');
  const auto add_text = [&texts](const std::string& text) {
    const std::uint64_t at = texts.size();
    texts += text;
    texts += '\0';
    return at;
  };
  std::vector<Elf64_Dyn> entries{dynamic_entry(DT_RPATH, add_text(directory))};
  for (const std::string& name : needed) {
    entries.push_back(dynamic_entry(DT_NEEDED, add_text(name)));
  }
  entries.push_back(dynamic_entry(DT_HASH, hash));
  entries.push_back(dynamic_entry(DT_STRTAB, strings));
  entries.push_back(dynamic_entry(DT_SYMTAB, symbols));
  entries.push_back(dynamic_entry(DT_STRSZ, texts.size()));
  entries.push_back(dynamic_entry(DT_SYMENT, sizeof(Elf64_Sym)));
  entries.push_back(dynamic_entry(DT_NULL, 0));

  std::vector<std::byte> bytes;
  put(bytes, file_header(segments));
  put(bytes, segment(PT_LOAD, 0, strings + texts.size(),
                     alignment_of_pages));  // written to: it has addresses
  put(bytes, segment(PT_DYNAMIC, dynamic, dynamic_bytes, sizeof(std::uint64_t)));
  put(bytes, segment(PT_GNU_STACK, 0, 0, sizeof(std::uint64_t)));  // without it, stacks of code
  for (const Elf64_Dyn& entry : entries) put(bytes, entry);
  put(bytes, Elf64_Sym{});
  put(bytes, hash_table);
  for (const char letter : texts) bytes.push_back(static_cast<std::byte>(letter));
  return bytes;
}

}  // namespace launch
