// Entries of a library's tables: found in its dynamic section, written where they may be read-only.
#include "ugni_emu/fabric/libfabric/replaced_call.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ugni::fabric {
namespace {

/// Relocations of an object.
struct Relocations {
  const ElfW(Rela) * first = nullptr;
  std::size_t bytes = 0;
};

/// What an object's dynamic section says of its calls to other objects.
struct Calls {
  Relocations called;  ///< through stubs
  Relocations loaded;  ///< without (-fno-plt), among others
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
};

Calls calls_of(const link_map& object) {
  Calls calls;
  for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_JMPREL:
        calls.called.first = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        calls.called.bytes = entry->d_un.d_val;
        break;
      case DT_RELA:
        calls.loaded.first = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
        break;
      case DT_RELASZ:
        calls.loaded.bytes = entry->d_un.d_val;
        break;
      case DT_SYMTAB:
        calls.symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
        break;
      case DT_STRTAB:
        calls.names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
        break;
      case DT_PLTREL:
        if (entry->d_un.d_val != DT_RELA) return {};
        break;
      default:
        break;
    }
  }
  return calls;
}

/// Where the addresses stand that the object calls by the name.
std::vector<void**> find_calls(void* library, std::string_view name) {
  std::vector<void**> found;
  link_map* object = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &object) != 0 || object == nullptr) return found;
  const Calls calls = calls_of(*object);
  if (calls.symbols == nullptr || calls.names == nullptr) return found;
  const auto look = [&](const Relocations& relocations, std::uint32_t type) {
    for (std::size_t i = 0; i < relocations.bytes / sizeof(ElfW(Rela)); ++i) {
      const ElfW(Rela)& each = relocations.first[i];
      if (ELF64_R_TYPE(each.r_info) == type &&
          name == calls.names + calls.symbols[ELF64_R_SYM(each.r_info)].st_name) {
        found.push_back(reinterpret_cast<void**>(object->l_addr + each.r_offset));
      }
    }
  };
  if (calls.called.first != nullptr) look(calls.called, R_X86_64_JUMP_SLOT);
  if (calls.loaded.first != nullptr) look(calls.loaded, R_X86_64_GLOB_DAT);
  return found;
}

/// True if `address` lies in what the loader has made read-only after it had filled it in.
bool is_sealed(const void* address) {
  struct Search {
    std::uintptr_t address;
    bool found = false;
  } search{reinterpret_cast<std::uintptr_t>(address)};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = object->dlpi_phdr[i];
          if (part.p_type != PT_GNU_RELRO) continue;
          const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
          wanted.found |= wanted.address >= begin && wanted.address < begin + part.p_memsz;
        }
        return 0;
      },
      &search);
  return search.found;
}

bool write(void** entry, void* call) {
  if (!is_sealed(entry)) {
    *entry = call;
    return true;
  }
  const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* const page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(entry) & ~(size - 1));
  if (mprotect(page, size, PROT_READ | PROT_WRITE) != 0) return false;
  *entry = call;
  mprotect(page, size, PROT_READ);
  return true;
}

}  // namespace

ReplacedCall::ReplacedCall(void* library, const char* name, void* function) {
  for (void** const entry : find_calls(library, name)) {
    void* const before = *entry;
    if (write(entry, function)) entries_.push_back({entry, before});
  }
}

ReplacedCall::~ReplacedCall() {
  for (const Entry& entry : entries_) write(entry.address, entry.before);
}

}  // namespace ugni::fabric
