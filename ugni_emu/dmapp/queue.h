// A PE's queue of messages: where it lies, and what it calls back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ugni_emu/include/dmapp.h"

/// What a dmapp_queue_handle_t points to. The memory is the symmetric heap's, at the same place at
/// all PEs: a head (see queue.cc), and `depth` places for messages of `words` 8-byte words.
struct dmapp_queue {
  dmapp_queue_callback_t callback;
  void* context;
  std::byte* memory;
  std::uint64_t depth;
  std::uint64_t words;
  std::uint64_t taken = 0;  ///< messages so far
  bool delivering = false;  ///< in the program's callback
};

namespace dmapp {

/// Calls back for the messages that have come, within `function`. For functions of DMAPP that are
/// not in the callback, and that hold nothing: the program's function may call any of them.
void deliver_messages(const char* function);

}  // namespace dmapp
