// Into a program and out of it: the switches of stack around a rank's run.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// Saves the caller's registers on its stack (`*saved` then points to them), copies `count` words
/// below them and jumps to `entry` as a kernel would start a process: stack pointer at the words,
/// no exit function. Returns when launch_leave_program() is called with the saved pointer.
void launch_enter_program(std::uintptr_t entry, const std::uintptr_t* words, std::size_t count,
                          void** saved) __attribute__((visibility("hidden")));

/// Where launch_enter_program() has put the words.
inline std::uintptr_t launch_entered_stack(void* saved, std::size_t count) {
  return (reinterpret_cast<std::uintptr_t>(saved) - count * sizeof(std::uintptr_t)) &
         ~std::uintptr_t{15};
}

/// Drops everything since launch_enter_program(), the words included, and calls
/// `function(argument)` in its place; it must not return.
[[noreturn]] void launch_continue_program(void* saved, void (*function)(void*), void* argument)
    __attribute__((visibility("hidden")));

/// Drops everything since launch_enter_program() without unwinding it.
[[noreturn]] void launch_leave_program(void* saved) __attribute__((visibility("hidden")));

}  // extern "C"
