// Where the writable data of the calling program's file lie.
#include "ugni_emu/dmapp/program_data.h"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace dmapp {
namespace {

struct Search {
  std::uintptr_t code;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

bool holds(const dl_phdr_info& file, const ElfW(Phdr) & segment, std::uintptr_t address) {
  const std::uintptr_t begin = file.dlpi_addr + segment.p_vaddr;
  return address >= begin && address - begin < segment.p_memsz;
}

int look(dl_phdr_info* file, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  bool here = false;
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;
  std::uintptr_t read_only_until = 0;
  for (ElfW(Half) i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = file->dlpi_phdr[i];
    const std::uintptr_t address = file->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_RELRO) read_only_until = address + segment.p_memsz;
    if (segment.p_type != PT_LOAD) continue;
    here = here || holds(*file, segment, search.code);
    if ((segment.p_flags & PF_W) == 0) continue;
    begin = std::min(begin, address);
    end = std::max(end, address + segment.p_memsz);
  }
  if (!here) return 0;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  search.begin = std::max(begin, (read_only_until + page - 1) / page * page);
  search.end = end;
  return 1;
}

}  // namespace

std::span<std::byte> program_data(const void* code) {
  Search search{reinterpret_cast<std::uintptr_t>(code)};
  if (dl_iterate_phdr(look, &search) == 0 || search.begin >= search.end) return {};
  return {reinterpret_cast<std::byte*>(search.begin), search.end - search.begin};
}

}  // namespace dmapp
