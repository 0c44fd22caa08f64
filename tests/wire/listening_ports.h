// Which TCP ports a process listens on, as the kernel says.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace wire_test {

struct Listener {
  std::uint32_t address = 0;  ///< as in_addr has it; 0: any, or of IPv6
  std::uint16_t port = 0;
  bool loopback = false;  ///< only processes of this host can reach it
};
std::vector<Listener> listening_ports(pid_t process);

}  // namespace wire_test
