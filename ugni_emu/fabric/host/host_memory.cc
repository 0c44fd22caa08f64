// A memory file, mapped by the processes of a host.
#include "ugni_emu/fabric/host/host_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "ugni_emu/fabric/host/host_error.h"

namespace ugni::fabric {

HostMemory::HostMemory(bool first, std::size_t bytes) : size_(bytes) {
  if (!first) return;
  file_ = memfd_create("castor-host", MFD_CLOEXEC);
  if (file_ < 0 || ftruncate(file_, static_cast<off_t>(size_)) != 0) {
    refused_by_host("no memory to share with this host's processes");
  }
}

HostMemory::~HostMemory() {
  if (bytes_ != nullptr) munmap(bytes_, size_);
  if (file_ >= 0) close(file_);
}

HostMemory::Card HostMemory::card() const { return {getpid(), file_}; }

void HostMemory::meet(const Card& first) {
  if (file_ < 0) {
    const std::string path = fmt::format("/proc/{}/fd/{}", first.process, first.file);
    file_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file_ < 0) refused_by_host("the memory of this host's first process cannot be opened");
  }
  void* const memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (memory == MAP_FAILED)
    refused_by_host("the memory of this host's first process cannot be mapped");
  bytes_ = static_cast<std::byte*>(memory);
}

}  // namespace ugni::fabric
