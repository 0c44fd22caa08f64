/* GPCD, the Gemini performance counter daemon: reads a Gemini's counters. Link with -lgpcd. */
/*
 * As S0's figure 1 uses it: look registers up by name, collect them in a context, read them all at
 * once, walk the context's list. docs/counters.md names the registers.
 *
 * Functions that return an int return 0, or -1 and set errno: EINVAL for a null pointer (such as
 * the descriptor of a name that does not exist) or a register that is not there, ENOMEM, EPERM for
 * what an ordinary user may not do, ENOTSUP for counters that do not exist here.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A memory mapped register. The library's; not to be changed. */
typedef struct gpcd_mmr_desc {
  uint64_t addr;
  char* name;
} gpcd_mmr_desc_t;

/* A register of a context and its value when it was last read; 0 before. */
typedef struct gpcd_mmr_list {
  gpcd_mmr_desc_t* item;
  struct gpcd_mmr_list* next;
  uint64_t value;
} gpcd_mmr_list_t;

/* Registers that are read together. */
typedef struct gpcd_context {
  gpcd_mmr_list_t* list; /* the last one added comes first */
  int count;
  uint32_t nic_addr; /* of which Gemini: one of its NICs' addresses; see below */
} gpcd_context_t;

/* A register by its name, in either spelling: GM_0_7_TILE_PERFORMANCE_COUNTERS_5 or
   GM07_TILE_PERFORMANCE_COUNTERS_5. Null if there is none of this name. */
gpcd_mmr_desc_t* gpcd_lookup_mmr_byname(const char* name);

/* An empty context, of the caller's Gemini; null (ENOMEM) without memory. */
gpcd_context_t* gpcd_create_context(void);
/* Frees it and its list. */
int gpcd_remove_context(gpcd_context_t* context);
/* Makes `copy`, a context of gpcd_create_context(), equal to `context`: registers in the same
   order, values, NIC. */
int gpcd_clone_context(const gpcd_context_t* context, gpcd_context_t* copy);

/* To the front of the list. The same register may be there several times. */
int gpcd_context_add_mmr(gpcd_context_t* context, gpcd_mmr_desc_t* item);
/* The first entry of this register in the list. */
int gpcd_context_remove_mmr(gpcd_context_t* context, gpcd_mmr_desc_t* item);
/* That entry, by name in either spelling; null if there is none. */
gpcd_mmr_list_t* gpcd_context_find_list_byname(gpcd_context_t* context, const char* name);
/* The NIC to read, and its Gemini: 0 (the caller's), or the address of any NIC of the caller's
   Gemini (on a dragonfly, of its router). */
void gpcd_context_set_nic_addr(gpcd_context_t* context, uint32_t nic_addr);

/* Reads all registers of the context: those of tiles at one moment. */
int gpcd_context_read_mmr_vals(gpcd_context_t* context);
int gpcd_read_mmr_val(const gpcd_mmr_desc_t* item, uint64_t* value, uint32_t nic_addr);
int gpcd_read_mmr_val_byname(const char* name, uint64_t* value, uint32_t nic_addr);

/* EPERM: counters are the system's. */
int gpcd_context_write_mmr_vals(gpcd_context_t* context);
int gpcd_write_mmr_val(const gpcd_mmr_desc_t* item, uint64_t* value, uint32_t nic_addr);
int gpcd_write_mmr_val_byname(const char* name, uint64_t* value, uint32_t nic_addr);
int gpcd_disable_perms(void);
int gpcd_add_perms_entry(uint64_t job_id, uint64_t perms);

/* Print on standard output: the list's names and values, or all names that can be looked up. */
int gpcd_context_print(gpcd_context_t* context);
int gpcd_print_valid_tile_mmrs(void);
int gpcd_print_valid_tile_static_mmrs(void);
int gpcd_print_valid_tile_filtering_mmrs(void); /* there are none */
int gpcd_print_valid_nic_mmrs(void);

/* Accepted, without effect. */
int gpcd_verbose_debug(int state);
#define gpcd_set_verbose_debug() gpcd_verbose_debug(1)
#define gpcd_clear_verbose_debug() gpcd_verbose_debug(-1)

#ifdef __cplusplus
} /* extern "C" */
#endif
