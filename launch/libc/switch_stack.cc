// The stack switches, in assembler: only the calling convention's registers matter.
#include "launch/libc/switch_stack.h"

__asm__(R"(
  .text
  .p2align 4
  .globl launch_enter_program
  .hidden launch_enter_program
  .type launch_enter_program, @function
launch_enter_program:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rcx)
  movq %rdi, %rax
  movq %rdx, %rcx
  leaq 0(,%rcx,8), %rdx
  subq %rdx, %rsp
  andq $-16, %rsp
  movq %rsp, %rdi
  cld
  rep movsq
  xorl %edx, %edx
  xorl %ebp, %ebp
  jmp *%rax
  .size launch_enter_program, .-launch_enter_program

  .p2align 4
  .globl launch_continue_program
  .hidden launch_continue_program
  .type launch_continue_program, @function
launch_continue_program:
  movq %rdi, %rsp
  andq $-16, %rsp
  movq %rdx, %rdi
  xorl %ebp, %ebp
  call *%rsi
  ud2
  .size launch_continue_program, .-launch_continue_program

  .p2align 4
  .globl launch_leave_program
  .hidden launch_leave_program
  .type launch_leave_program, @function
launch_leave_program:
  movq %rdi, %rsp
  cld
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size launch_leave_program, .-launch_leave_program

  .section .note.GNU-stack, "", @progbits
  .text
)");
