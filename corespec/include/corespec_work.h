/* A program's own computing, declared: runs with Castor and, unchanged, without it. */
#pragma once

#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Castor's side of corespec_work_ns(): occupies the caller's modelled CPU for `ns` nanoseconds of
 * virtual time. Absent (null) where the program does not run under Castor. */
void castor_work_ns(double ns) __attribute__((weak));

/* What programs say of themselves, in an ELF note that survives stripping. */
#define CORESPEC_NOTE_OWNER "Castor"
#define CORESPEC_NOTE_VERSION 1
#define CORESPEC_NOTE_MODELLED 1
#define CORESPEC_NOTE_SHARED 2

#define CORESPEC_NOTE_TEXT_(value) #value
#define CORESPEC_NOTE_TEXT(value) CORESPEC_NOTE_TEXT_(value)
#define CORESPEC_NOTE(type) \
  __asm__(                                                          \
      ".pushsection .note.castor, \"a\", @note\n"                   \
      ".balign 4\n"                                                 \
      ".long 7\n"                                                   \
      ".long 4\n"                                                   \
      ".long " CORESPEC_NOTE_TEXT(type) "\n"                        \
      ".asciz \"" CORESPEC_NOTE_OWNER "\"\n"                        \
      ".balign 4\n"                                                 \
      ".long " CORESPEC_NOTE_TEXT(CORESPEC_NOTE_VERSION) "\n"       \
      ".popsection\n")

/* At file scope of one source file: all computing of this program is declared through
 * corespec_work_ns(); the code between library calls is free, and a run is exact. */
#define CORESPEC_MODELLED_PROGRAM CORESPEC_NOTE(CORESPEC_NOTE_MODELLED)

/* The same, and: the program has no mutable global or static variables, so that all ranks can
 * share one copy of it. Its constructors run once. */
#define CORESPEC_SHARED_IMAGE CORESPEC_NOTE(CORESPEC_NOTE_SHARED)

/* A loop that costs about the same on every pass and that no compiler can remove. */
static inline uint64_t corespec_work_loop(uint64_t passes) {
  uint64_t value = 88172645463325252u;
  while (passes-- != 0) {
    value ^= value << 13;
    value ^= value >> 7;
    value ^= value << 17;
    __asm__ volatile("" : "+r"(value));
  }
  return value;
}

/* Passes of the loop per nanosecond of CPU time: the best of three measurements of 5 ms or more,
 * since a disturbed one is always too slow. */
static inline double corespec_work_calibrate(void) {
  double best = 0;
  for (int round = 0; round < 3; ++round) {
    uint64_t passes = 1000000;
    for (;;) {
      const clock_t begin = clock();
      (void)corespec_work_loop(passes);
      const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
      if (seconds >= 0.005) {
        const double rate = (double)passes / (seconds * 1e9);
        best = rate > best ? rate : best;
        break;
      }
      passes *= 2;
    }
  }
  return best;
}

/* Computes for `ns` nanoseconds: modelled under Castor, otherwise a calibrated loop. The first
 * call outside Castor takes some 20 ms longer, for the calibration. */
static inline void corespec_work_ns(double ns) {
  if (!(ns > 0)) return;
  if (castor_work_ns) {
    castor_work_ns(ns);
    return;
  }
  static double passes_per_ns = 0;
  if (passes_per_ns == 0) passes_per_ns = corespec_work_calibrate();
  (void)corespec_work_loop((uint64_t)(ns * passes_per_ns + 0.5));
}

#ifdef __cplusplus
}
#endif
