// Into a program and out of it: the two switches of stack around a rank's run.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// Saves the caller's registers on its stack (`*saved` then points to them), copies `count` words
/// below them and jumps to `entry` as a kernel would start a process: stack pointer at the words,
/// no exit function. Returns when launch_leave_program() is called with the saved pointer.
void launch_enter_program(std::uintptr_t entry, const std::uintptr_t* words, std::size_t count,
                          void** saved) __attribute__((visibility("hidden")));

/// Drops everything since launch_enter_program() without unwinding it.
[[noreturn]] void launch_leave_program(void* saved) __attribute__((visibility("hidden")));

}  // extern "C"
