// Walks of the stack, and those that are remembered.
#include "corespec/threads/context_table.h"

#include <unwind.h>

#include <algorithm>

#include "corespec/threads/calling_context.h"
#include "corespec/threads/process.h"
#include "corespec/threads/thread.h"

namespace corespec {
namespace {

/// A rank's walks that are remembered. More, and all are forgotten: a program whose calls come from
/// ever other places of its stack.
constexpr std::size_t most_walks = 4096;

struct Found {
  std::vector<void*> addresses;
  std::vector<void* const*> slots;
};

/// The return address of a frame lies just below the end of the frame that it called.
_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* argument) {
  auto& found = *static_cast<Found*>(argument);
  const _Unwind_Ptr address = _Unwind_GetIP(context);
  if (address == 0 || found.addresses.size() == most_context) return _URC_END_OF_STACK;
  found.addresses.push_back(reinterpret_cast<void*>(address));
  found.slots.push_back(reinterpret_cast<void* const*>(_Unwind_GetCFA(context)) - 1);
  return _URC_NO_REASON;
}

}  // namespace

[[gnu::noinline]] ContextNumber ContextTable::here() {
  const Place place{__builtin_frame_address(0), __builtin_return_address(0)};
  const auto found = walks_.find(place);
  if (found != walks_.end()) {
    const auto& slots = found->second.slots;
    const bool same = std::all_of(slots.begin(), slots.end(),
                                  [](const Slot& slot) { return *slot.at == slot.value; });
    if (same) return found->second.number;
  }
  return walk(place);
}

[[gnu::noinline]] ContextNumber ContextTable::walk(const Place& place) {
  Found found;
  _Unwind_Backtrace(add_frame, &found);
  // From the caller of here() on: what is before it is this table's own.
  const auto begin = std::find(found.addresses.begin(), found.addresses.end(), place.caller);
  const auto own = begin - found.addresses.begin();
  const ContextNumber number = number_of({begin, found.addresses.end()});
  if (walks_.size() >= most_walks) walks_.clear();
  Walk& remembered = walks_[place];
  remembered.number = number;
  remembered.slots.clear();
  bool all_found = begin != found.addresses.end();
  for (auto i = static_cast<std::size_t>(own); i < found.addresses.size(); ++i) {
    const Slot slot{found.slots[i], found.addresses[i]};
    all_found = all_found && *slot.at == slot.value;
    remembered.slots.push_back(slot);
  }
  if (!all_found) walks_.erase(place);  // a frame that is not as others are: no short way
  return number;
}

ContextNumber ContextTable::number_of(const std::vector<void*>& addresses) {
  const auto [found, fresh] =
      numbers_.try_emplace(addresses, static_cast<ContextNumber>(contexts_.size() + 1));
  if (fresh) contexts_.push_back(addresses);
  return found->second;
}

ContextNumber context_of(const Thread& thread) {
  Process* const process = thread.process();
  ContextTable* const table = process == nullptr ? nullptr : process->contexts();
  return table == nullptr ? 0 : table->here();
}

}  // namespace corespec
