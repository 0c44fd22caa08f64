// The first message of a PMIx 4 client to its server, as libpmix writes it.
#pragma once

#include <arpa/inet.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>

namespace launch_test {

inline std::string in_network_order(std::uint32_t number) {
  const std::uint32_t ordered = htonl(number);
  return {reinterpret_cast<const char*>(&ordered), sizeof ordered};
}

inline std::string with_end(const std::string& name) { return name + '\0'; }

/// `identity`: what kind of process it is, and which.
inline std::string greeting_as(const std::string& identity) {
  const std::array<std::uint32_t, 2> user{geteuid(), getegid()};
  const std::string body = with_end("native") + in_network_order(sizeof user) +
                           std::string(reinterpret_cast<const char*>(user.data()), sizeof user) +
                           identity + with_end("4.2.2") + with_end("v41") + '\1' + with_end("hash");
  const std::array<std::uint32_t, 4> head{~0U, ~0U, static_cast<std::uint32_t>(body.size()), 0};
  return std::string(reinterpret_cast<const char*>(head.data()), sizeof head) + body;
}

inline std::string greeting(const std::string& space, std::uint32_t rank) {
  return greeting_as('\0' + with_end(space) + in_network_order(rank));
}

/// Of a tool that the server is to give a name.
inline std::string tools_greeting() {
  return greeting_as('\3' + in_network_order(geteuid()) + in_network_order(getegid()));
}

}  // namespace launch_test
