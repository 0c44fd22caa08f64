// What only the job's processes know: the secret that opens messages, the keys of registered
// memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ugni::fabric {

/// 128 random bits. Each process draws its own for a transport that strangers can reach; peers
/// learn it with the transport's address, and put it behind each message. It is neither printed nor
/// logged.
class Secret {
 public:
  static constexpr std::size_t bytes = 16;

  /// A fresh one. Throws std::system_error if the kernel gives no random bytes.
  static Secret draw();
  /// A peer's, as it was told.
  explicit Secret(std::span<const std::byte, bytes> told);

  std::span<const std::byte, bytes> view() const { return value_; }
  /// Takes as long whatever differs.
  bool is(std::span<const std::byte, bytes> other) const;

 private:
  Secret() = default;
  std::array<std::byte, bytes> value_{};
};

/// A key for registered memory that no stranger can guess or count up to. Of providers whose keys
/// are shorter, `key_bytes` of it.
std::uint64_t random_key(std::size_t key_bytes);

}  // namespace ugni::fabric
