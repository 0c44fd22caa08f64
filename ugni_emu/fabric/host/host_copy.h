// Bytes between this process's memory and another's of the host.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>

#include "ugni_emu/fabric/transport/transport.h"

namespace ugni::fabric {

/// The kernel copies at once: `moved`; `refused` if this process may not do it; `failed` if that
/// memory has gone.
/// (libfabric's shared-memory provider asks the kernel for the same, but never says so if it fails,
/// and keeps the peer from its own queue meanwhile.)
Outcome read_host(pid_t process, std::span<std::byte> into, RemoteMemory from);
Outcome write_host(pid_t process, std::span<const std::byte> data, RemoteMemory to);

/// True if the kernel does it for processes of this host, as far as this one can tell.
bool may_copy();

}  // namespace ugni::fabric
