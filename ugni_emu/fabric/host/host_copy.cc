// Cross-memory attach.
#include "ugni_emu/fabric/host/host_copy.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace ugni::fabric {
namespace {

/// The memory may be there all the same.
bool is_refusal(int error) {
  return error == EPERM || error == EACCES || error == ENOSYS || error == ENOMEM;
}

/// `move`: process_vm_readv or process_vm_writev.
template <typename Move>
Outcome move_all(const Move& move, pid_t process, std::span<const std::byte> own,
                 std::uint64_t theirs) {
  while (!own.empty()) {
    const iovec here{const_cast<std::byte*>(own.data()), own.size()};
    const iovec there{reinterpret_cast<void*>(theirs), own.size()};
    const ssize_t moved = move(process, &here, 1, &there, 1, 0);
    if (moved < 0 && is_refusal(errno)) return Outcome::refused;
    if (moved <= 0) return Outcome::failed;
    own = own.subspan(static_cast<std::size_t>(moved));
    theirs += static_cast<std::uint64_t>(moved);
  }
  return Outcome::moved;
}

}  // namespace

Outcome read_host(pid_t process, std::span<std::byte> into, RemoteMemory from) {
  return move_all(process_vm_readv, process, into, from.address);
}

Outcome write_host(pid_t process, std::span<const std::byte> data, RemoteMemory to) {
  return move_all(process_vm_writev, process, data, to.address);
}

bool may_copy() {
  int word = 0, copy = 0;
  const iovec from{&word, sizeof word}, to{&copy, sizeof copy};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof word;
}

}  // namespace ugni::fabric
