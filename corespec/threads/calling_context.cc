// Calling contexts: libgcc's unwinder, begun where a stack that does not run was left.
#include "corespec/threads/calling_context.h"

#include <execinfo.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstring>

#if !defined(__x86_64__)
#error "x86-64 only: castor_look_from() is written for it"
#endif

/// Calls look(argument) on the calling stack, with a frame below it that says it was called by the
/// function whose frame address is `frame`: an unwinder that begins in look() goes on there. That
/// function keeps its caller's %rbp and its return address at its frame address, as all with a
/// frame pointer do. Of the other registers nothing is known, and unwinding from call to call asks
/// for none of them.
extern "C" void castor_look_from(void (*look)(void*), void* argument, const void* frame);
asm(R"(
  .text
  .p2align 4
  .hidden castor_look_from
  .globl castor_look_from
  .type castor_look_from, @function
castor_look_from:
  .cfi_startproc
  push %rbp
  .cfi_adjust_cfa_offset 8
  push %rbx
  .cfi_adjust_cfa_offset 8
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  mov %rsp, %rbx
  mov %rdi, %rax
  mov %rsi, %rdi
  mov %rdx, %rbp
  .cfi_def_cfa %rbp, 16
  .cfi_offset %rbp, -16
  .cfi_undefined %rbx
  .cfi_undefined %r12
  .cfi_undefined %r13
  .cfi_undefined %r14
  .cfi_undefined %r15
  call *%rax
  mov %rbx, %rsp
  add $8, %rsp
  pop %rbx
  pop %rbp
  ret
  .cfi_endproc
  .size castor_look_from, . - castor_look_from
)");

namespace corespec {
namespace {

/// Of the walk itself: these frames come before those of the stack that is looked at.
constexpr std::size_t own_frames = 4;
constexpr std::size_t most_frames = 256;

struct Look {
  std::array<void*, most_frames + own_frames> addresses;
  std::size_t wanted;
  std::size_t found = 0;
};

void look(void* argument) {
  auto& its = *static_cast<Look*>(argument);
  its.found =
      static_cast<std::size_t>(backtrace(its.addresses.data(), static_cast<int>(its.wanted)));
}

/// Where a signal handler returns to: mov $15, %rax; syscall (rt_sigreturn).
bool ends_a_signal(const void* address) {
  constexpr std::array<unsigned char, 9> code = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05};
  return std::memcmp(address, code.data(), code.size()) == 0;
}

/// What a signal has interrupted is an instruction, not one behind a call: one more, so that for
/// all addresses the byte before is what the thread was at.
void count_as_returns(std::span<void*> context) {
  for (std::size_t i = 1; i < context.size(); ++i) {
    if (ends_a_signal(context[i - 1])) context[i] = static_cast<std::byte*>(context[i]) + 1;
  }
}

}  // namespace

std::size_t own_context(std::span<void*> to) {
  const std::size_t room = std::min<std::size_t>(to.size(), INT_MAX);
  const auto count = static_cast<std::size_t>(backtrace(to.data(), static_cast<int>(room)));
  count_as_returns(to.first(count));
  return count;
}

std::size_t context_from(const void* frame, std::span<void*> to) {
  Look its;
  its.wanted = std::min(to.size(), most_frames) + own_frames;
  castor_look_from(look, &its, frame);
  // The function's own frame gives the first address: where it was called.
  const void* const called_from = static_cast<void* const*>(frame)[1];
  const auto end = its.addresses.begin() + static_cast<std::ptrdiff_t>(its.found);
  const auto begin = std::find(its.addresses.begin(), end, called_from);
  const std::size_t count = std::min<std::size_t>(static_cast<std::size_t>(end - begin), to.size());
  std::copy_n(begin, count, to.begin());
  count_as_returns(to.first(count));
  return count;
}

}  // namespace corespec
