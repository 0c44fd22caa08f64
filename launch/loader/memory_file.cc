// Memory files, and the dynamic loader's view of them.
#include "launch/loader/memory_file.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "launch/loader/load_error.h"
#include "launch/loader/missing_symbols.h"

namespace launch {

int write_memory_file(const std::string& path, const std::vector<std::byte>& bytes) {
  const int fd = memfd_create("castor", MFD_CLOEXEC);
  if (fd < 0) {
    throw LoadError(path, std::string("no memory file for a copy: ") + std::strerror(errno));
  }
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = write(fd, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = errno;
      close(fd);
      throw LoadError(path, std::string("no memory for a copy: ") + std::strerror(error));
    }
    done += static_cast<std::size_t>(written);
  }
  return fd;
}

std::string open_path(int fd) { return std::string(open_files) + "/" + std::to_string(fd); }

// The number is spelt with the two ways of writing a slash that change nothing; counting from 1,
// none is spelt like a library's.
std::string unique_path(int fd, std::uint64_t number) {
  std::string path = open_files;
  for (number += 1; number != 0; number >>= 1) path += (number & 1) != 0 ? "//" : "/.";
  return path + "/" + std::to_string(fd);
}

std::string loader_message() {
  const char* text = dlerror();
  std::string message = text != nullptr ? text : "cannot be loaded";
  if (message.rfind(open_files, 0) == 0) {
    const auto colon = message.find(": ");
    if (colon != std::string::npos) message.erase(0, colon + 2);
  }
  std::replace(message.begin(), message.end(), '\n', ' ');
  if (message.find("failed to map segment") != std::string::npos) {
    return "no room for another copy (the kernel's vm.max_map_count allows some 13,000); use "
           "fewer ranks, or declare the program CORESPEC_SHARED_IMAGE if it has no globals";
  }
  if (message.find("static TLS block") != std::string::npos) {
    return "no room for the thread-local variables of so many copies; use fewer ranks";
  }
  constexpr std::string_view undefined = "undefined symbol: ";
  if (message.rfind(undefined, 0) == 0) {
    message = missing_text(message.substr(undefined.size()));
  }
  return message;
}

std::uintptr_t load_address(void* handle) {
  link_map* map = nullptr;
  dlinfo(handle, RTLD_DI_LINKMAP, &map);
  return map->l_addr;
}

}  // namespace launch
