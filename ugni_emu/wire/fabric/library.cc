// Loading libfabric.
#include "ugni_emu/wire/fabric/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>
#include <type_traits>

namespace ugni::fabric {

KeptSignals::KeptSignals() {
  for (std::size_t number = 1; number < kept_.size(); ++number) {
    sigaction(static_cast<int>(number), nullptr, &kept_[number]);
  }
}

KeptSignals::~KeptSignals() {
  for (std::size_t number = 1; number < kept_.size(); ++number) {
    sigaction(static_cast<int>(number), &kept_[number], nullptr);
  }
}

Library::Library() {
  const KeptSignals signals;
  handle = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    throw std::runtime_error(fmt::format("live wire: libfabric cannot be loaded: {}", dlerror()));
  }
  const auto find = [&](const char* name, auto& into) {
    void* const symbol = dlsym(handle, name);
    if (symbol == nullptr) {
      throw std::runtime_error(fmt::format("live wire: libfabric.so.1 has no {}", name));
    }
    into = reinterpret_cast<std::remove_reference_t<decltype(into)>>(symbol);
  };
  find("fi_getinfo", getinfo);
  find("fi_freeinfo", freeinfo);
  find("fi_dupinfo", dupinfo);
  find("fi_fabric", fabric);
  find("fi_strerror", strerror);
}

}  // namespace ugni::fabric
