// Random bits from the kernel.
#include "ugni_emu/fabric/transport/secret.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace ugni::fabric {
namespace {

/// Up to 256 bytes come whole, once the kernel has been started.
void draw_into(std::span<std::byte> bytes) {
  ssize_t drawn = 0;
  do {
    drawn = getrandom(bytes.data(), bytes.size(), 0);
  } while (drawn < 0 && errno == EINTR);
  if (drawn != static_cast<ssize_t>(bytes.size())) {
    throw std::system_error(errno, std::generic_category(),
                            "live wire: the kernel gives no random bytes");
  }
}

}  // namespace

Secret Secret::draw() {
  Secret fresh;
  draw_into(fresh.value_);
  return fresh;
}

Secret::Secret(std::span<const std::byte, bytes> told) {
  std::copy(told.begin(), told.end(), value_.begin());
}

bool Secret::is(std::span<const std::byte, bytes> other) const {
  std::uint64_t own[2];
  std::uint64_t given[2];
  std::memcpy(own, value_.data(), bytes);
  std::memcpy(given, other.data(), bytes);
  return ((own[0] ^ given[0]) | (own[1] ^ given[1])) == 0;
}

std::uint64_t random_key(std::size_t key_bytes) {
  std::uint64_t key = 0;
  constexpr std::uint64_t none = ~std::uint64_t{0};  // libfabric's FI_KEY_NOTAVAIL
  do {
    draw_into(std::as_writable_bytes(std::span(&key, 1)));
    if (key_bytes < sizeof key) key &= (std::uint64_t{1} << 8 * key_bytes) - 1;
  } while (key == 0 || key == none);
  return key;
}

}  // namespace ugni::fabric
