// The one interface by which objects have the host prefetch memory before it is needed.
#pragma once

#include <cstdint>

namespace corespec {

class LineRequests;

/// What is about to happen to an object. Two registers.
struct Upcoming {
  enum class Kind : std::uint64_t {
    event,         ///< Event::fire(arg)
    effect,        ///< DeferredEffect::perform()
    notification,  ///< Signal::Watcher::notified()
    look,          ///< at queues: see Signal::set_reader()
    library_call,  ///< of a rank, which has a ProcessState
    arrival        ///< of what `arg` is the address of: see ugni_emu/wire/wire_prefetch.h
  };
  Kind kind;
  std::uint64_t arg = 0;
};

/// With many nodes no cache holds what the next event needs, and one piece of it is found through
/// another. Such chains are followed ahead of time, a step at a time: see turn_prefetch.h.
/// What classes prefetch is in files of its own beside them, *_prefetch.cc or *_prefetch.h.
class Prefetchable {
 public:
  /// Adds to `lines` the memory that `what` will need: called a little before, and only a hint.
  /// Step 0 may read the first line of the object; each later one what the step before added.
  /// False: there is nothing more to add; further steps do no harm.
  virtual bool prefetch(Upcoming /*what*/, unsigned /*step*/, LineRequests&) const { return false; }

 protected:
  ~Prefetchable() = default;
};

}  // namespace corespec
