// The first message of a process to its PMIx server.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace launch {

/// Which rank a process says it is.
struct PmixHello {
  std::string space;  ///< PMIx's namespace
  unsigned rank = 0;
};

/// Bytes that come before all others and say how many follow.
constexpr std::size_t pmix_hello_head = 16;
/// No rank's is longer: names of components, a credential, a namespace.
constexpr std::size_t longest_pmix_hello = 8192;

/// Length of the whole message that begins with these pmix_hello_head bytes, or 0 if it is longer
/// than any.
std::size_t pmix_hello_length(std::string_view head);

/// What the whole message says; nothing if it is no rank's, or garbled anywhere. libpmix 4.2.2
/// copies as many bytes as the message says a credential has, whether they are there or not.
std::optional<PmixHello> parse_pmix_hello(std::string_view message);

}  // namespace launch
