// Reading an ELF file: headers, dynamic section, symbols, relocations, notes.
#include "launch/loader/elf_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

#include "launch/loader/elf_check.h"
#include "launch/loader/load_error.h"

namespace launch {
namespace {

std::vector<std::byte> read_bytes(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) throw LoadError(path, std::strerror(errno));
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    const bool directory = S_ISDIR(status.st_mode);
    close(fd);
    throw LoadError(path, directory ? "is a directory, not a program" : "is not a regular file");
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(fd, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  close(fd);
  if (done < bytes.size()) throw LoadError(path, "cannot be read completely");
  return bytes;
}

}  // namespace

ElfFile ElfFile::read(const std::string& path) {
  ElfFile file(path);
  file.bytes_ = read_bytes(path);
  file.check_identity();
  file.header_ = file.at<Elf64_Ehdr>(0);
  if (file.header_.e_machine != EM_X86_64) {
    throw LoadError(path, "is for another processor; compile it for x86-64");
  }
  if (file.header_.e_type != ET_DYN && file.header_.e_type != ET_EXEC) {
    throw LoadError(path, "is an object file, not a program; link it first");
  }
  file.read_segments();
  file.read_dynamic();
  check_elf(file);
  return file;
}

void ElfFile::check_identity() const {
  const auto* text = reinterpret_cast<const char*>(bytes_.data());
  if (bytes_.size() >= 2 && text[0] == '#' && text[1] == '!') {
    throw LoadError(path_,
                    "is a script; aprun loads the program itself: name the compiled program");
  }
  if (bytes_.size() < EI_NIDENT || std::memcmp(text, ELFMAG, SELFMAG) != 0) {
    throw LoadError(path_, "is not a program (no ELF file); name a compiled program");
  }
  if (text[EI_CLASS] != ELFCLASS64 || text[EI_DATA] != ELFDATA2LSB) {
    throw LoadError(path_, "is not a 64-bit x86-64 program; compile it with -m64");
  }
}

void ElfFile::damaged(const char* what) const {
  throw LoadError(path_, std::string("damaged ELF file (") + what + "); build it again");
}

void ElfFile::read_segments() {
  if (header_.e_phentsize != sizeof(Elf64_Phdr) && header_.e_phnum != 0) {
    damaged("the size of program headers");
  }
  constexpr std::uint64_t address_limit = std::uint64_t{1} << 46;
  lowest_ = std::numeric_limits<std::uint64_t>::max();
  for (unsigned i = 0; i < header_.e_phnum; ++i) {
    const auto segment = at<Elf64_Phdr>(header_.e_phoff + i * sizeof(Elf64_Phdr));
    segments_.push_back(segment);
    if (segment.p_offset > bytes_.size() || bytes_.size() - segment.p_offset < segment.p_filesz) {
      damaged("a segment lies outside of it");
    }
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_vaddr > address_limit || segment.p_memsz > address_limit ||
        segment.p_memsz < segment.p_filesz) {
      damaged("a segment's addresses");
    }
    lowest_ = std::min(lowest_, segment.p_vaddr);
    highest_ = std::max(highest_, segment.p_vaddr + segment.p_memsz);
  }
  if (highest_ == 0) damaged("nothing to load");
}

void ElfFile::read_dynamic() {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_DYNAMIC) continue;
    for (std::uint64_t offset = 0; offset + sizeof(Elf64_Dyn) <= segment.p_filesz;
         offset += sizeof(Elf64_Dyn)) {
      const auto entry = at<Elf64_Dyn>(segment.p_offset + offset);
      if (entry.d_tag == DT_NULL) return;
      dynamic_.emplace_back(segment.p_offset + offset, entry);
    }
    damaged("the dynamic section has no end");
  }
}

bool ElfFile::has_segment(std::uint32_t type) const {
  return std::any_of(segments_.begin(), segments_.end(),
                     [type](const Elf64_Phdr& segment) { return segment.p_type == type; });
}

std::optional<std::uint64_t> ElfFile::dynamic(std::int64_t tag) const {
  const auto found = std::find_if(dynamic_.rbegin(), dynamic_.rend(),
                                  [tag](const auto& one) { return one.second.d_tag == tag; });
  return found == dynamic_.rend() ? std::nullopt : std::optional(found->second.d_un.d_val);
}

std::uint64_t ElfFile::file_offset(std::uint64_t address) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz) {
      return segment.p_offset + (address - segment.p_vaddr);
    }
  }
  damaged("an address that is not in it");
}

std::uint64_t ElfFile::string_file_offset(std::uint64_t offset) const {
  const auto table = dynamic(DT_STRTAB);
  const auto size = dynamic(DT_STRSZ);
  if (!table || !size || offset >= *size) damaged("a name");
  return file_offset(*table + offset);
}

std::string ElfFile::string(std::uint64_t offset) const {
  const std::uint64_t begin = string_file_offset(offset);
  const auto* text = reinterpret_cast<const char*>(bytes_.data()) + begin;
  const std::size_t room = bytes_.size() - begin;
  const std::size_t length = strnlen(text, room);
  if (length == room) damaged("a name");
  return {text, length};
}

std::vector<std::string> ElfFile::needed() const {
  std::vector<std::string> names;
  for (const auto& [offset, entry] : dynamic_) {
    if (entry.d_tag == DT_NEEDED) names.push_back(string(entry.d_un.d_val));
  }
  return names;
}

