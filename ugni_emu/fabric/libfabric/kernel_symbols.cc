// What libfabric's fopen() says of the kernel's list of symbols.
#include "ugni_emu/fabric/libfabric/kernel_symbols.h"

#include <cerrno>
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

}  // namespace

KernelSymbolsHidden::KernelSymbolsHidden(void* library)
    : open_(library, "fopen", reinterpret_cast<void*>(&open_other_files)) {}

}  // namespace ugni::fabric
