// Executes the launcher anew with a larger block of thread-local variables.
#include "launch/virtual_launcher/tls_room.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

namespace launch {
namespace {

constexpr const char* variable = "GLIBC_TUNABLES";
constexpr std::size_t usual_bytes = 512;
/// Behind what the user has set. glibc knows no tunable of the first name, and passes over it.
constexpr std::string_view own_setting = "castor.tls_room=1:glibc.rtld.optional_static_tls=";

}  // namespace

TlsRoom::TlsRoom(std::vector<std::string> command) : command_(std::move(command)) {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return;
  std::string text = value;
  const std::size_t own = text.find(own_setting);
  if (own == std::string::npos) return;
  const std::size_t bytes = std::strtoull(text.c_str() + own + own_setting.size(), nullptr, 10);
  bytes_ = bytes > usual_bytes ? bytes - usual_bytes : 0;
  if (own == 0) {
    unsetenv(variable);
  } else {
    setenv(variable, text.substr(0, own - 1).c_str(), 1);
  }
}

void TlsRoom::require(std::size_t bytes) const {
  if (bytes <= bytes_) return;
  const char* const users = std::getenv(variable);
  std::string text = users == nullptr ? std::string() : std::string(users) + ":";
  text += std::string(own_setting) + std::to_string(usual_bytes + bytes);
  setenv(variable, text.c_str(), 1);
  std::vector<char*> pointers;
  for (const std::string& argument : command_) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  execv("/proc/self/exe", pointers.data());
  throw std::system_error(errno, std::generic_category(), "aprun cannot be executed again");
}

}  // namespace launch
