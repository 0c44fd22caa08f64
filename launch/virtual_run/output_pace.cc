// Lets out what ranks write in the order of virtual time.
#include "launch/virtual_run/output_pace.h"

#include "corespec/threads/node.h"
#include "corespec/virtual/virtual_thread.h"

namespace launch {
namespace {

/// So much of a measured program's, and others get their turn: it may write without end.
constexpr std::size_t much = 1U << 16;
/// So much goes out unordered before the host's memory is full: a modelled program has written it
/// at one moment of virtual time.
constexpr std::size_t too_much = 1U << 28;

}  // namespace

OutputPace::OutputPace(corespec::Engine& engine, JobOutput& output, corespec::Time distance)
    : engine_(engine), output_(output), distance_(distance) {
  engine_.add_settled_listener(*this);
  output_.set_pace(this);
}

OutputPace::~OutputPace() {
  output_.set_pace(nullptr);
  engine_.remove_settled_listener(*this);
}

bool OutputPace::settled(corespec::Time time) { return output_.write_out_before(time); }

void OutputPace::added(std::size_t bytes) {
  engine_.tell_when_settled();
  if (bytes > too_much) output_.write_out_all();
}

void OutputPace::added_and_may_wait(std::size_t bytes) {
  if (bytes <= much) return;
  auto& thread = static_cast<corespec::VirtualThread&>(corespec::this_thread());
  if (!thread.own_computing().measured() || thread.library_call() != nullptr) return;
  const corespec::LibraryCall call("write");
  thread.sync();
  slice_ended(thread);
}

/// Wherever the engine's turn has come to, all other domains of nodes are less than the least delay
/// between two of them behind.
void OutputPace::slice_ended(corespec::Thread& thread) {
  output_.write_out_before(thread.node().domain().now() - distance_);
}

/// For a person, perhaps, who is to read something first. What others may still have to write
/// before cannot come: the rank's call stops them all.
void OutputPace::waits_outside() { output_.write_out_all(); }

}  // namespace launch
