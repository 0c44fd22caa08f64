// Where a signal has interrupted a rank: by the dynamic loader's map, and up the stack.
#include "launch/virtual_run/own_code.h"

#include <dlfcn.h>
#include <link.h>
#include <ucontext.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace launch {
namespace {

enum class Owner { launcher, rank, shared };

/// What the loader gives copies as names begins with the folder of open files (memory_file.h).
Owner code_owner(std::uintptr_t address) {
  constexpr char copies[] = "/proc/self/fd/";
  dl_find_object found{};
  // Without a lock, unlike dladdr().
  if (_dl_find_object(reinterpret_cast<void*>(address), &found) != 0) return Owner::shared;
  const char* const name = found.dlfo_link_map->l_name;
  if (name[0] == '\0') return Owner::launcher;
  return std::strncmp(name, copies, sizeof copies - 1) == 0 ? Owner::rank : Owner::shared;
}

std::uintptr_t interrupted_at(const void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
  return static_cast<std::uintptr_t>(registers.gregs[REG_RIP]);
}

/// A walk from the signal's handler outwards.
struct Walk {
  std::uintptr_t interrupted;
  bool below = true;  ///< still in what the signal has put on the stack
  int frames = 0;
  bool own = true;
};

/// More frames are a recursion of the program's.
constexpr int most_frames = 200;

_Unwind_Reason_Code look(_Unwind_Context* frame, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  const auto address = static_cast<std::uintptr_t>(_Unwind_GetIP(frame));
  if (walk.below) {
    walk.below = address != walk.interrupted;
    return _URC_NO_REASON;
  }
  const Owner owner = code_owner(address - 1);  // a call may be its function's last instruction
  if (owner == Owner::rank && ++walk.frames < most_frames) return _URC_NO_REASON;
  walk.own = owner != Owner::shared;
  return _URC_END_OF_STACK;
}

}  // namespace

bool interrupted_own_code(const void* context) {
  Walk walk{interrupted_at(context)};
  if (code_owner(walk.interrupted) != Owner::rank) return false;
  _Unwind_Backtrace(look, &walk);
  return walk.own && !walk.below;
}

const char* interrupted_function(const void* context) {
  Dl_info found{};
  if (dladdr(reinterpret_cast<void*>(interrupted_at(context)), &found) == 0) return nullptr;
  const char* name = found.dli_sname;
  while (name != nullptr && *name == '_') ++name;
  return name;
}

bool waits_outside(const void* context) {
  if (code_owner(interrupted_at(context)) != Owner::shared) return false;
  const char* const name = interrupted_function(context);
  if (name == nullptr) return false;
  constexpr std::array<std::string_view, 10> calls{
      "read", "readv", "wait4", "waitid", "poll", "accept", "recv", "recvfrom", "recvmsg", "flock"};
  return std::find(calls.begin(), calls.end(), name) != calls.end();
}

}  // namespace launch
