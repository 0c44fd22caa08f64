// Memory that the job's processes of one host share, without a name in a file system.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ugni::fabric {

/// The host's first process makes it, the others open it through that process's descriptors. Zero
/// at first; committed where it is touched.
class HostMemory {
 public:
  /// What the host's first process tells the others.
  struct Card {
    std::int32_t process = 0;  ///< id
    std::int32_t file = -1;    ///< its descriptor of the memory
  };

  /// `first` makes it. Throws std::runtime_error with one line, as all do.
  HostMemory(bool first, std::size_t bytes);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  Card card() const;
  /// `first`: the card of the host's first process.
  void meet(const Card& first);
  std::byte* bytes() const { return bytes_; }

 private:
  std::size_t size_;
  int file_ = -1;
  std::byte* bytes_ = nullptr;
};

}  // namespace ugni::fabric
