// Preparing a program file so that the dynamic loader takes copies of it as libraries.
#include "launch/loader/image_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "launch/loader/load_error.h"
#include "launch/loader/memory_file.h"
#include "launch/loader/pages.h"

namespace launch {
namespace {

// An operating-system specific tag that no dynamic loader knows, hence ignores.
constexpr std::int64_t ignored_tag = 0x60ca5700;

struct VariableName {
  std::string_view name;
  LibcVariable variable;
};
constexpr std::array variable_names{
    VariableName{"optarg", LibcVariable::optarg},
    VariableName{"optind", LibcVariable::optind},
    VariableName{"opterr", LibcVariable::opterr},
    VariableName{"optopt", LibcVariable::optopt},
    VariableName{"environ", LibcVariable::environ},
    VariableName{"_environ", LibcVariable::environ},
    VariableName{"__environ", LibcVariable::environ},
    VariableName{"program_invocation_name", LibcVariable::invocation_name},
    VariableName{"__progname_full", LibcVariable::invocation_name},
    VariableName{"program_invocation_short_name", LibcVariable::invocation_short_name},
    VariableName{"__progname", LibcVariable::invocation_short_name},
    VariableName{"signgam", LibcVariable::signgam},
    VariableName{"__signgam", LibcVariable::signgam},
    VariableName{"timezone", LibcVariable::timezone},
    VariableName{"__timezone", LibcVariable::timezone},
    VariableName{"daylight", LibcVariable::daylight},
    VariableName{"__daylight", LibcVariable::daylight},
    VariableName{"tzname", LibcVariable::tzname},
    VariableName{"__tzname", LibcVariable::tzname}};

}  // namespace

ImageFile::ImageFile(ElfFile file) : elf_(std::move(file)), bytes_(elf_.loadable_bytes()) {
  Elf64_Ehdr header = elf_.header();
  header.e_shoff = 0;  // section headers are not part of a copy
  header.e_shnum = 0;
  header.e_shstrndx = 0;
  overwrite(0, &header, sizeof(header));
  prepare_dynamic_section();
  make_unique_symbols_ordinary();
  find_variable_uses();
}

ImageFile::ImageFile(ImageFile&& other) noexcept
    : elf_(std::move(other.elf_)),
      bytes_(std::move(other.bytes_)),
      initializers_(other.initializers_),
      renamed_(std::move(other.renamed_)),
      variable_uses_(std::move(other.variable_uses_)),
      spare_entry_(other.spare_entry_),
      shared_file_(std::exchange(other.shared_file_, -1)) {}

ImageFile::~ImageFile() {
  if (shared_file_ >= 0) close(shared_file_);
}

void ImageFile::check_loaded(std::uint64_t file_offset, std::size_t size) const {
  if (file_offset > bytes_.size() || size > bytes_.size() - file_offset) {
    throw LoadError(elf_.path(), "damaged: a table lies outside of what is loaded");
  }
}

void ImageFile::overwrite(std::uint64_t file_offset, const void* data, std::size_t size) {
  check_loaded(file_offset, size);
  std::memcpy(bytes_.data() + file_offset, data, size);
}

std::uint64_t ImageFile::thread_local_bytes() const {
  std::uint64_t bytes = 0;
  for (const Elf64_Phdr& segment : elf_.segments()) {
    if (segment.p_type == PT_TLS) bytes += segment.p_memsz + segment.p_align;
  }
  return bytes;
}

bool ImageFile::needs_tls_room() const {
  return elf_.has_segment(PT_TLS) && (elf_.dynamic(DT_FLAGS).value_or(0) & DF_STATIC_TLS) != 0;
}

void ImageFile::retag(std::uint64_t file_offset, std::int64_t tag) {
  overwrite(file_offset, &tag, sizeof(tag));
}

void ImageFile::prepare_dynamic_section() {
  for (const auto& [offset, entry] : elf_.dynamic_entries()) {
    const std::uint64_t value = entry.d_un.d_val;
    bool take_out = true;
    switch (entry.d_tag) {
      case DT_INIT:
        initializers_.init = value;
        break;
      case DT_FINI:
        initializers_.fini = value;
        break;
      case DT_PREINIT_ARRAY:
        initializers_.preinit_array = value;
        break;
      case DT_PREINIT_ARRAYSZ:
        initializers_.preinit_count = value / sizeof(void*);
        break;
      case DT_INIT_ARRAY:
        initializers_.init_array = value;
        break;
      case DT_INIT_ARRAYSZ:
        initializers_.init_count = value / sizeof(void*);
        break;
      case DT_FINI_ARRAY:
        initializers_.fini_array = value;
        break;
      case DT_FINI_ARRAYSZ:
        initializers_.fini_count = value / sizeof(void*);
        break;
      case DT_SONAME:
      case DT_RPATH:
      case DT_RUNPATH:
        break;
      case DT_FLAGS_1: {
        const std::uint64_t flags = value & ~std::uint64_t{DF_1_PIE | DF_1_NOOPEN | DF_1_INITFIRST};
        overwrite(offset + sizeof(entry.d_tag), &flags, sizeof(flags));
        take_out = false;
        break;
      }
      default:
        take_out = false;
    }
    if (take_out) {
      retag(offset, ignored_tag);
      spare_entry_ = offset;
    }
  }
}

void ImageFile::make_unique_symbols_ordinary() {
  const std::uint64_t count = elf_.symbol_count();
  for (std::uint64_t i = 1; i < count; ++i) {
    const ElfFile::Symbol symbol = elf_.symbol(i);
    if (ELF64_ST_BIND(symbol.entry.st_info) != STB_GNU_UNIQUE) continue;
    const unsigned char info = ELF64_ST_INFO(STB_GLOBAL, ELF64_ST_TYPE(symbol.entry.st_info));
    overwrite(symbol.file_offset + offsetof(Elf64_Sym, st_info), &info, 1);
  }
}

void ImageFile::find_variable_uses() {
  elf_.for_each_symbol_relocation([this](const Elf64_Rela& relocation) {
    const auto type = ELF64_R_TYPE(relocation.r_info);
    if (type != R_X86_64_COPY && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) return;
    const std::string name = elf_.symbol(ELF64_R_SYM(relocation.r_info)).name;
    for (const VariableName& known : variable_names) {
      if (known.name == name) {
        variable_uses_.push_back({known.variable, relocation.r_offset, type == R_X86_64_COPY});
      }
    }
  });
}

std::uint64_t ImageFile::needed_name_offset(const std::string& name) const {
  for (const auto& [offset, entry] : elf_.dynamic_entries()) {
    if (entry.d_tag == DT_NEEDED && elf_.string(entry.d_un.d_val) == name) {
      return elf_.string_file_offset(entry.d_un.d_val);
    }
  }
  throw LoadError(elf_.path(), "does not need " + name);
}

void ImageFile::rename_needed(const std::string& name, std::size_t library) {
  const std::uint64_t offset = needed_name_offset(name);
  check_loaded(offset, name.size() + 1);
  renamed_.push_back({offset, name.size(), library});
}

void ImageFile::rename_needed(const std::string& name, const std::string& other) {
  if (other.size() > name.size()) throw LoadError(elf_.path(), "no room to rename " + name);
  overwrite(needed_name_offset(name), other.c_str(), other.size() + 1);
}

void ImageFile::search_in_open_files() {
  constexpr std::string_view directory = open_files;
  for (const Elf64_Phdr& segment : elf_.segments()) {
    // The interpreter's name is of no use in a copy; its place holds ours.
    if (segment.p_type != PT_INTERP || segment.p_filesz <= directory.size()) continue;
    const auto strings = elf_.dynamic(DT_STRTAB);
    if (!strings || spare_entry_ == 0) break;
    overwrite(segment.p_offset, directory.data(), directory.size());
    overwrite(segment.p_offset + directory.size(), "", 1);
    Elf64_Dyn entry{};
    entry.d_tag = DT_RPATH;
    entry.d_un.d_val = segment.p_vaddr - *strings;  // wraps: the loader adds it to the table
    overwrite(spare_entry_, &entry, sizeof(entry));
    return;
  }
  throw LoadError(elf_.path(), "cannot take its libraries along; link them statically");
}

bool ImageFile::constant(const Elf64_Phdr& segment) const {
  if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0 ||
      segment.p_filesz != segment.p_memsz || segment.p_align < page_bytes) {
    return false;
  }
  return std::none_of(renamed_.begin(), renamed_.end(), [&segment](const Renamed& name) {
    return name.file_offset >= page_floor(segment.p_offset) &&
           name.file_offset < page_ceiling(segment.p_offset + segment.p_filesz);
  });
}

