/* uGNI, the user-level generic network interface of Cray's Gemini: the public header. */
/*
 * Source-compatible with uGNI API 0x00.0x5d (and what 0x60 and 0x61 have added is declared): the
 * names, types and values are those that programs written for the real library use. The parts are
 * separate files; include only this one. C and C++.
 */
#pragma once

#include <stdint.h>

#include "gni_pub/atomics.h"
#include "gni_pub/constants.h"
#include "gni_pub/cq_entry.h"
#include "gni_pub/functions_domain.h"
#include "gni_pub/functions_memory.h"
#include "gni_pub/functions_queries.h"
#include "gni_pub/functions_transfer.h"
#include "gni_pub/later_versions.h"
#include "gni_pub/types.h"
