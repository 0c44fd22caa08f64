/* UDREG, a cache of memory registrations: registers on demand, keeps what was registered. */
/*
 * The caller says how memory is registered and deregistered; UDREG says when. A registration that a
 * range lies in is used again. Ranges are widened to whole pages. Link with -ludreg. Any thread may
 * call, one at a time for a cache; the callbacks must not call UDREG.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum udreg_return {
  UDREG_RC_SUCCESS = 0,
  UDREG_RC_INVALID_PARAM,   /* null or unknown argument; CacheCreate: a cache of this name exists;
                               CacheDestroy: an access is not released; Register: device_reg_func
                               has returned UDREG_DEVICE_REG_FAILED */
  UDREG_RC_ERROR_NO_DEVICE, /* the caller is no process of a job */
  UDREG_RC_NO_SPACE,        /* all max_entries are in use, or device_reg_func has returned null */
  UDREG_RC_NO_MATCH         /* no such cache; Evict: nothing is unused */
} udreg_return_t;

#define UDREG_MAX_CACHENAME_LEN 31

/* What device_reg_func returns for memory that cannot be registered at all: nothing is evicted for
   its sake. */
#define UDREG_DEVICE_REG_FAILED ((void*)-1)

/* Whole huge pages are registered, where memory has them. Accepted; without effect. */
#define UDREG_CC_MODE_USE_LARGE_PAGES 0x1
/* Entries that nobody uses stay registered until their place or an eviction is wanted. */
#define UDREG_CC_MODE_USE_LAZY_DEREG 0x2
/* The kernel tells of memory that is given back. Accepted; a registration names addresses here, not
   pages, so one of memory that has been mapped anew is right. */
#define UDREG_CC_MODE_USE_KERNEL_CACHE 0x4
/* Unregister makes room at once if all max_entries are taken. */
#define UDREG_CC_MODE_USE_EVICT_W_UNREG 0x8

typedef struct udreg_cache_attr {
  char cache_name[UDREG_MAX_CACHENAME_LEN + 1];
  uint32_t max_entries; /* 1 or more */
  uint32_t modes;       /* UDREG_CC_MODE_ */
  uint32_t debug_mode;  /* without effect */
  uint32_t debug_rank;
  void* reg_context;        /* for device_reg_func */
  void* dreg_context;       /* for device_dereg_func */
  void* destructor_context; /* for destructor_callback */
  /* Registers memory; what it returns is the entry's device_data. Null: no room, which unused
     entries may give. UDREG_DEVICE_REG_FAILED: cannot. */
  void* (*device_reg_func)(void* address, uint64_t length, void* reg_context);
  /* Undoes it; returns 0. */
  uint32_t (*device_dereg_func)(void* device_data, void* dreg_context);
  /* May be null: called when the cache is destroyed. */
  void (*destructor_callback)(void* destructor_context);
} udreg_cache_attr_t;

typedef struct udreg_cache* udreg_cache_handle_t;

/* A registration. Programs read it; UDREG writes it. */
typedef struct udreg_entry {
  void* device_data;
  uint64_t address; /* of what is registered */
  uint64_t length;
  uint32_t ref_count; /* uses: Register without Unregister */
  uint32_t reserved;
} udreg_entry_t;

typedef enum udreg_stat {
  UDREG_STAT_CACHE_HIT,    /* UDREG_Register found the range registered */
  UDREG_STAT_CACHE_MISS,   /* it had to register */
  UDREG_STAT_CACHE_EVICTED /* unused entries deregistered for another's sake */
} udreg_cache_stat_t;

/* A cache by name, of this process. */
udreg_return_t UDREG_CacheCreate(udreg_cache_attr_t* attributes);
udreg_return_t UDREG_CacheAccess(char* cache_name, udreg_cache_handle_t* cache);
/* Ends an access. */
udreg_return_t UDREG_CacheRelease(udreg_cache_handle_t cache);
/* Deregisters what is left, used or not, and removes the cache. */
udreg_return_t UDREG_CacheDestroy(udreg_cache_handle_t cache);
/* An entry that covers [address, address + length), length at least 1. */
udreg_return_t UDREG_Register(udreg_cache_handle_t cache, void* address, uint64_t length,
                              udreg_entry_t** entry);
/* Ends a use. */
udreg_return_t UDREG_Unregister(udreg_cache_handle_t cache, udreg_entry_t* entry);
/* The same under another name. */
udreg_return_t UDREG_DecrRefcount(udreg_cache_handle_t cache, udreg_entry_t* entry);
/* Deregisters the entry that has been unused longest. */
udreg_return_t UDREG_Evict(udreg_cache_handle_t cache);
udreg_return_t UDREG_GetStat(udreg_cache_handle_t cache, udreg_cache_stat_t which, uint64_t* value);
/* Counts from 0 again. */
udreg_return_t UDREG_ResetStat(udreg_cache_handle_t cache, udreg_cache_stat_t which);

#ifdef __cplusplus
} /* extern "C" */
#endif