void ImageFile::share_constant_parts() {
  constexpr std::uint64_t worth_sharing = 64 * 1024;
  std::uint64_t total = 0;
  for (const Elf64_Phdr& segment : elf_.segments()) {
    if (constant(segment)) total += segment.p_filesz;
  }
  if (total >= worth_sharing) shared_file_ = write_memory_file(elf_.path(), bytes_);
}

int ImageFile::make_copy(const std::vector<int>& library_files) const {
  if (renamed_.empty()) return write_memory_file(elf_.path(), bytes_);
  std::vector<std::byte> bytes = bytes_;
  for (const Renamed& renamed : renamed_) {
    const std::string name = std::to_string(library_files.at(renamed.library));
    if (name.size() > renamed.room) throw LoadError(elf_.path(), "too many private libraries");
    std::memcpy(bytes.data() + renamed.file_offset, name.c_str(), name.size() + 1);
  }
  return write_memory_file(elf_.path(), bytes);
}

void ImageFile::map_constant_parts(std::uintptr_t base, int copy) const {
  if (shared_file_ < 0) return;
  for (const Elf64_Phdr& segment : elf_.segments()) {
    if (!constant(segment)) continue;
    const int protection = PROT_READ | ((segment.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
    const std::uint64_t begin = page_floor(segment.p_vaddr);
    const std::uint64_t end = page_ceiling(segment.p_vaddr + segment.p_memsz);
    const bool mapped = mmap(reinterpret_cast<void*>(base + begin), end - begin, protection,
                             MAP_PRIVATE | MAP_FIXED, shared_file_,
                             static_cast<off_t>(page_floor(segment.p_offset))) != MAP_FAILED;
    if (!mapped) {
      throw LoadError(elf_.path(), std::string("cannot share its text: ") + std::strerror(errno));
    }
    // Give back the copy's pages, except those at the ends that another segment may also use.
    const std::uint64_t first = page_ceiling(segment.p_offset);
    const std::uint64_t last = page_floor(segment.p_offset + segment.p_filesz);
    if (last > first) {
      fallocate(copy, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
                static_cast<off_t>(last - first));
    }
  }
}

}  // namespace launch
