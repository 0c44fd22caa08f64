// The common course of ARMCI's functions: the calling rank, and what a mistake leads to.
#pragma once

#include "armci/core/armci_state.h"
#include "armci/core/fail.h"
#include "armci/include/armci.h"
#include "armci/include/message.h"
#include "corespec/threads/node.h"
#include "corespec/threads/thread.h"

/// The weak name ARMCI_x of a PARMCI_x that is defined in the same file.
#define ARMCI_PUBLIC(name) \
  extern "C" decltype(PARMCI_##name) ARMCI_##name __attribute__((weak, alias("PARMCI_" #name)))

namespace armci {

/// Return codes of either dialect.
enum Code : int {
  ok = 0,
  bad_base = -1,
  bad_array = -2,
  bad_bytes = -3,
  bad_levels = -4,
  bad_proc = -5,
  refused = -6
};

/// A call of a rank between ARMCI_Init and ARMCI_Finalize; others end the job.
class Call {
  corespec::LibraryCall library_call_;  // first in, last out

 public:
  explicit Call(const char* function)
      : library_call_(function), state_(this_state()), hold_(corespec::this_thread_or_null()) {
    if (state_ == nullptr) fail(function, "called before ARMCI_Init");
  }
  State& state() const { return *state_; }
  State* operator->() const { return state_; }
  bool is_rank(int proc) const { return proc >= 0 && proc < state_->size(); }

 private:
  State* state_;
  corespec::DomainHold hold_;
};

/// A handle begins with two ints in both dialects: its ticket (0: none yet) and whether it
/// aggregates.
class Handle {
 public:
  explicit Handle(void* handle) : words_(static_cast<int*>(handle)) {}
  bool given() const { return words_ != nullptr; }
  Ticket ticket() const { return words_[0]; }
  bool aggregates() const { return words_[1] != 0; }
  void clear() { words_[0] = words_[1] = 0; }
  void set_aggregates(bool on) { words_[1] = on ? 1 : 0; }
  /// A ticket for operations under it.
  Ticket take(State& state) {
    if (words_[0] == 0) words_[0] = state.next_ticket++;
    return words_[0];
  }
  void done() { words_[0] = 0; }

 private:
  int* words_;
};

/// Sends what an aggregate handle holds.
bool flush(State& state, Ticket ticket);

/// The group behind a handle, of which both dialects have the communicator first.
const Group* find_group(State& state, const void* handle);

}  // namespace armci