std::string ElfFile::dynamic_string(std::int64_t tag) const {
  const auto value = dynamic(tag);
  return value ? string(*value) : std::string();
}

ElfFile::Symbol ElfFile::symbol(std::uint64_t index) const {
  const auto table = dynamic(DT_SYMTAB);
  if (!table) damaged("no symbols");
  const std::uint64_t offset = file_offset(*table + index * sizeof(Elf64_Sym));
  const auto entry = at<Elf64_Sym>(offset);
  return {string(entry.st_name), entry, offset};
}

bool ElfFile::is_named(std::uint64_t index, const std::string& name) const {
  const auto table = dynamic(DT_SYMTAB);
  if (!table) return false;
  const auto entry = at<Elf64_Sym>(file_offset(*table + index * sizeof(Elf64_Sym)));
  const std::uint64_t begin = string_file_offset(entry.st_name);
  return bytes_.size() - begin > name.size() &&
         std::memcmp(bytes_.data() + begin, name.c_str(), name.size() + 1) == 0;
}

std::uint64_t ElfFile::symbol_count() const {
  if (const auto table = dynamic(DT_HASH)) return at<std::uint32_t>(file_offset(*table) + 4);
  if (const auto table = dynamic(DT_GNU_HASH)) return gnu_hash_symbol_count(file_offset(*table));
  return 0;
}

std::uint64_t ElfFile::gnu_hash_symbol_count(std::uint64_t table) const {
  const auto buckets = at<std::uint32_t>(table);
  const auto first_symbol = at<std::uint32_t>(table + 4);
  const auto bloom_words = at<std::uint32_t>(table + 8);
  const std::uint64_t bucket_table = table + 16 + std::uint64_t{8} * bloom_words;
  const std::uint64_t chains = bucket_table + std::uint64_t{4} * buckets;
  std::uint64_t last = 0;
  for (std::uint32_t i = 0; i < buckets; ++i) {
    last = std::max<std::uint64_t>(last, at<std::uint32_t>(bucket_table + std::uint64_t{4} * i));
  }
  if (last < first_symbol) return first_symbol;
  while ((at<std::uint32_t>(chains + 4 * (last - first_symbol)) & 1) == 0) ++last;
  return last + 1;
}

std::optional<Elf64_Sym> ElfFile::definition(const std::string& name) const {
  const std::uint64_t count = symbol_count();
  for (std::uint64_t i = 1; i < count; ++i) {
    if (!is_named(i, name)) continue;
    const Symbol found = symbol(i);
    if (found.entry.st_shndx != SHN_UNDEF) return found.entry;
  }
  return std::nullopt;
}

void ElfFile::for_each_symbol_relocation(
    const std::function<void(const Elf64_Rela&)>& visit) const {
  for_each_relocation([&visit](const Elf64_Rela& relocation) {
    if (ELF64_R_SYM(relocation.r_info) != 0) visit(relocation);
  });
}

void ElfFile::for_each_relocation(const std::function<void(const Elf64_Rela&)>& visit) const {
  const std::array<std::pair<std::int64_t, std::int64_t>, 2> tables{
      {{DT_RELA, DT_RELASZ}, {DT_JMPREL, DT_PLTRELSZ}}};
  for (const auto& [table_tag, size_tag] : tables) {
    const auto table = dynamic(table_tag);
    const std::uint64_t size = dynamic(size_tag).value_or(0);
    if (!table || size == 0) continue;
    const std::uint64_t offset = file_offset(*table);
    for (std::uint64_t at_byte = 0; at_byte + sizeof(Elf64_Rela) <= size;
         at_byte += sizeof(Elf64_Rela)) {
      visit(at<Elf64_Rela>(offset + at_byte));
    }
  }
}

void ElfFile::for_each_note(
    const std::string& owner,
    const std::function<void(std::uint32_t, const std::string&)>& visit) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_NOTE) continue;
    const std::uint64_t align = segment.p_align == 8 ? 8 : 4;
    const auto round_up = [align](std::uint64_t size) {
      return (size + align - 1) / align * align;
    };
    const std::uint64_t end = segment.p_offset + segment.p_filesz;
    std::uint64_t offset = segment.p_offset;
    while (offset + sizeof(Elf64_Nhdr) <= end) {  // sizes of notes have 32 bits: no overflow
      const auto note = at<Elf64_Nhdr>(offset);
      const std::uint64_t name = offset + sizeof(Elf64_Nhdr);
      const std::uint64_t description = offset + round_up(sizeof(Elf64_Nhdr) + note.n_namesz);
      if (name + note.n_namesz > end || description + note.n_descsz > end) break;
      const auto* text = reinterpret_cast<const char*>(bytes_.data());
      if (note.n_namesz == owner.size() + 1 &&
          std::memcmp(text + name, owner.c_str(), owner.size() + 1) == 0) {
        visit(note.n_type, std::string(text + description, note.n_descsz));
      }
      offset = description + round_up(note.n_descsz);
    }
  }
}

std::vector<std::byte> ElfFile::loadable_bytes() const {
  std::uint64_t end = sizeof(Elf64_Ehdr);
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type == PT_LOAD) end = std::max(end, segment.p_offset + segment.p_filesz);
  }
  end = std::max<std::uint64_t>(end, header_.e_phoff + segments_.size() * sizeof(Elf64_Phdr));
  return {bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace launch
