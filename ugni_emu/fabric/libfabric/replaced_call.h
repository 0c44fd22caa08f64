// A loaded library's calls of one function go to another.
#pragma once

#include <vector>

namespace ugni::fabric {

/// As long as this exists, what `library` itself calls by the name is `function`; all other
/// code calls what it always has. By the library's table of addresses, which the loader has filled
/// in.
class ReplacedCall {
 public:
  /// `library`: from dlopen(). Does nothing where it has no such entry, or where its table cannot
  /// be changed.
  ReplacedCall(void* library, const char* name, void* function);
  ~ReplacedCall();
  ReplacedCall(const ReplacedCall&) = delete;
  ReplacedCall& operator=(const ReplacedCall&) = delete;

  explicit operator bool() const { return !entries_.empty(); }

 private:
  struct Entry {
    void** address;  ///< where it stands
    void* before;
  };
  std::vector<Entry> entries_;
};

}  // namespace ugni::fabric
