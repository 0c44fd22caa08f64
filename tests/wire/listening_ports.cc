// Listening sockets by /proc: the process's descriptors, the system's table.
#include "tests/wire/listening_ports.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <system_error>

namespace wire_test {
namespace {

/// Inodes of the process's sockets.
std::set<std::string> sockets_of(pid_t process) {
  std::set<std::string> inodes;
  const std::filesystem::path folder = "/proc/" + std::to_string(process) + "/fd";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    const std::string prefix = "socket:[";
    if (target.rfind(prefix, 0) != 0) continue;
    inodes.insert(target.substr(prefix.size(), target.size() - prefix.size() - 1));
  }
  return inodes;
}

bool is_loopback(const std::string& address) {
  return address == "0100007F" || address == "00000000000000000000000001000000" ||
         address == "0000000000000000FFFF00000100007F";
}

}  // namespace

std::vector<Listener> listening_ports(pid_t process) {
  const std::set<std::string> own = sockets_of(process);
  std::vector<Listener> listeners;
  for (const char* table : {"tcp", "tcp6"}) {
    std::ifstream file("/proc/" + std::to_string(process) + "/net/" + table);
    std::string line;
    std::getline(file, line);  // the heading
    while (std::getline(file, line)) {
      std::istringstream fields(line);
      std::string number, local, remote, state, queues, timer, retransmits, uid, timeout, inode;
      fields >> number >> local >> remote >> state >> queues >> timer >> retransmits >> uid >>
          timeout >> inode;
      const std::size_t colon = local.find(':');
      if (state != "0A" || !own.contains(inode) || colon == std::string::npos) continue;
      const std::string address = local.substr(0, colon);
      const bool version_4 = address.size() == 8;
      constexpr int hexadecimal = 16;
      listeners.push_back(
          {version_4 ? static_cast<std::uint32_t>(std::stoul(address, nullptr, hexadecimal)) : 0,
           static_cast<std::uint16_t>(std::stoul(local.substr(colon + 1), nullptr, hexadecimal)),
           is_loopback(address)});
    }
  }
  return listeners;
}

}  // namespace wire_test
