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
  made.begin = made.end = at;
  if (call != nullptr) made.call = call->function();
  return made;
}

}  // namespace corespec
