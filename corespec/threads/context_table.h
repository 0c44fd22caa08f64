// The calling contexts of a rank, numbered.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace corespec {

class Thread;

/// Number of a calling context in its rank's table; 0: none.
using ContextNumber = std::uint32_t;

/// Each context that a rank's threads have been in when one of Castor's libraries asked, once, in
/// order of first use. A rank has a table only where something wants contexts
/// (Process::keep_contexts()).
///
/// Asking costs little after the first time: a walk of the stack is remembered with the stack slots
/// where it found the return addresses. Where a call comes again from the same place of the same
/// stack and each of these slots holds what it held, the context is the same: from one frame to the
/// next an unwinder needs the return address and where the frame ends, and both are the same. (Of a
/// frame that moves its stack pointer while it runs, alloca(), this is only almost certain.)
class ContextTable {
 public:
  /// That of the calling thread, whose table this is.
  ContextNumber here();

  /// Return addresses, the innermost first. The first ones lie in Castor's libraries.
  std::span<void* const> addresses(ContextNumber number) const { return contexts_[number - 1]; }
  /// Numbers are 1 to size().
  std::size_t size() const { return contexts_.size(); }

 private:
  /// Where a walk began: the end of its first frame, and the address behind the call there.
  struct Place {
    const void* frame;
    const void* caller;
    auto operator<=>(const Place&) const = default;
  };
  struct Slot {
    void* const* at;
    void* value;
  };
  struct Walk {
    std::vector<Slot> slots;
    ContextNumber number = 0;
  };

  ContextNumber walk(const Place& place);
  ContextNumber number_of(const std::vector<void*>& addresses);

  std::map<Place, Walk> walks_;
  std::map<std::vector<void*>, ContextNumber> numbers_;
  std::vector<std::vector<void*>> contexts_;
};

/// The calling thread's present context; 0 where its rank keeps none. At most once a call in a
/// library: it looks at as much stack as the context is deep.
ContextNumber context_of(const Thread& thread);

}  // namespace corespec
