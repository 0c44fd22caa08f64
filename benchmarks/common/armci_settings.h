// What the environment asks of the ARMCI library, read as it reads it: for the tables' own columns.
#pragma once

#include <armci.h>
#include <stdlib.h>
#include <strings.h>

#include "benchmarks/common/options.h"

/// A flag; not set is off, as for the library.
static inline int armci_flag(const char* variable) {
  const char* text = getenv(variable);
  if (text == NULL) return 0;
  const char* const yes[] = {"1", "on", "yes", "true", "enabled"};
  for (size_t i = 0; i < sizeof yes / sizeof yes[0]; ++i) {
    if (strcasecmp(text, yes[i]) == 0) return 1;
  }
  return 0;
}

/// A size or a count; `fallback` is the library's own.
static inline long armci_number(const char* variable, long fallback) {
  const char* text = getenv(variable);
  long value = 0;
  if (text == NULL || !parse_bytes(text, strlen(text), &value)) return fallback;
  return value;
}

/// How transfers go.
typedef struct {
  int direct, eager_get;
  long eager_limit, buffers, buffer_size;
} armci_settings;

static inline armci_settings read_armci_settings(void) {
  const armci_settings result = {
      armci_flag("CASTOR_ARMCI_DIRECT"), armci_flag("CASTOR_ARMCI_EAGER_GET"),
      armci_number("CASTOR_ARMCI_EAGER_LIMIT", 2048), armci_number("CASTOR_ARMCI_CHT_BUFFERS", 2),
      armci_number("CASTOR_ARMCI_CHT_BUFFER_SIZE", 262144)};
  return result;
}
