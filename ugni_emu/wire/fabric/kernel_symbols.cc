// The entry for fopen in libfabric's table of calls.
#include "ugni_emu/wire/fabric/kernel_symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace ugni::fabric {
namespace {

std::FILE* open_other_files(const char* path, const char* mode) {
  if (path != nullptr && std::string_view(path) == "/proc/kallsyms") {
    errno = ENOENT;
    return nullptr;
  }
  return std::fopen(path, mode);
}

/// What an object's dynamic section says of its calls to other objects.
struct Calls {
  const ElfW(Rela) * first = nullptr;
  std::size_t bytes = 0;
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
};

Calls calls_of(const link_map& object) {
  Calls calls;
  for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_JMPREL:
        calls.first = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        calls.bytes = entry->d_un.d_val;
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

void** find_call(void* library, std::string_view name) {
  link_map* object = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &object) != 0 || object == nullptr) return nullptr;
  const Calls calls = calls_of(*object);
  if (calls.first == nullptr || calls.symbols == nullptr || calls.names == nullptr) return nullptr;
  for (std::size_t i = 0; i < calls.bytes / sizeof(ElfW(Rela)); ++i) {
    const ElfW(Rela)& call = calls.first[i];
    if (name == calls.names + calls.symbols[ELF64_R_SYM(call.r_info)].st_name) {
      return reinterpret_cast<void**>(object->l_addr + call.r_offset);
    }
  }
  return nullptr;
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

}  // namespace

KernelSymbolsHidden::KernelSymbolsHidden(void* library) : call_(find_call(library, "fopen")) {
  if (call_ == nullptr) return;
  before_ = *call_;
  sealed_ = is_sealed(call_);
  write(reinterpret_cast<void*>(&open_other_files));
}

KernelSymbolsHidden::~KernelSymbolsHidden() {
  if (call_ != nullptr) write(before_);
}

void KernelSymbolsHidden::write(void* call) const {
  if (!sealed_) {
    *call_ = call;
    return;
  }
  const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* const page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(call_) & ~(size - 1));
  if (mprotect(page, size, PROT_READ | PROT_WRITE) != 0) return;
  *call_ = call;
  mprotect(page, size, PROT_READ);
}

}  // namespace ugni::fabric
