// A thread's part of an occurrence.
#include "corespec/threads/observed_thread.h"

#include "corespec/threads/node.h"
#include "corespec/threads/process.h"

namespace corespec {

Occurrence observed(Occurrence::Kind kind, const Thread& thread, Time at, const LibraryCall* call) {
  Occurrence made{kind};
  made.place = static_cast<std::uint32_t>(thread.node().nid());
  made.role = static_cast<std::uint8_t>(thread.role());
  if (thread.process() != nullptr) made.rank = thread.process()->rank();
  made.thread = thread.number();
  made.begin = made.end = at;
  if (call != nullptr) made.call = call->function();
  return made;
}

Occurrence observed_message(Occurrence::Kind kind, const ObservedMessage& message) {
  const Thread& thread = this_thread();
  Occurrence made = observed(kind, thread, thread.own_time(), thread.library_call());
  made.part = message.of_collective ? 1 : 0;
  made.peer = message.peer;
  made.key = message.key;
  made.bytes = message.bytes;
  made.protocol = message.protocol;
  return made;
}

}  // namespace corespec
