// Loading libfabric.
#include "ugni_emu/fabric/libfabric/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "ugni_emu/fabric/transport/transport.h"

namespace ugni::fabric {

void ask_for_small_buffers() {
  constexpr std::size_t provider_head = 256;  // more than ofi_rxm puts before a message
  constexpr std::size_t posted = 64;          // receives of a connection that wait for messages
  setenv("FI_OFI_RXM_BUFFER_SIZE",
         std::to_string(Buffer::room + Buffer::behind + provider_head).c_str(), 0);
  setenv("FI_OFI_RXM_MSG_RX_SIZE", std::to_string(posted).c_str(), 0);
}

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
  // While libinfinipath is being loaded, which a provider needs, a signal would end the process as
  // that library likes: with a backtrace, or with 1 and no word.
  setenv("IPATH_NO_BACKTRACE", "1", 0);
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
